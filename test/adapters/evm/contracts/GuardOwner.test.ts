/** Transactions of the guard's owner on a scripted chain: at the next nonce, at fees that get through, and replacing a stuck one. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { keccak256, parseTransaction } from "viem"
import * as GuardOwner from "../../../../src/adapters/evm/contracts/GuardOwner.ts"
import * as RawKeys from "../../../../src/adapters/evm/keys/RawKeys.ts"
import * as MemoryChains from "../../../../src/adapters/memory/shared/Chains.ts"
import type { Hex } from "../../../../src/domain/Hex.ts"
import { RelayerKeys } from "../../../../src/ports/orchestrator/RelayerKeys.ts"
import { Chains, ChainUnavailable, SendRejected, type SendRefusal } from "../../../../src/ports/shared/Chains.ts"
import { source } from "../../../support/RelayFixtures.ts"

const CALM = { baseFeePerGas: 100n, maxFeePerGas: 202n, maxPriorityFeePerGas: 2n }
/** The base fee is above the operator's limit. */
const DEAR = { baseFeePerGas: 100n, maxFeePerGas: 50n, maxPriorityFeePerGas: 2n }

const world = Layer.mergeAll(MemoryChains.layer([source]), RawKeys.layer([Redacted.make<Hex>(`0x${"01".repeat(32)}`)]))

/** The first transaction of the owner is mined, and the two after it are pending. */
const scene = Effect.gen(function* () {
  const chain = yield* (yield* MemoryChains.MemoryChains).get(source.id)
  const client = yield* (yield* Chains).get(source.id)
  const [owner = assert.fail("no key")] = (yield* RelayerKeys).lanes(source.id)
  yield* chain.setTransactionCount(owner, 1n, 3n)
  yield* chain.setFees(CALM)
  const rejects = (reason: SendRefusal) =>
    Effect.fail(new SendRejected({ chainId: source.id, reason, detail: "made to fail" }))
  /** One endpoint refuses, and another does not answer. */
  const doubts = (refusal: SendRefusal) =>
    Effect.fail(new ChainUnavailable({ chainId: source.id, method: "send", detail: "made to fail", refusal }))
  const mines = (raw: Hex) => Effect.as(chain.mine([{ hash: keccak256(raw) }]), keccak256(raw))
  yield* chain.onSend(mines)
  const transactions = Effect.map(chain.sent, (all) =>
    all.map((raw) => {
      const { maxFeePerGas = 0n, maxPriorityFeePerGas: tip = 0n, nonce } = parseTransaction(raw)
      return { nonce, maxFeePerGas, tip }
    })
  )
  return { chain, client, owner, doubts, rejects, mines, transactions }
})

