import { Effect, Layer } from "effect"
import { keccak256, numberToHex } from "viem"
import * as MemoryBridge from "../../../../src/adapters/memory/orchestrator/Bridge.ts"
import { type BridgeRequest } from "../../../../src/ports/orchestrator/Bridge.ts"
import { BridgeFixture, bridgeSuite, orderOf } from "../../../ports/orchestrator/Bridge.suite.ts"
import { address } from "../../../support/FakeChain.ts"

const request: BridgeRequest = {
  sourceChainId: 8453,
  destChainId: 10,
  tokenIn: address(1),
  tokenOut: address(2),
  amountIn: 1_000_000n,
  depositor: address(3),
  recipient: address(4),
  slippageBps: 50,
  deadline: 2n ** 40n
}

const fixture = Layer.effect(
  BridgeFixture,
  Effect.gen(function* () {
    const { settle } = yield* MemoryBridge.MemoryBridge
    let deposits = 0
    return {
      request,
      deposit: (route) =>
        Effect.sync(() => ({
          order: orderOf(request, route),
          receipt: {
            transactionHash: keccak256(numberToHex(deposits++)),
            blockNumber: 1n,
            blockHash: keccak256("0x"),
            status: "success" as const,
            gasUsed: 1n,
            effectiveGasPrice: 1n,
            logs: []
          }
        })),
      fill: ({ receipt }, route) =>
        settle(receipt.transactionHash, {
          _tag: "Delivered",
          txHash: keccak256("0x01"),
          amountOut: route.amountOut
        }),
      expire: ({ receipt }) => settle(receipt.transactionHash, { _tag: "Refunded" })
    }
  })
)

bridgeSuite("memory Bridge", fixture.pipe(Layer.provideMerge(MemoryBridge.layer({ target: address(5) }))))
