import { Layer, Option } from "effect"
import * as MemorySwapVenue from "../../../../src/adapters/memory/orchestrator/SwapVenue.ts"
import { SwapFixture, swapVenueSuite } from "../../../ports/orchestrator/SwapVenue.suite.ts"
import { address } from "../../../support/FakeChain.ts"

const fixture = Layer.succeed(SwapFixture, {
  request: {
    chainId: 8453,
    tokenIn: address(1),
    tokenOut: address(2),
    amountIn: 1_000_000n,
    sender: address(3),
    recipient: address(4),
    slippageBps: 50,
    deadline: 1_800_000_000n
  },
  unroutable: address(9)
})

swapVenueSuite(
  "memory SwapVenue",
  Layer.mergeAll(
    fixture,
    MemorySwapVenue.layer({
      target: address(5),
      rate: ({ tokenIn }) => (tokenIn === address(9) ? Option.none() : Option.some({ numerator: 3n, denominator: 2n }))
    })
  )
)
