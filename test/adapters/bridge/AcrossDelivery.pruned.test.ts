/** Deliveries whose depth is below the states that the destination's nodes keep. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { numberToHex } from "viem"
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
  react: React = () => FaultProxy.pass,
  searchFrom?: bigint
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
    bridge.delivery({ ...settlement, sourceChainId, confirmations: DEPTH, searchFrom })
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

  it.effect("keep the block that the search has come to while the node returns no logs", () =>
    Effect.gen(function* () {
      const settled = yield* settle
      yield* settled.net.fill(settled.settlement)
      yield* settled.net.mine(DEPTH)
      const noLogs: React = ({ method }) => (method === "eth_getLogs" ? FaultProxy.refuse() : FaultProxy.pass)
      for (const searchFrom of [undefined, 3n]) {
        const delivery = yield* look(settled, noLogs, searchFrom)
        if (delivery._tag !== "Pending") return assert.fail(delivery._tag)
        assert.strictEqual(delivery.logsFailed?.method, "eth_getLogs")
        assert.strictEqual(delivery.searchFrom, searchFrom)
      }
    })
  )

  it.effect("are found at once where the search saw the fill before it was deep", () =>
    Effect.gen(function* () {
      const settled = yield* settle
      const { net, settlement } = settled
      const client = yield* (yield* Chains).get(net.destination.chain.id)
      yield* net.mine(DEPTH)
      const txHash = yield* net.fill(settlement)
      const filled = Option.getOrThrow(yield* client.block("latest")).number
      yield* net.mine(1)
      const shallow = yield* look(settled)
      if (shallow._tag !== "Pending") return assert.fail(shallow._tag)
      assert.strictEqual(shallow.searchFrom, filled)
      yield* net.mine(300)
      let requests = 0
      const tenBlocks: React = (call) => {
        if (call.method === "eth_getLogs") requests += 1
        return FaultProxy.capLogs(10)(call)
      }
      const delivery = yield* look(settled, tenBlocks, shallow.searchFrom)
      assert.strictEqual(delivery._tag === "Delivered" && delivery.txHash, txHash)
      // Of 10 blocks each, from the newest one, it would take more than 30.
      assert.isAtMost(requests, 4)
    })
  )

  it.effect("fail while no endpoint has the receipt or the block of the fill", () =>
    Effect.gen(function* () {
      const settled = yield* settle
      const { net, settlement } = settled
      yield* net.fill(settlement)
      const client = yield* (yield* Chains).get(net.destination.chain.id)
      const filled = numberToHex(Option.getOrThrow(yield* client.block("latest")).number)
      yield* net.mine(DEPTH + 1)
      const nothing = FaultProxy.rewrite((answer) => ({ ...answer, result: null }))
      const lacks: Readonly<Record<string, React>> = {
        eth_getTransactionReceipt: ({ method }) => (method === "eth_getTransactionReceipt" ? nothing : FaultProxy.pass),
        eth_getBlockByNumber: ({ method, params }) =>
          method === "eth_getBlockByNumber" && params[0] === filled ? nothing : FaultProxy.pass
      }
      for (const [method, react] of Object.entries(lacks)) {
        const failure = yield* Effect.flip(look(settled, react))
        assert.strictEqual(failure._tag === "ChainUnavailable" && failure.method, method)
      }
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
