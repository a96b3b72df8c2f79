/** Lanes on their way out of use: drained and retired. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type * as Address from "../../../src/domain/Address.ts"
import * as Lanes from "../../../src/orchestrator/relay/Lanes.ts"
import { RenewedAlerts } from "../../../src/orchestrator/shared/RenewedAlerts.ts"
import * as LaneAlerts from "../../../src/orchestrator/shared/LaneAlerts.ts"
import { StandingAlerts } from "../../../src/orchestrator/shared/StandingAlerts.ts"
import { LaneBook } from "../../../src/ports/orchestrator/LaneBook.ts"
import { RelayerKeys } from "../../../src/ports/orchestrator/RelayerKeys.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { Alerts as AlertsPort } from "../../../src/ports/shared/Alerts.ts"
import { attempt } from "../../support/IntentFixtures.ts"
import { source } from "../../support/RelayFixtures.ts"
import { CHANGE, STRANGER, layer, reasonOf, scene } from "./LaneScene.ts"

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
      const kinds = [
        "gas_price",
        "lane_delegated",
        "lane_low",
        "nonce_doubted",
        "signing_failed",
        "transaction_rejected"
      ] as const
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

  it.effect.each(["draining", "retired"] as const)("has no alert of a shortage when it is %s", (state) =>
    Effect.gen(function* () {
      const { desk, lane } = yield* scene
      const alerts = yield* AlertsPort
      if (state === "retired") {
        yield* desk.move(lane, "draining", CHANGE)
        yield* TestClock.adjust("1 minute")
      }
      yield* alerts.raise(LaneAlerts.laneShort(source, lane, { balance: 1n, needed: 2n, atMs: 0 }))
      yield* desk.move(lane, state, CHANGE)
      assert.lengthOf(yield* alerts.list, 0)
    }).pipe(Effect.provide(layer))
  )

  it.effect("gets no batches within two seconds of its draining, nor while its signer is left alone", () =>
    Effect.gen(function* () {
      const { client, desk, lane, other } = yield* scene
      const answering = { value: true }
      const usable = yield* Lanes.make.pipe(
        Effect.provide([StandingAlerts.layer, RenewedAlerts.layerOnDemand]),
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
