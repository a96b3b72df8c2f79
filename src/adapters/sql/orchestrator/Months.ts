/** Makes room for the rows of the coming months, and drops the history of old ones by the times of their events. */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect } from "effect"
import * as Reactivity from "effect/reactivity/Reactivity"
import type { KeptData } from "../../../ports/orchestrator/KeptData.ts"
import { boundedTime } from "../shared/BoundedTime.ts"
import { guarded, mapped, timestamp, unlimited } from "../shared/Database.ts"

/** Months ahead of time in which a failing replica is noticed. */
const MONTHS_AHEAD = 3

/** Makes or drops partitions. Other statements wait behind the locks of that, so the wait for them is short. */
const onMonths =
  (sql: PgClient.PgClient) =>
  <A, E>(changed: Effect.Effect<A, E>) =>
    sql`SELECT set_config('lock_timeout', '500ms', true),
      pg_advisory_xact_lock(hashtextextended('token-sweep.months', 0))`.pipe(Effect.andThen(changed), (effect) =>
      sql.withTransaction(effect)
    )

export const addMonths = (sql: PgClient.PgClient): KeptData["Service"]["addMonths"] =>
  Effect.gen(function* () {
    const now = timestamp(yield* Clock.currentTimeMillis)
    yield* sql`SELECT orchestrator.add_intent_partitions(${now}, ${now} + make_interval(months => ${MONTHS_AHEAD}::integer))`
  }).pipe(onMonths(sql), guarded("KeptData.addMonths"), Effect.withSpan("KeptData.addMonths"))

/** Old months without a usable index. */
const unindexed = (sql: PgClient.PgClient, before: Date) => sql<{ part: string; is_broken: boolean }>`
  SELECT part, is_indexed IS NOT NULL AS is_broken FROM orchestrator.old_history_months(${before})
  WHERE is_indexed IS NOT TRUE`

/**
 * Builds the missing indexes on a connection without limits, since that of a large month takes minutes. A concurrent build locks out no
 * statement. If it is interrupted, it leaves a broken index, which the next build drops. One replica builds, and the others leave it to
 * that one.
 */
const buildIndexes = Effect.fnUntraced(
  function* (before: Date) {
    const sql = yield* unlimited
    const [turn] = yield* sql<{ taken: boolean }>`
      SELECT pg_try_advisory_lock(hashtextextended('token-sweep.month-indexes', 0)) AS taken`
    if (turn?.taken !== true) return
    for (const { is_broken, part } of yield* unindexed(sql, before)) {
      const name = `${part}_at`
      if (is_broken) yield* sql`DROP INDEX CONCURRENTLY ${sql(`orchestrator.${name}`)}`
      yield* sql`CREATE INDEX CONCURRENTLY ${sql(name)} ON ${sql(`orchestrator.${part}`)} USING brin (at)`
      yield* Effect.logInfo("retention.month_indexed").pipe(Effect.annotateLogs({ part }))
    }
  },
  Effect.scoped,
  Effect.provide(Reactivity.layer)
)

export const dropMonths = (sql: PgClient.PgClient): KeptData["Service"]["dropMonths"] =>
  Effect.fn("KeptData.dropMonths")(function* (beforeMs) {
    const bounded = yield* boundedTime(sql, beforeMs)
    const [row] = yield* guarded("KeptData.monthsBefore")(sql<{ before: Date }>`SELECT ${bounded} AS before`)
    const before = row?.before ?? timestamp(beforeMs)
    const missing = yield* guarded("KeptData.oldMonths")(unindexed(sql, before))
    if (missing.length > 0) {
      yield* mapped("KeptData.buildIndexes")(Effect.provideService(buildIndexes(before), PgClient.PgClient, sql))
    }
    return yield* sql<{ dropped: ReadonlyArray<string> }>`
      SELECT orchestrator.drop_history_months(${before}) AS dropped`.pipe(
      Effect.map(([row]) => row?.dropped.length ?? 0),
      onMonths(sql),
      guarded("KeptData.dropMonths")
    )
  })
