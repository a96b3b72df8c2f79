/**
 * Exposure in PostgreSQL: a row for each reservation, and sums by class and step that the same statements keep. The column `hour`
 * has the start of the step. The release before has one step an hour.
 */
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Layer } from "effect"
import type { Fragment } from "effect/sql/Statement"
import type { ExposureClass } from "../../../domain/Exposure.ts"
import { type Claim, CLAIM_MILLIS, PREFIX } from "../../../domain/ExposureClaims.ts"
import { Exposures } from "../../../ports/orchestrator/Exposures.ts"
import { boundedTime } from "../shared/BoundedTime.ts"
import { guarded, text } from "../shared/Database.ts"
import { paid } from "./ExposurePaid.ts"
import { reserve } from "./ExposureReserving.ts"
import {
  add,
  columns,
  current,
  ended,
  gone,
  inOrder,
  lockSweeps,
  sums,
  type SumsRow,
  toSums,
  uncarried,
  withdrawn
} from "./ExposureRows.ts"
import * as IntentTables from "./IntentTables.ts"

const reserved = (sql: PgClient.PgClient): Exposures["Service"]["reserved"] =>
  Effect.fnUntraced(function* (intentIds) {
    if (intentIds.length === 0) return new Map<string, ReadonlyArray<ExposureClass>>()
    const rows = yield* sql<{ id: string; classes: ReadonlyArray<ExposureClass> }>`
      SELECT intent_id AS id, classes FROM orchestrator.exposures
      WHERE intent_id = ANY(${IntentTables.ids(sql, intentIds.map(text))})`
    return new Map(rows.map(({ classes, id }) => [id, classes]))
  }, guarded("reserved"))

/**
 * Withdraws a claim. An unfinished transaction keeps a reservation that nobody holds any more. It takes its locks in the order of
 * `reserve`, so that it also withdraws from a row that another claim stores at the same time.
 */
const withdraw = (sql: PgClient.PgClient, ids: ReadonlyArray<string>, claim: Claim) => {
  const chosen = sql`e.intent_id = ANY(${IntentTables.ids(sql, ids)}) AND ${text(claim)} = ANY(e.holders)`
  const leaving = withdrawn(sql, inOrder(sql, chosen), claim, uncarried(sql))
  return sql.withTransaction(Effect.andThen(lockSweeps(sql, ids), sql`WITH ${leaving} ${add(sql, ended(sql, "gone"))}`))
}

/** One of the holders of `e` is a claim that may still send the sweep, see `isClaimed`. */
const isClaimed = (sql: PgClient.PgClient, now: number): Fragment => sql`EXISTS (
  SELECT FROM unnest(e.holders) AS holder WHERE CASE WHEN holder ~ ${`^${PREFIX}[0-9]+:`}
    THEN split_part(holder, ':', 2)::numeric > ${String(now - CLAIM_MILLIS)}::numeric ELSE false END
)`

const release = (sql: PgClient.PgClient): Exposures["Service"]["release"] =>
  Effect.fnUntraced(function* (intentIds, claim) {
    if (intentIds.length === 0) return
    const ids = intentIds.map(text)
    if (claim !== undefined) return yield* Effect.asVoid(withdraw(sql, ids, claim))
    const now = yield* Clock.currentTimeMillis
    const chosen = sql`e.intent_id = ANY(${IntentTables.ids(sql, ids)})`
    const leaving = gone(sql, inOrder(sql, sql`${chosen} AND NOT ${isClaimed(sql, now)} AND ${uncarried(sql)}`))
    yield* sql`WITH ${leaving} ${add(sql, ended(sql, "gone"))}`
  }, guarded("release"))

/**
 * Locks the intents first, so that it waits for a submission that is being stored and then keeps that one's reservation. Nothing else
 * locks a quoted intent after a reservation, so no two statements wait for each other.
 */
const releaseQuoted = (sql: PgClient.PgClient): Exposures["Service"]["releaseQuoted"] =>
  Effect.fnUntraced(function* (intentIds, holder) {
    if (intentIds.length === 0) return
    const quoted = sql`
      SELECT s.id FROM orchestrator.intent_states s
      WHERE s.id = ANY(${IntentTables.ids(sql, intentIds.map(text))}) AND s.status = 'quoted'
      ORDER BY s.id FOR SHARE`
    const chosen = sql`e.intent_id IN (SELECT q.id FROM quoted q) AND ${text(holder)} = ANY(e.holders)`
    yield* sql`
      WITH quoted AS (${quoted}), ${withdrawn(sql, inOrder(sql, chosen), holder)} ${add(sql, ended(sql, "gone"))}`
  }, guarded("releaseQuoted"))

const largest = (sql: PgClient.PgClient): Exposures["Service"]["largest"] =>
  Effect.fnUntraced(function* (limit) {
    const now = yield* Clock.currentTimeMillis
    const rows = yield* sql<SumsRow>`
      SELECT ${columns(sql, now)} FROM orchestrator.exposure_sums WHERE ${current(sql, now)}
      GROUP BY class HAVING sum(open) > 0 OR sum(lost) > 0 OR sum(earned) > 0
      ORDER BY sum(lost) DESC, sum(open) DESC, class LIMIT ${limit}`
    return rows.map((row) => ({ key: row.class, ...toSums(row) }))
  }, guarded("largest"))

/** Passes over rows that another statement holds, so that it never waits with a lock of its own: the next call finds them. */
const prune = (sql: PgClient.PgClient): Exposures["Service"]["prune"] =>
  Effect.fnUntraced(function* (beforeMs) {
    const at = yield* boundedTime(sql, yield* Clock.currentTimeMillis)
    const old = sql`e.reserved_at < ${yield* boundedTime(sql, beforeMs)} AND ${uncarried(sql)}`
    yield* sql`WITH ${gone(sql, sql`${inOrder(sql, old)} SKIP LOCKED`)} ${add(sql, ended(sql, "gone"))}`
    yield* sql`
      WITH spent AS (
        SELECT class, hour FROM orchestrator.exposure_sums WHERE hour < ${at} - interval '2 days'
          AND (hour > '-infinity' OR open = 0)
        FOR UPDATE SKIP LOCKED
      ) DELETE FROM orchestrator.exposure_sums s USING spent WHERE s.class = spent.class AND s.hour = spent.hour`
  }, guarded("prune"))

/** Requires the schema of `Migrated.layer`. */
export const layer = Layer.effect(
  Exposures,
  Effect.map(PgClient.PgClient, (sql) =>
    Exposures.of({
      sums: sums(sql),
      reserved: reserved(sql),
      reserve: reserve(sql),
      release: release(sql),
      releaseQuoted: releaseQuoted(sql),
      paid: paid(sql),
      largest: largest(sql),
      prune: prune(sql)
    })
  )
)
