/** Lanes on their way out of use: drained, retired and emptied. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { parseTransaction } from "viem"
import * as RawKeys from "../../../src/adapters/evm/keys/RawKeys.ts"
import * as SweepContracts from "../../../src/adapters/evm/contracts/SweepContracts.ts"
import * as Intents from "../../../src/adapters/memory/orchestrator/Intents.ts"
import * as LaneBookInMemory from "../../../src/adapters/memory/orchestrator/LaneBook.ts"
import * as RelayTransactionsInMemory from "../../../src/adapters/memory/orchestrator/RelayTransactions.ts"
import * as Alerts from "../../../src/adapters/memory/shared/Alerts.ts"
import * as MemoryChains from "../../../src/adapters/memory/shared/Chains.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { LaneDesk } from "../../../src/orchestrator/operate/LaneDesk.ts"
import * as Lanes from "../../../src/orchestrator/relay/Lanes.ts"
import { OrchestratorSettings } from "../../../src/orchestrator/shared/OrchestratorSettings.ts"
import { StandingAlerts } from "../../../src/orchestrator/shared/StandingAlerts.ts"
import { LaneBook } from "../../../src/ports/orchestrator/LaneBook.ts"
import { RelayerKeys } from "../../../src/ports/orchestrator/RelayerKeys.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { Alerts as AlertsPort } from "../../../src/ports/shared/Alerts.ts"
import { Chains } from "../../../src/ports/shared/Chains.ts"
import { attempt } from "../../support/IntentFixtures.ts"
import { source } from "../../support/RelayFixtures.ts"
import { settings } from "../../support/RelayScene.ts"

const RECIPIENT = Address.of(`0x${"99".repeat(20)}`)
const STRANGER = Address.of(`0x${"98".repeat(20)}`)
const CHANGE = { actor: "admin-token", reason: "new key" }
const FEES = { baseFeePerGas: 1_000n, maxFeePerGas: 2_000n, maxPriorityFeePerGas: 1n }

/** Gas of a transfer with the margin of a fifth. */
const TRANSFER_GAS = 25_200n

const keys = ([1, 2] as const).map((byte) => Redacted.make<Hex>(`0x${`0${byte}`.repeat(32)}`))
const [first = assert.fail("no key"), second = assert.fail("no key")] = keys

/** A book whose changes wait for what others do at the same moment, as a database's do. */
const unhurried = Layer.effect(
  LaneBook,
  Effect.map(LaneBook, (book) => ({
    ...book,
    move: (...change: Parameters<typeof book.move>) => Effect.andThen(Effect.yieldNow, book.move(...change))
  }))
).pipe(Layer.provide(LaneBookInMemory.layer))

const world = Layer.mergeAll(
  MemoryChains.layer([source]),
  Intents.layer,
  unhurried,
  RelayTransactionsInMemory.layer,
  Alerts.layer,
  RawKeys.layer([first, second]),
  SweepContracts.layer,
  OrchestratorSettings.layer({
    ...settings,
    relayer: { ...settings.relayer, minLaneBalance: 1n, laneRestRecipients: [RECIPIENT] }
  })
)

const layer = LaneDesk.layer.pipe(Layer.provideMerge(world))

const scene = Effect.gen(function* () {
  const [lane, other] = (yield* RelayerKeys).lanes(source.id)
  const chain = yield* (yield* MemoryChains.MemoryChains).get(source.id)
  if (lane === undefined || other === undefined) return yield* Effect.die("two lanes are missing")
  for (const each of [lane, other]) yield* chain.setBalance(each, 10n ** 18n)
  yield* chain.setFees(FEES)
  yield* chain.onCall(() => Effect.succeed("0x"))
  yield* chain.mine()
  return { chain, lane, other, desk: yield* LaneDesk, client: yield* (yield* Chains).get(source.id) }
})

const reasonOf = <A>(effect: Effect.Effect<A, { readonly _tag: string }>) =>
  Effect.map(Effect.flip(effect), (error) => ("reason" in error ? error.reason : error._tag))

const retired = Effect.gen(function* () {
  const given = yield* scene
  yield* given.desk.move(given.lane, "draining", CHANGE)
  yield* TestClock.adjust("1 minute")
  yield* given.desk.move(given.lane, "retired", CHANGE)
  return given
})

