/** Deliveries whose depth is below the states that the destination's nodes keep. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import * as Across from "../../../src/adapters/bridge/Across.ts"
import { layerFixed } from "../../../src/adapters/bridge/AcrossFees.ts"
import * as UniswapV3 from "../../../src/adapters/swap/UniswapV3.ts"
import { units } from "../../../src/devnet/Tokens.ts"
import { Bridge } from "../../../src/ports/orchestrator/Bridge.ts"
import { Chains } from "../../../src/ports/shared/Chains.ts"
import * as FaultProxy from "../../support/FaultProxy.ts"
import { TestNetwork } from "../../support/Network.ts"
import { AcrossNetwork, chainsOf, network } from "./acrossNetwork.ts"

/** Confirmations that the sweep needs by its value. */
const DEPTH = 5

const across = Across.layer({ orderLifetimeSeconds: 720 }).pipe(
  Layer.provide([layerFixed({ relayFeeBps: 10, fillDeadlineSeconds: 3_600 }), UniswapV3.layer])
)

const settle = Effect.gen(function* () {
  const net = yield* AcrossNetwork
  const request = net.requestOf("USDC", "USDC", units("USDC", 10n))
  const settlement = yield* net.deposit(request, yield* (yield* Bridge).route(request))
  return { net, settlement, sourceChainId: request.sourceChainId }
})

type Settled = Effect.Success<typeof settle>
type React = (call: FaultProxy.Call) => FaultProxy.Reaction

const missing = FaultProxy.answerError(-32_000, "missing trie node")

/** Looks at the delivery through a node that has the state of its newest block only. `react` comes before it. */
const look = Effect.fnUntraced(function* (
  { net: { destination }, settlement, sourceChainId }: Settled,
  react: React = () => FaultProxy.pass
) {
  const network = yield* TestNetwork
  const client = yield* (yield* Chains).get(destination.chain.id)
  const newest = Option.getOrThrow(yield* client.block("latest")).hash
  const proxy = yield* FaultProxy.start(destination.rpcUrl)
  yield* proxy.react((call) => {
    const isPast = call.method === "eth_call" && !JSON.stringify(call.params[1]).includes(newest)
    return isPast ? missing : react(call)
  })
  const behind = Layer.fresh(across).pipe(
    Layer.provide(chainsOf(undefined, (dev) => (dev.chain.id === destination.chain.id ? proxy.url : dev.rpcUrl))),
    Layer.provide(Layer.succeed(TestNetwork, network))
  )
  return yield* Effect.flatMap(Bridge, (bridge) =>
    bridge.delivery({ ...settlement, sourceChainId, confirmations: DEPTH })
  ).pipe(Effect.provide(behind))
})

layer(across.pipe(Layer.provideMerge(network)))("Across deliveries without the state at their depth", (it) => {
  it.effect("are proved by the fill's event once it is deep enough, and not before", () =>
    Effect.gen(function* () {
      const settled = yield* settle
      const { net, settlement } = settled
      yield* net.mine(DEPTH)
      assert.deepStrictEqual(yield* look(settled), { _tag: "Pending" })
      const txHash = yield* net.fill(settlement)
      for (let confirmations = 1; confirmations < DEPTH; confirmations++) {
        assert.strictEqual((yield* look(settled))._tag, "Pending", `${confirmations} confirmations`)
        yield* net.mine(1)
      }
      const delivery = yield* look(settled)
      assert.strictEqual(delivery._tag === "Delivered" && delivery.txHash, txHash)
    })
  )

  it.effect("are not proved by an event of a block that is not canonical", () =>
    Effect.gen(function* () {
      const settled = yield* settle
      yield* settled.net.fill(settled.settlement)
      yield* settled.net.mine(DEPTH)
      const orphaned = FaultProxy.rewrite(({ result, ...answer }) => ({
        ...answer,
        result: { ...(result as object), blockHash: `0x${"ab".repeat(32)}` }
      }))
      const delivery = yield* look(settled, ({ method }) =>
        method === "eth_getTransactionReceipt" ? orphaned : FaultProxy.pass
      )
      assert.strictEqual(delivery._tag, "Pending")
    })
  )

  it.effect("fail while the node returns no logs", () =>
    Effect.gen(function* () {
      const settled = yield* settle
      yield* settled.net.fill(settled.settlement)
      yield* settled.net.mine(DEPTH)
      const failure = yield* Effect.flip(
        look(settled, ({ method }) => (method === "eth_getLogs" ? FaultProxy.refuse() : FaultProxy.pass))
      )
      assert.isTrue(failure._tag === "ChainUnavailable" && failure.method === "eth_getLogs")
    })
  )

  it.effect("fail while the node has no state at all", () =>
    Effect.gen(function* () {
      const settled = yield* settle
      yield* settled.net.mine(DEPTH)
      const failure = yield* Effect.flip(
        look(settled, ({ method }) => (method === "eth_call" ? missing : FaultProxy.pass))
      )
      assert.include(failure.message, "missing trie node")
    })
  )

  // Moves the clock of the chain, so it is the last one.
  it.effect("count as refunded once the block at the depth is after the deadline", () =>
    Effect.gen(function* () {
      const { net, ...settled } = yield* settle
      yield* net.destination.node.ask("let time pass", async (client) => {
        await client.increaseTime({ seconds: 2 * 3_600 })
        await client.mine({ blocks: 1 })
      })
      assert.strictEqual((yield* look({ net, ...settled }))._tag, "Pending")
      yield* net.mine(DEPTH)
      assert.strictEqual((yield* look({ net, ...settled }))._tag, "Refunded")
    })
  )
})
