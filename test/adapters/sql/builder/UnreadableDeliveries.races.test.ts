/** Deliveries that replicas set aside and free at the same time: none stays set aside without an alert. */
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Redacted, Schedule } from "effect"
import { Webhooks } from "../../../../src/ports/builder/Webhooks.ts"
import { register } from "../../../support/BuilderFixtures.ts"
import { withLiveClock } from "../../../support/LiveClock.ts"
import { claim, layer, recheck, standing } from "./unreadableScene.ts"

const ASIDE = new Date(48 * 3_600_000)

/** Two messages to one endpoint. */
const two = Effect.gen(function* () {
  yield* register
  const webhooks = yield* Webhooks
  yield* webhooks.create(
    { id: "one", builderId: "alpha", url: "https://one.example.com", description: "", events: [], createdAtMs: 0 },
    Redacted.make("whsec_one"),
    10
  )
  for (const id of ["a", "b"]) yield* webhooks.publish("alpha", { id, type: "sweep.submitted", payload: "{}" })
  return yield* PgClient.PgClient
})

const lock = (sql: PgClient.PgClient) =>
  sql`UPDATE builder.webhook_endpoints SET secret = NULL, secret_sealed = 'v1.00.lost.key'`

const unlock = (sql: PgClient.PgClient) =>
  sql`UPDATE builder.webhook_endpoints SET secret = 'whsec_one', secret_sealed = NULL`

const setType = (sql: PgClient.PgClient, type: string) =>
  sql`UPDATE builder.webhook_deliveries SET type = ${type} WHERE message_id = 'a'`

const setDue = (sql: PgClient.PgClient, message: string, at: Date) =>
  sql`UPDATE builder.webhook_deliveries SET due_at = ${at}, lease_until = NULL WHERE message_id = ${message}`

/** Makes the database refuse to change a column. */
const refuse = (sql: PgClient.PgClient, table: string, column: string) =>
  Effect.andThen(
    sql`CREATE FUNCTION builder.refuse_it() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'refused'; END $$`,
    sql`CREATE TRIGGER refuses BEFORE UPDATE OF ${sql(column)} ON ${sql(`builder.${table}`)}
      FOR EACH ROW EXECUTE FUNCTION builder.refuse_it()`
  )

/** Runs an effect that has to wait for the first statement of another replica's transaction, which then runs its second one. */
const during = <E1, E2, E3, R1, R2, R3>(
  first: Effect.Effect<unknown, E1, R1>,
  second: Effect.Effect<unknown, E2, R2>,
  effect: Effect.Effect<unknown, E3, R3>
) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const began = yield* Deferred.make<void>()
    const isAwaited = yield* Deferred.make<void>()
    const steps = [first, Deferred.succeed(began, undefined), Deferred.await(isAwaited), second]
    const replica = yield* Effect.forkChild(sql.withTransaction(Effect.all(steps)))
    yield* Deferred.await(began)
    const own = yield* Effect.forkChild(effect)
    yield* sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`.pipe(
      Effect.repeat({ until: (rows) => rows.length > 0, schedule: Schedule.spaced("20 millis") }),
      Effect.timeout("20 seconds"),
      withLiveClock
    )
    yield* Deferred.succeed(isAwaited, undefined)
    yield* Fiber.join(replica)
    yield* Fiber.join(own)
  })

describe("webhook deliveries of two replicas", () => {
  it.effect("are set aside with the alert, or not at all", () =>
    Effect.gen(function* () {
      const sql = yield* two
      yield* setType(sql, "broken")
      yield* refuse(sql, "webhook_deliveries", "due_at")
      assert.strictEqual((yield* Effect.flip(claim(2)))._tag, "StoreUnavailable")
      assert.deepStrictEqual(yield* standing, [])
    }).pipe(Effect.provide(layer))
  )

  it.effect("are freed with the end of the alert, or not at all", () =>
    Effect.gen(function* () {
      const sql = yield* two
      yield* setType(sql, "broken")
      assert.deepStrictEqual(yield* claim(2), ["b"])
      yield* setType(sql, "sweep.submitted")
      yield* refuse(sql, "alerts", "cleared_at")
      assert.strictEqual((yield* Effect.flip(recheck))._tag, "StoreUnavailable")
      assert.deepStrictEqual(yield* standing, ["webhook_unreadable"])
      assert.deepStrictEqual(yield* claim(2), [])
    }).pipe(Effect.provide(layer))
  )

  it.effect("are freed too if another replica sets them aside while the alert of their endpoint ends", () =>
    Effect.gen(function* () {
      const sql = yield* two
      yield* lock(sql)
      assert.deepStrictEqual(yield* claim(1), [])
      assert.deepStrictEqual(yield* standing, ["webhook_unreadable"])
      yield* unlock(sql)
      const raised = sql`UPDATE builder.alerts SET message = 'again' WHERE cleared_at IS NULL`
      yield* during(raised, setDue(sql, "b", ASIDE), recheck)
      assert.deepStrictEqual(yield* standing, [])
      assert.deepStrictEqual(yield* claim(2), ["a", "b"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("are set aside with another alert if another replica frees them meanwhile", () =>
    Effect.gen(function* () {
      const sql = yield* two
      yield* setType(sql, "broken")
      assert.deepStrictEqual(yield* claim(2), ["b"])
      yield* setDue(sql, "a", new Date(0))
      const cleared = sql`UPDATE builder.alerts SET cleared_at = since WHERE cleared_at IS NULL`
      yield* during(
        cleared,
        sql`UPDATE builder.webhook_deliveries SET due_at = ${new Date(0)} WHERE message_id = 'a'`,
        claim(2)
      )
      assert.deepStrictEqual(yield* standing, ["webhook_unreadable"])
      yield* setType(sql, "sweep.submitted")
      assert.deepStrictEqual(yield* claim(2), [], "it is set aside")
    }).pipe(Effect.provide(layer))
  )
})
