/** Lanes whose transactions wait for nonces that no transaction has. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { LaneBook } from "../../../src/ports/orchestrator/LaneBook.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { source, sweptLog } from "../../support/RelayFixtures.ts"
import { layer, layerOnNodes, scene } from "../../support/RelayScene.ts"
import { relay, sentSweep, tick } from "../../support/SentSweep.ts"

const wait = (millis: number) => Effect.andThen(TestClock.adjust(millis), tick)

describe("a transaction that ended because an endpoint showed its nonce as used", () => {
  it.effect("has its nonce used by a self-send, which is booked, and those behind it are mined", () => {
    let isLying = false
    const nodes = layerOnNodes((client) => ({
      ...client,
      transactionCount: (lane, block) => (isLying ? Effect.succeed(1n) : client.transactionCount(lane, block))
    }))
    return Effect.gen(function* () {
      const { bury, chain, lane, mineLane, sent, submit, unfinished } = yield* sentSweep()
      const store = yield* RelayTransactions
      const order = yield* submit({ id: "b", owner: 2 })
      yield* relay
      yield* bury(2)
      isLying = true
      yield* Effect.repeat(wait(20_000), { times: 5 })
      assert.deepStrictEqual(
        (yield* unfinished).map(({ nonce }) => nonce),
        [1n]
      )
      isLying = false
      yield* wait(15_000)
      const filled = (yield* sent).at(-1)
      assert.deepInclude(filled, { nonce: 0n, to: lane, data: "0x" })
      const [ended] = yield* store.displaced(source.id, 0)
      assert.lengthOf(ended?.hashes ?? [], 2)

      yield* mineLane({ hash: ended?.hashes[1] ?? "0x" })
      const [behind] = yield* unfinished
      yield* mineLane({ hash: behind?.attempts.at(-1)?.hash ?? "0x", logs: [sweptLog(order)] }, 1n)
      yield* bury(3)
      yield* chain.mine()
      yield* wait(15_000)
      assert.deepStrictEqual(yield* unfinished, [])
      assert.deepStrictEqual(yield* store.displaced(source.id, 0), [])
    }).pipe(Effect.provide(nodes))
  })

  it.effect("is booked although it ended days ago", () =>
    Effect.gen(function* () {
      const { bury, chain, mineLane, submit, transaction } = yield* sentSweep()
      const store = yield* RelayTransactions
      yield* submit({ id: "b", owner: 2 })
      yield* relay
      yield* bury(2)
      yield* store.finalize([{ id: transaction.id }])
      yield* TestClock.adjust("3 days")
      yield* tick
      const spent = store.spending(source.id, 0)
      const [ended] = yield* store.displaced(source.id, 0)
      assert.lengthOf(ended?.hashes ?? [], 2)
      yield* mineLane({ hash: ended?.hashes[1] ?? "0x" })
      const before = yield* spent
      yield* bury(3)
      yield* chain.mine()
      yield* wait(15_000)
      assert.deepStrictEqual(yield* store.displaced(source.id, 0), [])
      assert.isTrue((yield* spent) > before)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is replaced by self-sends that pay more and more, and no more than the loss budget", () =>
    Effect.gen(function* () {
      const { bury, chain, client, sent, submit, transaction } = yield* sentSweep()
      yield* submit({ id: "b", owner: 2 })
      yield* relay
      yield* bury(2)
      yield* (yield* RelayTransactions).finalize([{ id: transaction.id }])
      const fees = Effect.map(sent, (all) =>
        all.filter(({ data, nonce }) => nonce === 0n && data === "0x").map(({ maxFeePerGas }) => maxFeePerGas)
      )
      yield* wait(15_000)
      yield* wait(15_000)
      const [first = 0n, second] = yield* fees
      assert.strictEqual(first, second)
      yield* wait(45_000)
      assert.isTrue(((yield* fees).at(-1) ?? 0n) > first)

      const { length } = yield* fees
      const market = yield* client.feesPerGas
      const dear = 10n ** 18n
      yield* chain.setFees({ ...market, baseFeePerGas: dear, maxFeePerGas: 3n * dear })
      yield* chain.mine()
      yield* wait(45_000)
      assert.isTrue((yield* fees).slice(length).every((fee) => fee < dear))
    }).pipe(Effect.provide(layer))
  )
})

/** A sweep that is sent with the nonce that an endpoint names, while the lane's transaction count is 0. */
const sentBehind = Effect.fnUntraced(function* (nonce: bigint) {
  const the = yield* scene
  yield* the.chain.setTransactionCount(the.lane, nonce)
  const order = yield* the.submit({ id: "a" })
  yield* relay
  yield* the.chain.setTransactionCount(the.lane, 0n)
  yield* the.bury(2)
  const nonces = Effect.map(the.unfinished, (all) => all.map((each) => each.nonce))
  assert.deepStrictEqual(yield* nonces, [nonce])
  return { ...the, nonces, order }
})

