/** Deliveries of Across while an operator moves a chain to another SpokePool. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Across from "../../../src/adapters/bridge/Across.ts"
import { layerFixed } from "../../../src/adapters/bridge/AcrossFees.ts"
import * as UniswapV3 from "../../../src/adapters/swap/UniswapV3.ts"
import { units } from "../../../src/devnet/Tokens.ts"
import type * as Address from "../../../src/domain/Address.ts"
import type { Chain } from "../../../src/domain/Chain.ts"
import { Bridge } from "../../../src/ports/orchestrator/Bridge.ts"
import type { Settlement } from "../../ports/orchestrator/Bridge.suite.ts"
import { address } from "../../support/FakeChain.ts"
import { TestNetwork } from "../../support/Network.ts"
import { AcrossNetwork, chainsOf, network } from "./acrossNetwork.ts"

const across = Across.layer({ orderLifetimeSeconds: 720 }).pipe(
  Layer.provide([layerFixed({ relayFeeBps: 10, fillDeadlineSeconds: 3_600 }), UniswapV3.layer])
)

/** A pool that has filled nothing. */
const EMPTY = address(0x5b)

const settle = Effect.gen(function* () {
  const net = yield* AcrossNetwork
  const request = net.requestOf("USDC", "USDC", units("USDC", 10n))
  // Answers every call with zero.
  yield* net.destination.node.ask("set code", (client) =>
    client.setCode({ address: EMPTY, bytecode: "0x600060005260206000f3" })
  )
  return { net, settlement: yield* net.deposit(request, yield* (yield* Bridge).route(request)) }
})

interface Pools {
  readonly present: Address.Address | undefined
  readonly former?: ReadonlyArray<Address.Address>
}

/** Looks at the delivery where the destination has these pools. */
const lookAt = Effect.fnUntraced(function* (settlement: Settlement, { former, present }: Pools) {
  const { destination, source } = yield* AcrossNetwork
  const moved = ({ formerSpokePools: _former, spokePool: _pool, ...chain }: Chain): Chain => ({
    ...chain,
    ...(present === undefined ? {} : { spokePool: present }),
    ...(former === undefined ? {} : { formerSpokePools: former })
  })
  const bridges = Layer.fresh(across).pipe(
    Layer.provide(chainsOf((chain) => (chain.id === destination.chain.id ? moved(chain) : chain))),
    Layer.provide(Layer.succeed(TestNetwork, yield* TestNetwork))
  )
  return yield* Effect.flatMap(Bridge, (bridge) =>
    bridge.delivery({ ...settlement, sourceChainId: source.chain.id })
  ).pipe(Effect.provide(bridges))
})

layer(across.pipe(Layer.provideMerge(network)))("Across deliveries to a chain with a former pool", (it) => {
  it.effect("are proved by the pool that has the fill", () =>
    Effect.gen(function* () {
      const { net, settlement } = yield* settle
      const pool = net.destination.spokePool
      const pools: ReadonlyArray<Pools> = [
        { present: EMPTY, former: [pool] },
        { present: pool, former: [EMPTY] },
        { present: pool, former: [pool] },
        // Across is no longer used on the chain.
        { present: undefined, former: [EMPTY, pool] }
      ]
      for (const each of pools) assert.deepStrictEqual(yield* lookAt(settlement, each), { _tag: "Pending" })
      const txHash = yield* net.fill(settlement)
      for (const each of pools) {
        const delivery = yield* lookAt(settlement, each)
        assert.isTrue(delivery._tag === "Delivered" && delivery.txHash === txHash)
      }
      assert.deepStrictEqual(yield* lookAt(settlement, { present: EMPTY }), { _tag: "Pending" })
    })
  )

  it.effect("are unknown while a former pool does not answer, unless the present one has the fill", () =>
    Effect.gen(function* () {
      const { net, settlement } = yield* settle
      const pools = { present: net.destination.spokePool, former: [address(0x5d)] }
      assert.strictEqual((yield* Effect.flip(lookAt(settlement, pools)))._tag, "ChainUnavailable")
      yield* net.fill(settlement)
      assert.strictEqual((yield* lookAt(settlement, pools))._tag, "Delivered")
    })
  )

  it.effect("are unknown on a chain without any pool", () =>
    Effect.gen(function* () {
      const { settlement } = yield* settle
      const none: ReadonlyArray<Pools> = [{ present: undefined }, { present: undefined, former: [] }]
      for (const pools of none) {
        assert.strictEqual((yield* Effect.flip(lookAt(settlement, pools)))._tag, "ChainUnavailable")
      }
    })
  )

  // Moves the clocks of the chains, so it is the last one.
  it.effect("count as refunded after the deadline only if no pool has the fill", () =>
    Effect.gen(function* () {
      const { net, settlement: filled } = yield* settle
      const { settlement: unfilled } = yield* settle
      const pools = { present: EMPTY, former: [net.destination.spokePool] }
      yield* net.fill(filled)
      yield* net.destination.node.ask("let time pass", async (client) => {
        await client.increaseTime({ seconds: 4 * 3_600 })
        await client.mine({ blocks: 1 })
      })
      assert.strictEqual((yield* lookAt(filled, pools))._tag, "Delivered")
      assert.strictEqual((yield* lookAt(unfilled, pools))._tag, "Refunded")
    })
  )
})
