/** One intent whose row cannot be decoded, in each reader of a queue: it is set aside, and the others continue. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import * as HeldIntents from "../../../../src/adapters/sql/orchestrator/HeldIntents.ts"
import { UnreadableIntents } from "../../../../src/adapters/sql/orchestrator/UnreadableIntents.ts"
import { HeldIntents as HeldIntentsPort } from "../../../../src/ports/orchestrator/HeldIntents.ts"
import { type Intent, Intents } from "../../../../src/ports/orchestrator/Intents.ts"
import { Alerts } from "../../../../src/ports/shared/Alerts.ts"
import { hash, newIntent, submission, submitted } from "../../../support/IntentFixtures.ts"
import { freshStores } from "../../../support/OrchestratorStores.ts"

const layer = Layer.mergeAll(HeldIntents.layer, UnreadableIntents.layer).pipe(Layer.provideMerge(freshStores))

const terms = (sql: PgClient.PgClient, id: string) =>
  sql`number = (SELECT number FROM orchestrator.intent_states WHERE id = ${id})`

/** Makes the stored quote of an intent unreadable. The database itself checks the fields that it has columns for. */
const poison = (id: string) =>
  Effect.flatMap(
    PgClient.PgClient,
    (sql) => sql`UPDATE orchestrator.intent_terms SET quote = quote - 'total' WHERE ${terms(sql, id)}`
  )

const mend = (id: string) =>
  Effect.flatMap(
    PgClient.PgClient,
    (sql) => sql`UPDATE orchestrator.intent_terms SET quote = quote || '{"total":"3"}' WHERE ${terms(sql, id)}`
  )

const alerts = Effect.flatMap(Alerts, ({ list }) => Effect.map(list, (standing) => standing.map(({ key }) => key)))

const recheck = Effect.flatMap(UnreadableIntents, (unreadable) => unreadable.recheck)

const ids = (intents: ReadonlyArray<Intent>) => intents.map(({ id }) => id).toSorted()

const claim = Effect.flatMap(Intents, (intents) =>
  Effect.map(intents.claim({ chainId: 1, worker: "w", leaseMillis: 1_000, limit: 10 }), ids)
)

/** Three intents of three owners; the second is poisoned after it was submitted. */
const three = Effect.gen(function* () {
  for (const [index, id] of ["a", "b", "c"].entries()) {
    yield* submitted({ id, owner: index + 1, destChainId: 2, builderId: "bld" })
  }
  yield* poison("b")
})

const settle = (id: string) =>
  Effect.flatMap(Intents, ({ applyAll }) =>
    applyAll([{ id, events: [{ _tag: "SettledAtSource", txHash: hash("settled") }] }])
  )

const setAside = Effect.map(alerts, (standing) => assert.deepStrictEqual(standing, ["intent_unreadable:b"]))

