import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { providerProbes } from "../../src/apps/OrchestratorApp.ts"
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