describe("a lane", () => {
  it.effect("stays in use if another operator drains the last other one at the same moment", () =>
    Effect.gen(function* () {
      const { desk, lane, other } = yield* scene
      const drain = (each: Address.Address) => Effect.result(desk.move(each, "draining", CHANGE))
      const outcomes = yield* Effect.all([drain(lane), drain(other)], { concurrency: "unbounded" })
      const refused = outcomes.flatMap((outcome) => (outcome._tag === "Failure" ? [outcome.failure] : []))
      assert.deepStrictEqual(
        refused.map((failure) => ("reason" in failure ? failure.reason : failure._tag)),
        ["last_lane"]
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("is drained once if two operators drain it at the same moment, and neither is refused", () =>
    Effect.gen(function* () {
      const { desk, lane } = yield* scene
      const drain = desk.move(lane, "draining", CHANGE)
      const views = yield* Effect.all([drain, drain], { concurrency: "unbounded" })
      assert.deepStrictEqual(
        views.map(({ state }) => state),
        ["draining", "draining"]
      )
      assert.lengthOf(yield* Effect.flatMap(LaneBook, (book) => book.log(9)), 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is drained, retired and used again, each change once in the record", () =>
    Effect.gen(function* () {
      const { desk, lane, other } = yield* scene
      assert.strictEqual(yield* reasonOf(desk.move(lane, "retired", CHANGE)), "not_draining")
      assert.deepInclude(yield* desk.move(lane, "draining", CHANGE), { address: lane, state: "draining", hasKey: true })
      yield* desk.move(lane, "draining", CHANGE)
      assert.strictEqual(yield* reasonOf(desk.move(other, "draining", CHANGE)), "last_lane")
      assert.strictEqual(yield* reasonOf(desk.move(lane, "retired", CHANGE)), "draining_recently")
      yield* TestClock.adjust("1 minute")
      yield* desk.move(lane, "retired", CHANGE)
      yield* desk.move(lane, "active", CHANGE)
      assert.strictEqual(yield* reasonOf(desk.move(STRANGER, "draining", CHANGE)), "UnknownLane")
      assert.deepStrictEqual(
        (yield* desk.log).map(({ action }) => action),
        ["lane.active", "lane.retired", "lane.draining"]
      )
      assert.deepStrictEqual(
        (yield* desk.list).map(({ address, state }) => [address, state]),
        [
          [lane, "active"],
          [other, "active"]
        ]
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("is not retired while a transaction is in flight, and leaves no alerts", () =>
    Effect.gen(function* () {
      const { desk, lane } = yield* scene
      const alerts = yield* AlertsPort
      const transactions = yield* RelayTransactions
      const kinds = ["gas_price", "lane_delegated", "lane_low", "signing_failed", "transaction_rejected"] as const
      for (const kind of kinds) {
        const key = `${kind}:${source.id}:${lane}`
        yield* alerts.raise({ key, severity: "critical", kind, message: "", details: {} })
      }
      const { id } = yield* transactions.allocate({
        chainId: source.id,
        lane,
        chainNonce: 0n,
        intentIds: [],
        sign: () => Effect.succeed(attempt("a"))
      })
      yield* desk.move(lane, "draining", CHANGE)
      // Those of the transaction in flight would be raised again.
      assert.sameMembers(
        (yield* alerts.list).map(({ kind }) => kind),
        ["gas_price", "transaction_rejected"]
      )
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* reasonOf(desk.move(lane, "retired", CHANGE)), "in_flight")
      yield* transactions.finalize([{ id }])
      assert.strictEqual((yield* desk.move(lane, "retired", CHANGE)).state, "retired")
      assert.lengthOf(yield* alerts.list, 0)
    }).pipe(Effect.provide(layer))
  )

  it.effect("gets no batches within two seconds of its draining, nor while its signer is left alone", () =>
    Effect.gen(function* () {
      const { client, desk, lane, other } = yield* scene
      const answering = { value: true }
      const usable = yield* Lanes.make.pipe(
        Effect.provide(StandingAlerts.layer),
        Effect.updateService(RelayerKeys, (own) => ({
          ...own,
          isAnswering: (each) => Effect.sync(() => each !== other || answering.value)
        }))
      )
      const addresses = Effect.map(usable(client), (lanes) => lanes.map(({ address }) => address))
      assert.deepStrictEqual(yield* addresses, [lane, other])
      yield* desk.move(lane, "draining", CHANGE)
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(yield* addresses, [other])
      answering.value = false
      assert.deepStrictEqual(yield* addresses, [])
    }).pipe(Effect.provide(layer))
  )
})

describe("the rest of a lane", () => {
  it.effect("goes to another lane by one transaction, however often it is asked for", () =>
    Effect.gen(function* () {
      const { chain, desk, lane, other } = yield* retired
      const wanted = { chainId: source.id, recipient: other }
      const amount = 10n ** 18n - TRANSFER_GAS * FEES.maxFeePerGas
      const moved = yield* desk.empty(lane, wanted, CHANGE)
      assert.deepInclude(moved, { lane, chainId: source.id, recipient: other, amount })
      yield* chain.setFees({ ...FEES, maxFeePerGas: 9_000n })
      assert.deepStrictEqual(yield* desk.empty(lane, wanted, CHANGE), moved)
      const [raw, again, ...more] = yield* chain.sent
      assert.strictEqual(raw, again)
      assert.lengthOf(more, 0)
      const { gas, to, value } = parseTransaction(raw ?? "0x")
      assert.deepStrictEqual({ gas, to: Address.of(to ?? ""), value }, { gas: TRANSFER_GAS, to: other, value: amount })
      const [record] = yield* desk.log
      assert.deepInclude(record, { action: "lane.empty", subject: lane })
      assert.lengthOf(
        (yield* (yield* LaneBook).log(10)).filter(({ action }) => action === "lane.empty"),
        1
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("goes nowhere else once a transfer is signed, until that one is mined", () =>
    Effect.gen(function* () {
      const { chain, desk, lane, other } = yield* retired
      const to = (recipient: Address.Address) => desk.empty(lane, { chainId: source.id, recipient }, CHANGE)
      yield* to(other)
      assert.strictEqual(yield* reasonOf(to(RECIPIENT)), "recipient_not_allowed")
      assert.lengthOf(yield* chain.sent, 1)
      yield* chain.setTransactionCount(lane, 1n)
      assert.strictEqual((yield* to(RECIPIENT)).recipient, RECIPIENT)
    }).pipe(Effect.provide(layer))
  )

  it.effect("keeps its nonce: the lane is used again only when the transfer is mined", () =>
    Effect.gen(function* () {
      const { chain, desk, lane, other } = yield* retired
      yield* chain.setTransactionCount(lane, 4n)
      yield* desk.empty(lane, { chainId: source.id, recipient: other }, CHANGE)
      const activate = (from?: "draining") =>
        Effect.andThen(
          from === undefined ? Effect.void : desk.move(lane, from, CHANGE),
          desk.move(lane, "active", CHANGE)
        )
      assert.strictEqual(yield* reasonOf(activate()), "in_flight")
      assert.strictEqual(yield* reasonOf(activate("draining")), "in_flight")
      // A node behind the others may not know the newest transactions of the lane.
      yield* chain.setTransactionCount(lane, 3n)
      assert.strictEqual(yield* reasonOf(activate()), "in_flight")
      yield* chain.setTransactionCount(lane, 5n)
      yield* chain.fail("transactionCount")
      assert.strictEqual(yield* reasonOf(activate()), "in_flight")
      yield* chain.fail()
      assert.strictEqual((yield* activate()).state, "active")
    }).pipe(Effect.provide(layer))
  )

  it.effect("stays where it is without a retired lane, an allowed recipient, or enough for the transfer", () =>
    Effect.gen(function* () {
      const { chain, desk, lane, other } = yield* retired
      const to = (recipient: Address.Address) => ({ chainId: source.id, recipient })
      assert.strictEqual(yield* reasonOf(desk.empty(other, to(lane), CHANGE)), "not_retired")
      assert.strictEqual(yield* reasonOf(desk.empty(lane, to(STRANGER), CHANGE)), "recipient_not_allowed")
      assert.strictEqual(yield* reasonOf(desk.empty(lane, to(lane), CHANGE)), "recipient_not_allowed")
      yield* chain.setBalance(lane, TRANSFER_GAS * FEES.maxFeePerGas)
      assert.strictEqual(yield* reasonOf(desk.empty(lane, to(RECIPIENT), CHANGE)), "nothing_to_move")
      assert.lengthOf(yield* chain.sent, 0)
      yield* chain.setBalance(lane, TRANSFER_GAS * FEES.maxFeePerGas + 1n)
      assert.strictEqual((yield* desk.empty(lane, to(RECIPIENT), CHANGE)).amount, 1n)
    }).pipe(Effect.provide(layer))
  )
})
