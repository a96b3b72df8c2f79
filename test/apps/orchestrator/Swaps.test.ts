import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import * as MemoryPrices from "../../../src/adapters/memory/orchestrator/Prices.ts"
import * as ProviderHealth from "../../../src/adapters/providers/Health.ts"
import * as Swaps from "../../../src/apps/orchestrator/Swaps.ts"
import type { Chain } from "../../../src/domain/Chain.ts"
import { SwapVenue } from "../../../src/ports/orchestrator/SwapVenue.ts"
import { Chains, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { address, chain, client } from "../../support/FakeChain.ts"

/** Detail of the refusal on a chain whose node does not answer. */
const refusalOn = (served: Chain) => {
  const down = Effect.fail(new ChainUnavailable({ chainId: served.id, method: "eth_call", detail: "down" }))
  const only = { ...client({ call: () => down }), chain: served }
  const layer = Swaps.layer([only]).pipe(
    Layer.provide([
      Layer.succeed(Chains, { all: [only], get: () => Effect.succeed(only) }),
      MemoryPrices.layer({ prices: new Map() }),
      ProviderHealth.layer,
      FetchHttpClient.layer
    ])
  )
  return Effect.gen(function* () {
    const { route } = yield* SwapVenue
    const amounts = { amountIn: 1_000n, slippageBps: 50, deadline: 2n ** 40n }
    const pair = { chainId: served.id, tokenIn: address(0x11), tokenOut: address(0x12) }
    return (yield* Effect.flip(route({ ...amounts, ...pair, sender: address(1), recipient: address(2) }))).message
  }).pipe(Effect.provide(layer))
}

describe("swaps on one chain", () => {
  it.effect("are made by Uniswap v3 alone where no chain declares a venue", () =>
    Effect.gen(function* () {
      assert.include(yield* refusalOn(chain), "uniswap-v3 is not configured on fake")
      assert.include(yield* refusalOn({ ...chain, venues: [] }), "uniswap-v3 is not configured on fake")
    })
  )

  it.effect("are made by the best venue that the guard lists where one is declared", () =>
    Effect.gen(function* () {
      const venue = { name: "sushi-v2", family: "uniswap-v2", router: address(0x21) } as const
      assert.include(yield* refusalOn({ ...chain, venues: [venue] }), "no venue is configured on the chain")
    })
  )
})
