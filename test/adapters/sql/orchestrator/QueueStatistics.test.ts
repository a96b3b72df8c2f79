/** Cost of a claim, whatever else the queue has and whatever the statistics of the database say about it. */
import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Clock, Effect, Layer, Redacted, Schedule } from "effect"
import * as Database from "../../../../src/adapters/sql/shared/Database.ts"
import { Intents } from "../../../../src/ports/orchestrator/Intents.ts"
import { newIntent, submission } from "../../../support/IntentFixtures.ts"
import { stores } from "../../../support/OrchestratorStores.ts"
import { TestDatabase, migratedDatabaseUrl } from "../../../support/Postgres.ts"
import { reads } from "../../../support/TableReads.ts"

const QUEUED = 600
const LIMIT = 20

/** Two connections: one listens, the other runs every statement and so has all of its statistics. */
const oneConnection = Layer.unwrap(
  Effect.map(TestDatabase, ({ url }) =>
    stores.pipe(Layer.provideMerge(Database.layer({ url: Redacted.make(url), poolSize: 2 })))
  )
).pipe(Layer.provide(migratedDatabaseUrl))

it.live("a claim reads a few rows for each intent that it takes, however long a queue the statistics do not show", () =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const intents = yield* Intents
    const ids = Array.from({ length: QUEUED }, (_, index) => `i${index}`)
    yield* Effect.forEach(ids, (id, index) => intents.create(newIntent({ id, owner: index + 1 })), { concurrency: 8 })
    yield* sql`VACUUM ANALYZE orchestrator.intent_states, orchestrator.intent_queue`
    yield* Effect.forEach(ids, (id) => intents.submit(id, submission()), { concurrency: "unbounded" })
    for (const order of ["fresh", "oldest"] as const) {
      const claimed = intents.claim({ chainId: 1, worker: "w", leaseMillis: 60_000, limit: LIMIT, order })
      const { rows, value } = yield* reads(claimed)
      assert.lengthOf(value, LIMIT)
      assert.isAtLeast(rows, LIMIT)
      assert.isBelow(rows, 10 * LIMIT)
    }
  }).pipe(Effect.provide(oneConnection), Effect.scoped)
)

it.live("a claim does not read what rests", () =>
  Effect.gen(function* () {
    const intents = yield* Intents
    const ids = Array.from({ length: QUEUED }, (_, index) => `i${index}`)
    yield* Effect.forEach(ids, (id, index) => intents.create(newIntent({ id, owner: index + 1 })), { concurrency: 8 })
    yield* Effect.forEach(ids, (id) => intents.submit(id, submission()), { concurrency: "unbounded" })
    const [free, resting] = [ids.slice(-LIMIT), ids.slice(0, -LIMIT)]
    yield* intents.release(resting, { notBeforeMs: (yield* Clock.currentTimeMillis) + 3_600_000 })
    const released = intents.release(free)
    /**
     * Claims again until it reads few rows. A claim passes the entries of rows that rest or were claimed before, and marks them unless a
     * snapshot, such as of autovacuum, still sees these rows.
     */
    const claims = (limit: number, order: "fresh" | "oldest", giveBack: typeof released) =>
      reads(intents.claim({ chainId: 1, worker: "w", leaseMillis: 60_000, limit, order })).pipe(
        Effect.tap(() => giveBack),
        Effect.repeat({ until: ({ rows }) => rows < 10 * LIMIT, schedule: Schedule.spaced("100 millis"), times: 100 })
      )
    for (const order of ["fresh", "oldest"] as const) {
      const { rows, value } = yield* claims(LIMIT + 5, order, released)
      assert.sameMembers(
        value.map(({ id }) => id),
        free
      )
      assert.isBelow(rows, 10 * LIMIT)
    }
    const putOff = intents.release(free, { notBeforeMs: 1 })
    yield* putOff
    for (const order of ["fresh", "oldest"] as const) {
      const { rows, value } = yield* claims(LIMIT / 4, order, putOff)
      assert.lengthOf(value, LIMIT / 4)
      assert.isBelow(rows, 10 * LIMIT)
    }
  }).pipe(Effect.provide(oneConnection), Effect.scoped)
)

it.live("a new database reads a sweep by its key", () =>
  Effect.gen(function* () {
    const intents = yield* Intents
    const ids = Array.from({ length: QUEUED }, (_, index) => `i${index}`)
    const look = Effect.forEach(ids.slice(0, LIMIT), (id) => intents.states([id]))
    yield* intents.create(newIntent({ id: "i0", owner: 1 }))
    // By now its plan is made, and is kept until the next statistics.
    yield* look
    yield* Effect.forEach(ids.slice(1), (id, index) => intents.create(newIntent({ id, owner: index + 2 })), {
      concurrency: 8
    })
    const { rows, scanned } = yield* reads(look)
    assert.notInclude(scanned, "intent_states")
    assert.isBelow(rows, 10 * LIMIT)
  }).pipe(Effect.provide(oneConnection), Effect.scoped)
)
