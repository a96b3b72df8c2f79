/** Cost of a claim if the statistics of the database are older than the burst that filled the queue. */
import { PgClient } from "@effect/sql-pg"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as Database from "../../../../src/adapters/sql/shared/Database.ts"
import { Intents } from "../../../../src/ports/orchestrator/Intents.ts"
import { newIntent, submission } from "../../../support/IntentFixtures.ts"
import { stores } from "../../../support/OrchestratorStores.ts"
import { TestDatabase, migratedDatabaseUrl } from "../../../support/Postgres.ts"

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
    const rowsRead = Effect.gen(function* () {
      yield* sql`SELECT pg_stat_force_next_flush()`
      const [row] = yield* sql<{ rows: bigint }>`
        SELECT sum(idx_tup_read)::bigint AS rows FROM pg_stat_user_indexes
        WHERE relname IN ('intent_queue', 'intent_states', 'relay_transaction_intents')`
      return Number(row?.rows ?? 0)
    })
    const before = yield* rowsRead
    const claimed = yield* intents.claim({ chainId: 1, worker: "w", leaseMillis: 1_000, limit: LIMIT })
    assert.lengthOf(claimed, LIMIT)
    assert.isBelow((yield* rowsRead) - before, 10 * LIMIT)
  }).pipe(Effect.provide(oneConnection), Effect.scoped)
)
