import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Across from "../../../src/adapters/bridge/Across.ts"
import { layerFixed } from "../../../src/adapters/bridge/AcrossFees.ts"
import * as AcrossRefunds from "../../../src/adapters/bridge/AcrossRefunds.ts"
import * as UniswapV3 from "../../../src/adapters/swap/UniswapV3.ts"
import { units } from "../../../src/devnet/Tokens.ts"
import * as Address from "../../../src/domain/Address.ts"
import { Bridge } from "../../../src/ports/orchestrator/Bridge.ts"
import { BridgeRefunds } from "../../../src/ports/orchestrator/BridgeRefunds.ts"
import { Chains } from "../../../src/ports/shared/Chains.ts"
import { balanceOf } from "../evm/contracts/asUser.ts"
import { address } from "../../support/FakeChain.ts"
import { AcrossNetwork, attacker, chainsOf, network, owner } from "./acrossNetwork.ts"
import { TestNetwork } from "../../support/Network.ts"

const across = Layer.mergeAll(
  Across.layer({ orderLifetimeSeconds: 720 }).pipe(
    Layer.provide([layerFixed({ relayFeeBps: 10, fillDeadlineSeconds: 3_600 }), UniswapV3.layer])
  ),
  AcrossRefunds.layer
)

const everybody = new Set([owner.address, attacker.address, Address.zero])

/** Payments to everybody from this block on. */
const paidFrom = (fromBlock: bigint) =>
  Effect.gen(function* () {
    const { source } = yield* AcrossNetwork
    return yield* (yield* BridgeRefunds).paid(source.chain.id, everybody, fromBlock)
  })

/** Block after the newest one of the source chain. */
const nextBlock = Effect.gen(function* () {
  const { source } = yield* AcrossNetwork
  return (yield* source.node.ask("height", (client) => client.getBlockNumber({ cacheTime: 0 }))) + 1n
})

