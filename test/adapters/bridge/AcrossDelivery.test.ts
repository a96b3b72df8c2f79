import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Across from "../../../src/adapters/bridge/Across.ts"
import { layerFixed } from "../../../src/adapters/bridge/AcrossFees.ts"
import * as UniswapV3 from "../../../src/adapters/swap/UniswapV3.ts"
import { units } from "../../../src/devnet/Tokens.ts"
import { Bridge } from "../../../src/ports/orchestrator/Bridge.ts"
import { TestNetwork } from "../../support/Network.ts"
import { AcrossNetwork, chainsOf, network } from "./acrossNetwork.ts"

const fees = layerFixed({ relayFeeBps: 10, fillDeadlineSeconds: 3 * 3_600 })

const settle = Effect.gen(function* () {
  const net = yield* AcrossNetwork
  const request = net.requestOf("USDC", "USDC", units("USDC", 10n))
  const route = yield* (yield* Bridge).route(request)
  return { net, route, settlement: yield* net.deposit(request, route), sourceChainId: request.sourceChainId }
})

layer(
  Across.layer({ orderLifetimeSeconds: 720, logWindow: 3n }).pipe(
    Layer.provide([fees, UniswapV3.layer]),
    Layer.provideMerge(network)
  )
)("Across deliveries", (it) => {
  it.effect("are not proved by the fill of a relay that was made up", () =>
    Effect.gen(function* () {
      const { net, route, settlement, sourceChainId } = yield* settle
      const bridge = yield* Bridge
      // Same deposit id and recipient, but an amount of one unit.
      const forged = yield* net.fill(settlement, 1n)
      assert.deepStrictEqual(yield* bridge.delivery({ ...settlement, sourceChainId }), { _tag: "Pending" })
      const txHash = yield* net.fill(settlement)
      assert.notStrictEqual(txHash, forged)
      assert.deepStrictEqual(yield* bridge.delivery({ ...settlement, sourceChainId }), {
        _tag: "Delivered",
        txHash,
        amountOut: route.amountOut
      })
    })
  )

  it.effect("are found long after, in small steps", () =>
    Effect.gen(function* () {
      const { net, settlement, sourceChainId } = yield* settle
      yield* net.mine(10)
      const txHash = yield* net.fill(settlement)
      yield* net.mine(40)
      const delivery = yield* (yield* Bridge).delivery({ ...settlement, sourceChainId })
      assert.strictEqual(delivery._tag === "Delivered" && delivery.txHash, txHash)
    })
  )

  it.effect("count only at the destination's depth", () =>
    Effect.gen(function* () {
      const { net, settlement, sourceChainId } = yield* settle
      const deep = Layer.fresh(Across.layer({ orderLifetimeSeconds: 720 })).pipe(
        Layer.provide([fees, UniswapV3.layer]),
        Layer.provide(chainsOf((chain) => ({ ...chain, confirmations: 3 }))),
        Layer.provide(Layer.succeed(TestNetwork, yield* TestNetwork))
      )
      yield* Effect.gen(function* () {
        const bridge = yield* Bridge
        const status = Effect.map(bridge.delivery({ ...settlement, sourceChainId }), (delivery) => delivery._tag)
        yield* net.fill(settlement)
        assert.strictEqual(yield* status, "Pending")
        yield* net.mine(1)
        assert.strictEqual(yield* status, "Pending")
        yield* net.mine(1)
        assert.strictEqual(yield* status, "Delivered")
      }).pipe(Effect.provide(deep))
    })
  )

  it.effect("are unknown without the deposit's own event", () =>
    Effect.gen(function* () {
      const { net, settlement, sourceChainId } = yield* settle
      const bridge = yield* Bridge
      const other = yield* settle
      const { receipt } = settlement
      const stranger = net.source.tokens.USDC
      const unknown = [
        { ...settlement, receipt: { ...receipt, logs: [] } },
        // The event of another contract is not a proof.
        { ...settlement, receipt: { ...receipt, logs: receipt.logs.map((log) => ({ ...log, address: stranger })) } },
        { ...settlement, order: { ...settlement.order, swapCalldata: "0x1234" as const } },
        { ...settlement, order: { ...settlement.order, destChainId: 999_999n } }
      ]
      for (const each of unknown) {
        const error = yield* Effect.flip(bridge.delivery({ ...each, sourceChainId }))
        assert.strictEqual(error._tag, "ChainUnavailable")
      }
      assert.notStrictEqual(other.settlement.receipt.transactionHash, receipt.transactionHash)
    })
  )
})
