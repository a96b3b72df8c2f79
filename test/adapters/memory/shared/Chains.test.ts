import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { keccak256 } from "viem"
import * as MemoryChains from "../../../../src/adapters/memory/shared/Chains.ts"
import * as MemoryRelayerKeys from "../../../../src/adapters/memory/orchestrator/RelayerKeys.ts"
import * as Address from "../../../../src/domain/Address.ts"
import { CallReverted, Chains, SendRejected } from "../../../../src/ports/shared/Chains.ts"
import { ChainDriver, chainsSuite, TOPIC } from "../../../ports/shared/Chains.suite.ts"
import { RelayerKeys } from "../../../../src/ports/orchestrator/RelayerKeys.ts"
import { chain } from "../../../support/FakeChain.ts"
import { unsigned } from "../../../ports/orchestrator/RelayerKeys.suite.ts"

const sender = Address.of("0x70997970C51812dc3A010C7d01b50e0d17dc79C8")
const emitter = Address.of("0x00000000000000000000000000000000000e3177")
const memoryChains = MemoryChains.layer([{ ...chain, id: 8453 }])

const driver = Layer.effect(
  ChainDriver,
  Effect.gen(function* () {
    const memory = yield* (yield* MemoryChains.MemoryChains).get(8453)
    const keys = yield* RelayerKeys
    let mined = 0
    let nonce = 0n
    return {
      chainId: 8453,
      sender,
      emitter,
      transaction: (next: bigint) =>
        Effect.map(Effect.orDie(keys.sign(sender, { ...unsigned, nonce: next })), ({ raw }) => raw),
      mine: Effect.gen(function* () {
        const sent = [...new Set(yield* memory.sent)]
        const fresh = sent.slice(mined)
        mined = sent.length
        yield* memory.mine(
          fresh.map((raw) => ({ hash: keccak256(raw), logs: [{ address: emitter, topics: [TOPIC], data: "0x" }] }))
        )
        nonce += BigInt(fresh.length)
        yield* memory.setTransactionCount(sender, nonce)
      })
    }
  })
).pipe(Layer.provide(MemoryRelayerKeys.layer([sender])))

chainsSuite("memory Chains", driver.pipe(Layer.provideMerge(memoryChains), Layer.fresh))

layer(memoryChains)("memory Chains, by hand", (it) => {
  const both = Effect.gen(function* () {
    return {
      client: yield* (yield* Chains).get(8453),
      memory: yield* (yield* MemoryChains.MemoryChains).get(8453)
    }
  })

  it.effect("answers calls and sends as it is told", () =>
    Effect.gen(function* () {
      const { client, memory } = yield* both
      const reverted = new CallReverted({ chainId: 8453, data: "0x", detail: "no" })
      yield* memory.onCall(({ to }) => (to === sender ? Effect.succeed("0x01") : Effect.fail(reverted)))
      assert.strictEqual(yield* client.call({ to: sender, data: "0x" }), "0x01")
      assert.strictEqual(yield* Effect.flip(client.call({ to: emitter, data: "0x" })), reverted)
      const rejected = new SendRejected({ chainId: 8453, reason: "NonceTooLow", detail: "no" })
      yield* memory.onSend(() => Effect.fail(rejected))
      assert.strictEqual(yield* Effect.flip(client.send("0x0102")), rejected)
      assert.deepStrictEqual(yield* memory.sent, ["0x0102"])
    })
  )

  it.effect("forgets reorganised blocks, and gives their numbers to others", () =>
    Effect.gen(function* () {
      const { client, memory } = yield* both
      const hash = keccak256("0x01")
      const lost = yield* memory.mine([{ hash }])
      assert.isTrue(Option.isSome(yield* client.receipt(hash)))
      yield* memory.reorg(1)
      assert.deepStrictEqual(yield* client.receipt(hash), Option.none())
      const successor = yield* memory.mine()
      assert.strictEqual(successor.number, lost.number)
      assert.notStrictEqual(successor.hash, lost.hash)
    })
  )

  it.effect("fails where it is told to, until it is told otherwise", () =>
    Effect.gen(function* () {
      const { client, memory } = yield* both
      yield* memory.fail("block", "send")
      assert.strictEqual((yield* Effect.flip(client.block("latest")))._tag, "ChainUnavailable")
      assert.strictEqual((yield* Effect.flip(client.send("0x01")))._tag, "ChainUnavailable")
      assert.strictEqual(yield* client.balance(sender), 0n)
      yield* memory.fail()
      assert.isTrue(Option.isSome(yield* client.block("latest")))
    })
  )

  it.effect("holds what accounts were given", () =>
    Effect.gen(function* () {
      const { client, memory } = yield* both
      yield* memory.setCode(emitter, "0x60")
      yield* memory.setBalance(emitter, 5n)
      yield* memory.setTransactionCount(emitter, 3n, 4n)
      assert.strictEqual(yield* client.code(emitter), "0x60")
      assert.strictEqual(yield* client.balance(emitter), 5n)
      assert.strictEqual(yield* client.transactionCount(emitter, "latest"), 3n)
      assert.strictEqual(yield* client.transactionCount(emitter, "pending"), 4n)
    })
  )
})