layer(across.pipe(Layer.provideMerge(network)))("Across refunds", (it) => {
  it.effect("of an expired deposit are found by the owner and the amount that the delivery names", () =>
    Effect.gen(function* () {
      const net = yield* AcrossNetwork
      const bridge = yield* Bridge
      const request = net.requestOf("USDC", "USDC", units("USDC", 10n))
      const route = yield* bridge.route(request)
      yield* net.deposit(request, route)
      const settlement = yield* net.deposit(request, route)
      for (const { node } of [net.source, net.destination]) {
        yield* node.ask("let time pass", async (client) => {
          await client.increaseTime({ seconds: 4 * 3_600 })
          await client.mine({ blocks: 1 })
        })
      }
      const delivery = yield* bridge.delivery({ ...settlement, sourceChainId: request.sourceChainId })
      assert.isTrue(delivery._tag === "Refunded")
      if (delivery._tag !== "Refunded" || delivery.expected === undefined) return assert.fail("no refund is expected")
      const { amount, notBefore, token } = delivery.expected
      assert.deepStrictEqual([token, amount], [request.tokenIn, request.amountIn])
      const { firstBlock } = yield* BridgeRefunds
      const from = yield* firstBlock(net.source.chain.id, notBefore)
      const before = yield* balanceOf(net.source, token, owner.address)
      assert.deepStrictEqual((yield* paidFrom(from)).lines, [])
      const txHash = yield* net.refund(token, [
        [attacker.address, 1n],
        [owner.address, amount]
      ])
      assert.strictEqual(yield* balanceOf(net.source, token, owner.address), before + amount)
      const { lines } = yield* paidFrom(from)
      assert.deepStrictEqual(
        lines.map((line) => [line.txHash, line.account, line.token, line.amount, line.entry]),
        [
          [txHash, attacker.address, token, 1n, 0],
          [txHash, owner.address, token, amount, 1]
        ]
      )
    })
  )

  it.effect("of two equal payments are two lines, and the newest blocks are read again", () =>
    Effect.gen(function* () {
      const net = yield* AcrossNetwork
      const request = net.requestOf("USDC", "USDC", units("USDC", 3n))
      yield* net.deposit(request, yield* (yield* Bridge).route(request))
      const token = net.source.tokens.USDC
      const from = yield* nextBlock
      yield* net.refund(token, [
        [owner.address, 7n],
        [owner.address, 7n]
      ])
      const first = yield* paidFrom(from)
      assert.deepStrictEqual(
        first.lines.map(({ amount, entry }) => [amount, entry]),
        [
          [7n, 0],
          [7n, 1]
        ]
      )
      assert.strictEqual(first.nextBlock, from)
      assert.deepStrictEqual(yield* paidFrom(first.nextBlock), first)
    })
  )

  it.effect("that the pool could not pay are left out, and those beside them are not", () =>
    Effect.gen(function* () {
      const net = yield* AcrossNetwork
      const token = net.source.tokens.USDC
      const request = net.requestOf("USDC", "USDC", units("USDC", 3n))
      yield* net.deposit(request, yield* (yield* Bridge).route(request))
      const from = yield* nextBlock
      // Tokens refuse transfers to the zero address. The pool keeps the amount for a claim, and marks the whole leaf.
      yield* net.refund(token, [
        [Address.zero, 5n],
        [owner.address, 6n]
      ])
      assert.deepStrictEqual(
        (yield* paidFrom(from)).lines.map(({ account, amount }) => [account, amount]),
        [[owner.address, 6n]]
      )
    })
  )

  it.effect("count only at the chain's depth", () =>
    Effect.gen(function* () {
      const net = yield* AcrossNetwork
      const from = yield* nextBlock
      yield* net.refund(net.source.tokens.USDC, [[owner.address, 8n]])
      const deep = Layer.fresh(AcrossRefunds.layer).pipe(
        Layer.provide(chainsOf((chain) => ({ ...chain, confirmations: 3 }))),
        Layer.provide(Layer.succeed(TestNetwork, yield* TestNetwork))
      )
      yield* Effect.gen(function* () {
        assert.deepStrictEqual((yield* paidFrom(from)).lines, [])
        yield* net.source.node.ask("mine", (client) => client.mine({ blocks: 2, interval: 0 }))
        assert.lengthOf((yield* paidFrom(from)).lines, 1)
      }).pipe(Effect.provide(deep))
    })
  )

  it.effect("of deposits into a former pool are found, also those whose leaf has a payment that failed", () =>
    Effect.gen(function* () {
      const net = yield* AcrossNetwork
      const token = net.source.tokens.USDC
      const request = net.requestOf("USDC", "USDC", units("USDC", 3n))
      yield* net.deposit(request, yield* (yield* Bridge).route(request))
      const from = yield* nextBlock
      yield* net.refund(token, [[owner.address, 9n]])
      yield* net.refund(token, [
        [Address.zero, 5n],
        [owner.address, 6n]
      ])
      const [first] = (yield* Chains).all
      const paidWith = Effect.fnUntraced(function* (present: Address.Address | undefined) {
        const moved = Layer.fresh(AcrossRefunds.layer).pipe(
          Layer.provide(
            chainsOf(({ spokePool = Address.zero, ...chain }) => ({
              ...chain,
              ...(present === undefined ? {} : { spokePool: present }),
              formerSpokePools: [spokePool]
            }))
          ),
          Layer.provide(Layer.succeed(TestNetwork, yield* TestNetwork))
        )
        const { lines } = yield* paidFrom(from).pipe(Effect.provide(moved))
        return lines.map(({ account, amount }) => [account, amount])
      })
      const expected = [
        [owner.address, 9n],
        [owner.address, 6n]
      ]
      for (const present of [address(0x5b), undefined, first?.chain.spokePool]) {
        assert.deepStrictEqual(yield* paidWith(present), expected)
      }
    })
  )

  it.effect("are unknown on a chain without a pool", () =>
    Effect.gen(function* () {
      const { all } = yield* Chains
      const [first] = all
      const without = Layer.fresh(AcrossRefunds.layer).pipe(
        Layer.provide(chainsOf(({ spokePool: _pool, ...chain }) => chain)),
        Layer.provide(Layer.succeed(TestNetwork, yield* TestNetwork))
      )
      const error = yield* Effect.flip(
        Effect.flatMap(BridgeRefunds, ({ paid }) => paid(first?.chain.id ?? 0, everybody, 0n)).pipe(
          Effect.provide(without)
        )
      )
      assert.strictEqual(error._tag, "ChainUnavailable")
    })
  )
})