describe("a transaction of the guard's owner", () => {
  it.effect("takes the nonce after the pending ones, and tells its fee", () =>
    Effect.gen(function* () {
      const { chain, client, owner, transactions } = yield* scene
      const done = yield* GuardOwner.send(client, owner, "0x01", "ordinary")
      assert.deepStrictEqual(yield* transactions, [{ nonce: 3, maxFeePerGas: 202n, tip: 2n }])
      const [raw = assert.fail()] = yield* chain.sent
      assert.deepStrictEqual(done, { hash: keccak256(raw), fee: 21_000n * CALM.baseFeePerGas })
    }).pipe(Effect.provide(world))
  )

  it.effect("is not sent while the base fee is above the chain's limit, unless it is an emergency", () =>
    Effect.gen(function* () {
      const { chain, client, owner, transactions } = yield* scene
      yield* chain.setFees(DEAR)
      const { message } = yield* Effect.flip(GuardOwner.send(client, owner, "0x01", "ordinary"))
      assert.include(message, "the base fee is 100 wei per gas, above the limit of 50")
      assert.include(message, "maxFeePerGasWei")
      assert.lengthOf(yield* chain.sent, 0)
      yield* GuardOwner.send(client, owner, "0x01", "emergency")
      assert.deepStrictEqual(yield* transactions, [{ nonce: 1, maxFeePerGas: 202n, tip: 2n }])
    }).pipe(Effect.provide(world))
  )

  it.effect("replaces a pending transaction with fees that are raised until the node accepts them", () =>
    Effect.gen(function* () {
      const { chain, client, mines, owner, rejects, transactions } = yield* scene
      yield* chain.onSend((raw) =>
        (parseTransaction(raw).maxPriorityFeePerGas ?? 0n) < 250n ? rejects("ReplacementUnderpriced") : mines(raw)
      )
      const { hash } = yield* GuardOwner.send(client, owner, "0x01", "emergency")
      assert.deepStrictEqual(yield* transactions, [
        { nonce: 1, maxFeePerGas: 202n, tip: 2n },
        { nonce: 1, maxFeePerGas: 228n, tip: 228n },
        { nonce: 1, maxFeePerGas: 257n, tip: 257n }
      ])
      assert.strictEqual(hash, keccak256((yield* chain.sent).at(-1) ?? "0x"))
    }).pipe(Effect.provide(world))
  )

  it.effect("ends if the pending transaction pays more than four times the market's fees", () =>
    Effect.gen(function* () {
      const { chain, client, owner, rejects, transactions } = yield* scene
      yield* chain.onSend(() => rejects("ReplacementUnderpriced"))
      const { message } = yield* Effect.flip(GuardOwner.send(client, owner, "0x01", "emergency"))
      assert.match(message, /another transaction of 0x\w+ with nonce 1 is pending/)
      assert.isTrue((yield* transactions).every(({ maxFeePerGas }) => maxFeePerGas <= 4n * 202n))
    }).pipe(Effect.provide(world))
  )

  it.effect("takes the nonce after a transaction that is mined meanwhile", () =>
    Effect.gen(function* () {
      const { chain, client, mines, owner, rejects, transactions } = yield* scene
      yield* chain.onSend((raw) =>
        parseTransaction(raw).nonce === 1
          ? Effect.andThen(chain.setTransactionCount(owner, 2n, 3n), rejects("NonceTooLow"))
          : mines(raw)
      )
      const running = yield* Effect.forkChild(GuardOwner.send(client, owner, "0x01", "emergency"))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(running)
      assert.deepStrictEqual(
        (yield* transactions).map(({ nonce }) => nonce),
        [1, 2]
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("is sent again if another transaction takes its nonce after the node has accepted it", () =>
    Effect.gen(function* () {
      const { chain, client, mines, owner, transactions } = yield* scene
      yield* chain.onSend((raw) =>
        parseTransaction(raw).nonce === 3 ? Effect.as(chain.setTransactionCount(owner, 4n), keccak256(raw)) : mines(raw)
      )
      const running = yield* Effect.forkChild(GuardOwner.send(client, owner, "0x01", "ordinary"))
      yield* TestClock.adjust("11 seconds")
      yield* Fiber.join(running)
      assert.deepStrictEqual(
        (yield* transactions).map(({ nonce }) => nonce),
        [3, 4]
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("says that the command can be repeated if it is not mined in three minutes", () =>
    Effect.gen(function* () {
      const { chain, client, owner } = yield* scene
      yield* chain.onSend((raw) => Effect.succeed(keccak256(raw)))
      const running = yield* Effect.forkChild(Effect.flip(GuardOwner.send(client, owner, "0x01", "emergency")))
      yield* TestClock.adjust("3 minutes")
      const { message } = yield* Fiber.join(running)
      assert.match(message, /transaction 0x\w{64} is not mined yet\. Run the command again/)
    }).pipe(Effect.provide(world))
  )

  it.effect("replaces nothing unless it is an emergency, also if the node that tells the nonce is behind", () =>
    Effect.gen(function* () {
      const { chain, client, mines, owner, rejects, transactions } = yield* scene
      yield* chain.onSend((raw) =>
        parseTransaction(raw).nonce === 3
          ? Effect.andThen(chain.setTransactionCount(owner, 1n, 4n), rejects("ReplacementUnderpriced"))
          : mines(raw)
      )
      const running = yield* Effect.forkChild(GuardOwner.send(client, owner, "0x01", "ordinary"))
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(running)
      assert.deepStrictEqual(yield* transactions, [
        { nonce: 3, maxFeePerGas: 202n, tip: 2n },
        { nonce: 4, maxFeePerGas: 202n, tip: 2n }
      ])
    }).pipe(Effect.provide(world))
  )

  it.effect("says that it waits behind others if it is not mined, and does not ask to be repeated", () =>
    Effect.gen(function* () {
      const { chain, client, owner } = yield* scene
      yield* chain.onSend((raw) => Effect.succeed(keccak256(raw)))
      const running = yield* Effect.forkChild(Effect.flip(GuardOwner.send(client, owner, "0x01", "ordinary")))
      yield* TestClock.adjust("3 minutes")
      const { message } = yield* Fiber.join(running)
      assert.match(message, /transaction 0x\w{64} is not mined yet\. Wait until it is mined/)
      assert.notInclude(message, "Run the command again")
    }).pipe(Effect.provide(world))
  )

  it.effect("finds a version that one node took while another refused it", () =>
    Effect.gen(function* () {
      const { chain, client, doubts, mines, owner, rejects } = yield* scene
      yield* chain.onSend((raw) =>
        (parseTransaction(raw).maxPriorityFeePerGas ?? 0n) === 2n
          ? Effect.andThen(mines(raw), doubts("ReplacementUnderpriced"))
          : Effect.andThen(chain.setTransactionCount(owner, 2n, 3n), rejects("NonceTooLow"))
      )
      const running = yield* Effect.forkChild(GuardOwner.send(client, owner, "0x01", "emergency"))
      yield* TestClock.adjust("10 seconds")
      const { hash } = yield* Fiber.join(running)
      const sent = yield* chain.sent
      assert.lengthOf(sent, 2)
      assert.strictEqual(hash, keccak256(sent[0] ?? "0x"))
    }).pipe(Effect.provide(world))
  )

  it.effect("is done if one of two mined versions succeeded", () =>
    Effect.gen(function* () {
      const { chain, client, owner } = yield* scene
      const raws: Array<Hex> = []
      yield* chain.onSend((raw) =>
        Effect.gen(function* () {
          raws.push(raw)
          if (parseTransaction(raw).nonce === 1)
            return yield* Effect.as(chain.setTransactionCount(owner, 2n, 3n), keccak256(raw))
          // The receipt of the first comes late, together with that of the second.
          yield* chain.mine([{ hash: keccak256(raws[0] ?? "0x") }, { hash: keccak256(raw), status: "reverted" }])
          return keccak256(raw)
        })
      )
      const running = yield* Effect.forkChild(GuardOwner.send(client, owner, "0x01", "emergency"))
      yield* TestClock.adjust("11 seconds")
      const { hash } = yield* Fiber.join(running)
      assert.lengthOf(raws, 2)
      assert.strictEqual(hash, keccak256(raws[0] ?? "0x"))
    }).pipe(Effect.provide(world))
  )
})
