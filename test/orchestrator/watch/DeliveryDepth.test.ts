import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import * as DeliveryDepth from "../../../src/orchestrator/watch/DeliveryDepth.ts"
import { Prices } from "../../../src/ports/orchestrator/Prices.ts"
import { Chains } from "../../../src/ports/shared/Chains.ts"
import { address, chain, client } from "../../support/FakeChain.ts"
import { newIntent } from "../../support/IntentFixtures.ts"

const OUT = address(0x22)
const USD = 10n ** 18n

const listing = [{ chainId: 2, address: OUT, symbol: "OUT", name: "Out", decimals: 6 }]
const source = { ...client({}), chain: { ...chain, id: 1 } }
const destination = {
  ...client({}),
  chain: {
    ...chain,
    id: 2,
    confirmations: 2,
    tokens: listing,
    confirmationsByValue: [{ aboveUsd: 1_000, confirmations: 32 }]
  }
}

const depthOf = (minAmountOut: bigint, to: typeof destination | typeof source, price: bigint | null = USD) =>
  Effect.gen(function* () {
    const { order, quote } = newIntent({ id: "a" })
    const depth = yield* DeliveryDepth.make
    return yield* depth(source, to, {
      order: { ...order, tokenOut: OUT, destChainId: BigInt(to.chain.id) },
      quote: { ...quote, minAmountOut }
    })
  }).pipe(
    Effect.provideService(Chains, {
      all: [source, destination],
      get: (id) => Effect.succeed(id === 1 ? source : destination)
    }),
    Effect.provideService(Prices, {
      usd: () => Effect.succeed(new Map(price === null ? [] : [[OUT, price]])),
      detailed: () => Effect.die("not asked for")
    })
  )

describe("the depth of a delivery", () => {
  it.effect("is that of the destination for its value, and the deepest for an unknown one", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* depthOf(999_000_000n, destination), 2)
      assert.strictEqual(yield* depthOf(1_000_000_001n, destination), 32)
      assert.strictEqual(yield* depthOf(1n, destination, null), 32)
      assert.strictEqual(yield* depthOf(10n ** 20n, source), 1)
    })
  )
})
