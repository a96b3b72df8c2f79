/** Due webhooks are claimed, and late ones are found, without the rows of a long queue. */
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import * as Migrated from "../../../../src/adapters/sql/builder/Migrated.ts"
import * as Stores from "../../../../src/adapters/sql/builder/Stores.ts"
import * as WebhookBacklogs from "../../../../src/adapters/sql/builder/WebhookBacklog.ts"
import * as Database from "../../../../src/adapters/sql/shared/Database.ts"
import { builderDefaults } from "../../../../src/config/Builder.ts"
import { WebhookBacklog } from "../../../../src/ports/builder/WebhookBacklog.ts"
import { Webhooks } from "../../../../src/ports/builder/Webhooks.ts"
import { register } from "../../../support/BuilderFixtures.ts"
import { TestDatabase, migratedDatabaseUrl } from "../../../support/Postgres.ts"

/** Due deliveries of one builder, to all of its endpoints. */
const QUEUE = 100_000

const ENDPOINTS = 10

/** Endpoints of another builder, one of which is due a delivery. */
const OTHERS = 20_000

/** Rows that a claim may read. Most are those of its own places. */
const FEW = 400

/** Rows that are counted at most, each in an index and in the table. */
const COUNTED = 2 * 10_000

const fill = Effect.gen(function* () {
  yield* register
  const sql = yield* Database.unlimited
  yield* sql`INSERT INTO builder.webhook_endpoints (id, builder_id, url, description, events, secret, created_at)
    SELECT 'a' || n, 'alpha', 'https://example.com', '', '{}'::text[], 'whsec_', now() FROM generate_series(1, ${ENDPOINTS}::integer) AS n
    UNION ALL
    SELECT 'b' || n, 'beta', 'https://example.com', '', '{}'::text[], 'whsec_', now() FROM generate_series(1, ${OTHERS}::integer) AS n`
  yield* sql`INSERT INTO builder.webhook_deliveries (endpoint_id, message_id, type, payload, due_at, created_at)
    SELECT 'a' || 1 + n % ${ENDPOINTS}::integer, 'm' || n, 'sweep.delivered', '{}', now() - interval '1 day', now() - interval '2 days'
    FROM generate_series(1, ${QUEUE}::integer) AS n
    UNION ALL SELECT 'b7', 'late', 'sweep.delivered', '{}', now() - interval '1 minute', now()`
  yield* sql`VACUUM ANALYZE`
}).pipe(Effect.scoped, Effect.provide(Reactivity.layer))

/** Two connections: one listens, the other runs every statement and so has all of its statistics. */
const filled = Layer.effectDiscard(fill).pipe(
  Layer.provideMerge(
    Layer.unwrap(
      Effect.map(TestDatabase, ({ url }) =>
        Layer.merge(Stores.layer, WebhookBacklogs.layer).pipe(
          Layer.provideMerge(Migrated.layer),
          Layer.provideMerge(Database.layer({ url: Redacted.make(url), poolSize: 2 }))
        )
      )
    )
  ),
  Layer.provide(migratedDatabaseUrl)
)

/** Rows that an effect reads. */
const rowsRead = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  const sql = yield* PgClient.PgClient
  const count = Effect.gen(function* () {
    yield* sql`SELECT pg_stat_force_next_flush()`
    const [row] = yield* sql<{ rows: string }>`
      SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) + coalesce(i.read, 0))::text AS rows
      FROM pg_stat_user_tables t LEFT JOIN (
        SELECT relid, sum(idx_tup_read) AS read FROM pg_stat_user_indexes GROUP BY relid
      ) i USING (relid) WHERE t.relname IN ('webhook_deliveries', 'webhook_endpoints')`
    return Number(row?.rows ?? 0)
  })
  const before = yield* count
  const value = yield* effect
  return { value, rows: (yield* count) - before }
})

const { concurrency, failingConcurrency, perBuilder, perEndpoint } = builderDefaults.webhooks

const claim = (limit: number) =>
  Webhooks.use((webhooks) =>
    webhooks.claim({ limit, failingLimit: failingConcurrency, perEndpoint, perBuilder, leaseMillis: 3_600_000 })
  )

const lateSeconds = Effect.map(
  WebhookBacklog.use(({ read }) => read),
  ({ lateSinceMs }) => (lateSinceMs === undefined ? 0 : Math.round((Date.now() - lateSinceMs) / 60_000) * 60)
)

layer(filled, { timeout: 120_000, excludeTestServices: true })("webhooks beside a long queue of one builder", (it) => {
  it.effect("are claimed in their turns, and found if they are late, by a few rows of an index", () =>
    Effect.gen(function* () {
      const late = yield* rowsRead(lateSeconds)
      assert.strictEqual(late.value, 24 * 3_600)
      assert.isAtMost(late.rows, COUNTED + FEW)

      const first = yield* rowsRead(claim(concurrency))
      assert.strictEqual(first.value.filter(({ builderId }) => builderId === "alpha").length, perBuilder)
      assert.strictEqual(first.value.filter(({ message }) => message.id === "late").length, 1)
      assert.isAtMost(first.rows, FEW)
      assert.strictEqual(yield* lateSeconds, 0)

      // PostgreSQL plans a statement for all parameters once it ran a few times.
      const webhooks = yield* Webhooks
      for (const due of first.value) {
        yield* webhooks.record(due, { atMs: 0, durationMs: 5, statusCode: 200 }, { _tag: "Delivered" }, () => ({}))
        const next = yield* rowsRead(claim(concurrency))
        assert.isAtMost(next.rows, FEW)
        assert.strictEqual(next.value.length, due.builderId === "alpha" ? 1 : 0)
      }
    })
  )

  it.effect("are not late because their endpoint fails, or because their builder has attempts under way", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`INSERT INTO builder.webhook_deliveries (endpoint_id, message_id, type, payload, due_at, created_at)
        VALUES ('b8', 'next', 'sweep.delivered', '{}', now() - interval '2 minutes', now())`
      assert.strictEqual(yield* lateSeconds, 120)
      yield* sql`UPDATE builder.webhook_endpoints SET failing_since = now(), last_failure_at = now() WHERE id = 'b8'`
      assert.strictEqual(yield* lateSeconds, 0)
    })
  )
})
