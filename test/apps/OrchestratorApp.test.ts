import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { providerProbes } from "../../src/apps/orchestrator/Probes.ts"
import type * as Address from "../../src/domain/Address.ts"
import { NATIVE } from "../../src/domain/Token.ts"
import { ProviderProbes } from "../../src/orchestrator/operate/ProviderProbes.ts"
import { BuilderAttribution } from "../../src/ports/orchestrator/BuilderAttribution.ts"
import { Prices } from "../../src/ports/orchestrator/Prices.ts"
import * as FakeChain from "../support/FakeChain.ts"
import { urgentOnly } from "../support/UrgentScreening.ts"

describe("the probe of screening", () => {
  it.effect("succeeds while only quotes are refused", () =>
    Effect.gen(function* () {
      const probe = (yield* ProviderProbes).find(({ name }) => name === "screening")
      assert.isDefined(probe)
      assert.isTrue(yield* Effect.isSuccess(probe.probe))
    }).pipe(
      Effect.provide(
        providerProbes.pipe(
          Layer.provide([
            urgentOnly,
            FakeChain.layer({}),
            Layer.mock(Prices, {}),
            Layer.succeed(BuilderAttribution, { resolve: () => Effect.succeed(Option.none()) })
          ])
        )
      )
    )
  )
})

describe("the probe of prices", () => {
  const probed = (known: ReadonlyMap<Address.Address, bigint>) =>
    Effect.gen(function* () {
      const probe = (yield* ProviderProbes).find(({ name }) => name === "prices")
      assert.isDefined(probe)
      return yield* Effect.isSuccess(probe.probe)
    }).pipe(
      Effect.provide(
        providerProbes.pipe(
          Layer.provide([
            urgentOnly,
            FakeChain.layer({}),
            Layer.mock(Prices, { usd: () => Effect.succeed(known) }),
            Layer.succeed(BuilderAttribution, { resolve: () => Effect.succeed(Option.none()) })
          ])
        )
      )
    )

  it.effect("fails while the native currency has no price that counts", () =>
    Effect.gen(function* () {
      assert.isTrue(yield* probed(new Map([[NATIVE, 1n]])))
      assert.isFalse(yield* probed(new Map()))
    })
  )
})