describe("an intent whose row cannot be read", () => {
  it.effect("is not claimed, also not again, until its row is mended", () =>
    Effect.gen(function* () {
      yield* three
      assert.deepStrictEqual(yield* claim, ["a", "c"])
      yield* setAside
      const [alert] = yield* (yield* Alerts).list
      assert.deepInclude(alert, { severity: "critical", kind: "intent_unreadable" })
      assert.strictEqual(alert?.details["intentId"], "b")

      const sql = yield* PgClient.PgClient
      const lease = sql<{
        lease_until: Date | null
      }>`SELECT lease_until FROM orchestrator.intent_queue WHERE intent_id = 'b'`
      assert.deepStrictEqual(yield* lease, [{ lease_until: null }])
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(yield* claim, ["a", "c"])
      assert.deepStrictEqual(yield* lease, [{ lease_until: null }])

      yield* recheck
      yield* setAside
      yield* mend("b")
      yield* recheck
      assert.deepStrictEqual(yield* alerts, [])
      assert.deepStrictEqual(yield* claim, ["b"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("is not claimed without its signatures either, and holds no other intent of the claim", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      for (const [index, id] of ["a", "b"].entries()) yield* submitted({ id, owner: index + 1 })
      const [lost] = yield* sql`DELETE FROM orchestrator.intent_signatures WHERE ${terms(sql, "a")} RETURNING *`
      assert.isDefined(lost)
      assert.deepStrictEqual(yield* claim, ["b"])
      assert.deepStrictEqual(yield* alerts, ["intent_unreadable:a"])
      yield* recheck
      assert.deepStrictEqual(yield* alerts, ["intent_unreadable:a"])
      yield* sql`INSERT INTO orchestrator.intent_signatures ${sql.insert(lost ?? {})}`
      yield* recheck
      assert.deepStrictEqual(yield* alerts, [])
      assert.deepStrictEqual(yield* claim, ["a"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("does not keep its owner's other intents waiting", () =>
    Effect.gen(function* () {
      yield* three
      yield* TestClock.adjust("1 second")
      yield* submitted({ id: "later", owner: 2 })
      assert.deepStrictEqual(yield* claim, ["a", "c"])
      assert.deepStrictEqual(yield* claim, ["later"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("is left out when overdue intents are read, and does not fill their page", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      yield* three
      yield* poison("a")
      // All are due at once, so a page of two has one or both of them.
      for (let page = 0; page < 2; page++) yield* intents.overdue(1, 2_000n, 2)
      assert.deepStrictEqual(ids(yield* intents.overdue(1, 2_000n, 2)), ["c"])
      assert.deepStrictEqual((yield* alerts).toSorted(), ["intent_unreadable:a", "intent_unreadable:b"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("is left out when intents are listed by status, and does not fill their page", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      yield* three
      yield* poison("a")
      assert.deepStrictEqual(yield* intents.inStatus(1, ["submitted"], 2), [])
      assert.deepStrictEqual(ids(yield* intents.inStatus(1, ["submitted"], 2)), ["c"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("is left out when intents are read by their ids", () =>
    Effect.gen(function* () {
      yield* three
      assert.deepStrictEqual(ids(yield* (yield* Intents).findAll(["a", "b", "c", "d"])), ["a", "c"])
      yield* setAside
    }).pipe(Effect.provide(layer))
  )

  it.effect("fails its own reader, not those who read at the same time", () =>
    Effect.gen(function* () {
      const { find } = yield* Intents
      yield* three
      const [a, b, c, d] = yield* Effect.all([find("a"), Effect.exit(find("b")), find("c"), find("d")], {
        concurrency: "unbounded"
      })
      assert.isTrue(Option.isSome(a) && Option.isSome(c) && Option.isNone(d))
      assert.isTrue(Exit.hasDies(b))
      yield* setAside
    }).pipe(Effect.provide(layer))
  )

  it.effect("fails its own submission, not those that are stored at the same time", () =>
    Effect.gen(function* () {
      const { create, submit } = yield* Intents
      for (const [index, id] of ["a", "b", "c"].entries()) yield* create(newIntent({ id, owner: index + 1 }))
      yield* poison("b")
      const outcomes = yield* Effect.forEach(["a", "b", "c"], (id) => Effect.exit(submit(id, submission())), {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(outcomes.map(Exit.isSuccess), [true, false, true])
      yield* setAside
    }).pipe(Effect.provide(layer))
  )

  it.effect("delays no other delivery, and is due again when its row is mended", () =>
    Effect.gen(function* () {
      const intents = yield* Intents
      yield* three
      for (const id of ["a", "b", "c"]) yield* settle(id)
      const due = Effect.map(intents.deliveriesDue(1, 2, 10), (found) => ids(found.map(({ intent }) => intent)))
      assert.deepStrictEqual(yield* due, ["a", "c"])
      yield* setAside
      // It is postponed, so it does not take a place in the next pages.
      assert.deepStrictEqual(ids((yield* intents.deliveriesDue(1, 2, 2)).map(({ intent }) => intent)), ["a", "c"])
      yield* mend("b")
      yield* recheck
      assert.deepStrictEqual(yield* due, ["a", "b", "c"])
      assert.deepStrictEqual(yield* alerts, [])
    }).pipe(Effect.provide(layer))
  )

  it.effect("is left out of the stuck intents, also when its quote lacks the number that the list computes with", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* three
      for (const id of ["a", "b", "c"]) yield* settle(id)
      yield* sql`
        UPDATE orchestrator.intent_terms SET quote = quote || '{"estimatedSeconds":"soon"}' WHERE ${terms(sql, "b")}`
      const { intents: stuck } = yield* (yield* HeldIntentsPort).stuck({ beforeMs: 60_000, limit: 10 })
      assert.deepStrictEqual(
        stuck.map(({ id }) => id),
        ["a", "c"]
      )
      yield* setAside
    }).pipe(Effect.provide(layer))
  )

  it.effect("leaves the states of others readable", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* three
      yield* sql`UPDATE orchestrator.intent_terms SET quote = quote - 'total', amount_in = NULL WHERE ${terms(sql, "b")}`
      assert.lengthOf(yield* (yield* Intents).states(["a", "b", "c"]), 3)
    }).pipe(Effect.provide(layer))
  )
})