describe("a transaction with a nonce that is too high", () => {
  it.effect("is mined once self-sends have used the nonces below it", () =>
    Effect.gen(function* () {
      const { bury, chain, intent, lane, mineLane, nonces, order, unfinished } = yield* sentBehind(3n)
      yield* wait(15_000)
      assert.deepStrictEqual(yield* nonces, [0n, 1n, 2n, 3n])
      const all = yield* unfinished
      assert.deepStrictEqual(
        all.map(({ kind }) => kind),
        ["cancel", "cancel", "cancel", "sweep"]
      )
      yield* wait(15_000)
      assert.deepStrictEqual(yield* nonces, [0n, 1n, 2n, 3n])

      yield* chain.mine(all.slice(0, 3).map(({ attempts }) => ({ hash: attempts.at(-1)?.hash ?? "0x" })))
      yield* chain.setTransactionCount(lane, 3n)
      yield* mineLane({ hash: all[3]?.attempts[0]?.hash ?? "0x", logs: [sweptLog(order)] }, 3n)
      yield* bury(2)
      yield* tick
      assert.deepStrictEqual(yield* unfinished, [])
      assert.notStrictEqual((yield* intent("a")).status, "submitted")
    }).pipe(Effect.provide(layer))
  )

  it.effect("is given up if it is far too high, and its sweep is sent with the lane's true nonce", () =>
    Effect.gen(function* () {
      const { nonces } = yield* sentBehind(1_000n)
      yield* wait(15_000)
      assert.deepStrictEqual(yield* nonces, [1_000n])
      yield* wait(45_000)
      assert.deepStrictEqual(yield* nonces, [])
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
      assert.deepStrictEqual(yield* nonces, [0n])
    }).pipe(Effect.provide(layer))
  )

  it.effect("is given up also after its deadline, while no self-send in its place is covered", () =>
    Effect.gen(function* () {
      const { chain, client, nonces, passDeadline } = yield* sentBehind(1_000n)
      const market = yield* client.feesPerGas
      const dear = 10n ** 18n
      yield* chain.setFees({ ...market, baseFeePerGas: dear, maxFeePerGas: 3n * dear })
      yield* passDeadline
      yield* wait(45_000)
      assert.deepStrictEqual(yield* nonces, [1_000n])
      yield* wait(15_000)
      assert.deepStrictEqual(yield* nonces, [])
    }).pipe(Effect.provide(layer))
  )

  it.effect("is booked if the high nonce was true after all", () =>
    Effect.gen(function* () {
      const { bury, intent, mineLane, nonces, order, sent } = yield* sentBehind(1_000n)
      yield* wait(15_000)
      yield* wait(45_000)
      assert.deepStrictEqual(yield* nonces, [])
      const [first] = yield* (yield* RelayTransactions).displaced(source.id, 0)
      yield* mineLane({ hash: first?.hashes[0] ?? "0x", logs: [sweptLog(order)] }, 1_000n)
      yield* bury(3)
      yield* wait(15_000)
      assert.deepStrictEqual(yield* (yield* RelayTransactions).displaced(source.id, 0), [])
      assert.isTrue((yield* sent).every(({ nonce }) => nonce === 1_000n))
      assert.isDefined(yield* intent("a"))
    }).pipe(Effect.provide(layer))
  )

  it.effect("is given up if its lane takes no transactions any more", () =>
    Effect.gen(function* () {
      const { lane, nonces } = yield* sentBehind(3n)
      yield* (yield* LaneBook).move(lane, "active", "draining", {
        actor: "admin-token",
        action: "lane.drain",
        subject: lane,
        details: {}
      })
      yield* wait(15_000)
      assert.deepStrictEqual(yield* nonces, [3n])
      yield* wait(45_000)
      assert.deepStrictEqual(yield* nonces, [])
    }).pipe(Effect.provide(layer))
  )

  it.effect("waits while two endpoints name different transaction counts", () => {
    let differ = false
    const difference = new ChainUnavailable({ chainId: source.id, method: "two endpoints", detail: "a and b differ" })
    const nodes = layerOnNodes((client) => ({
      ...client,
      corroborated: (read) => (differ ? Effect.fail(difference) : client.corroborated(read))
    }))
    return Effect.gen(function* () {
      const { nonces } = yield* sentBehind(1_000n)
      differ = true
      yield* Effect.repeat(wait(20_000), { times: 5 })
      assert.deepStrictEqual(yield* nonces, [1_000n])
      differ = false
      yield* wait(20_000)
      assert.deepStrictEqual(yield* nonces, [])
    }).pipe(Effect.provide(nodes))
  })

  it.effect("tells the height of the block whose transaction count two endpoints compare", () => {
    const heights: Array<bigint | undefined> = []
    const nodes = layerOnNodes((client) => ({
      ...client,
      corroborated: (read, comparison) =>
        Effect.tap(client.corroborated(read, comparison), (answer) =>
          Effect.sync(() => {
            if (typeof answer === "bigint") heights.push(comparison?.blockOf?.(answer))
          })
        )
    }))
    return Effect.gen(function* () {
      const { chain } = yield* sentBehind(1_000n)
      const { number } = yield* chain.mine()
      heights.length = 0
      yield* wait(20_000)
      assert.include(heights, number)
    }).pipe(Effect.provide(nodes))
  })
})
