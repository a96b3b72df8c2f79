import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as Prices from "../../../src/adapters/memory/orchestrator/Prices.ts"
import * as OutputPrice from "../../../src/orchestrator/quote/OutputPrice.ts"
import { TokenRisk } from "../../../src/ports/orchestrator/TokenRisk.ts"
import { STABLE, USD } from "../../support/Quoting.ts"

const request = { destChainId: 1, tokenOut: STABLE }

const using = (describe: TokenRisk["Service"]["describe"], prices: ReadonlyMap<typeof STABLE, bigint>) =>
  Effect.provide(
    Effect.flatMap(OutputPrice.make, (outputOf) => outputOf(request)),
    Layer.mergeAll(Layer.mock(TokenRisk, { describe }), Prices.layer({ prices: new Map([[1, prices]]) }))
  )

const described = () => Effect.succeed({ symbol: "USDC", decimals: 6 })

describe("the price of the output", () => {
  it.effect("is read with its decimals", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* using(described, new Map([[STABLE, USD]])), { usd: USD, decimals: 6 })
    })
  )

  it.effect("is unknown for a token without a price, or with one of nothing", () =>
    Effect.gen(function* () {
      assert.isUndefined(yield* using(described, new Map()))
      assert.isUndefined(yield* using(described, new Map([[STABLE, 0n]])))
    })
  )

  it.effect("is waited for 1.5 seconds", () =>
    Effect.gen(function* () {
      const asking = yield* Effect.forkChild(using(() => Effect.never, new Map()))
      yield* TestClock.adjust("1499 millis")
      assert.isUndefined(asking.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.isUndefined(yield* Fiber.join(asking))
    })
  )
})
