/** Rows of reservations in PostgreSQL, and the sums that the same statements keep. Every store of exposure uses these fragments. */
import type { PgClient } from "@effect/sql-pg"
import { Clock, Effect } from "effect"
import type { Fragment } from "effect/sql/Statement"
import type { ExposureClass, Sums } from "../../../domain/Exposure.ts"
import { PREFIX as CLAIM_PREFIX } from "../../../domain/ExposureClaims.ts"
import { DAY_MILLIS, HOUR_MILLIS, windowStart } from "../../../domain/ExposureWindow.ts"
import type { Exposures } from "../../../ports/orchestrator/Exposures.ts"
import { guarded, text, timestamp } from "../shared/Database.ts"
import * as IntentTables from "./IntentTables.ts"

export interface SumsRow {
  readonly class: string
  readonly open: string
  readonly hour_lost: string
  readonly hour_earned: string
  readonly day_lost: string
  readonly day_earned: string
}

export const toSums = (row: SumsRow): Sums => ({
  open: BigInt(row.open),
  hour: { lost: BigInt(row.hour_lost), earned: BigInt(row.hour_earned) },
  day: { lost: BigInt(row.day_lost), earned: BigInt(row.day_earned) }
})

/** Columns of a {@link SumsRow} at a UNIX time in milliseconds, grouped by class. */
export const columns = (sql: PgClient.PgClient, now: number): Fragment => {
  const hour = sql`hour >= ${timestamp(windowStart(now, HOUR_MILLIS))}`
  return sql`class, sum(open)::text AS open,
    coalesce(sum(lost) FILTER (WHERE ${hour}), 0)::text AS hour_lost,
    coalesce(sum(earned) FILTER (WHERE ${hour}), 0)::text AS hour_earned,
    sum(lost)::text AS day_lost, sum(earned)::text AS day_earned`
}

/** Rows of the last 24 hours, and those of what is reserved. */
export const current = (sql: PgClient.PgClient, now: number): Fragment =>
  sql`(hour = '-infinity' OR hour >= ${timestamp(windowStart(now, DAY_MILLIS))})`

export const sums = (sql: PgClient.PgClient): Exposures["Service"]["sums"] =>
  Effect.fnUntraced(function* (keys) {
    if (keys.length === 0) return new Map<ExposureClass, Sums>()
    const now = yield* Clock.currentTimeMillis
    const rows = yield* sql<SumsRow>`
      SELECT ${columns(sql, now)} FROM orchestrator.exposure_sums
      WHERE class = ANY(${IntentTables.ids(sql, keys.map(text))}) AND ${current(sql, now)}
      GROUP BY class`
    return new Map(rows.map((row) => [row.class, toSums(row)]))
  }, guarded("sums"))

/** Adds to sums in the order of their keys, so that statements that share rows wait for each other and never in a circle. */
export const add = (sql: PgClient.PgClient, changes: Fragment): Fragment => sql`
  INSERT INTO orchestrator.exposure_sums AS s (class, hour, open, lost, earned)
  SELECT class, hour, sum(open), sum(lost), sum(earned) FROM (${changes}) AS c (class, hour, open, lost, earned)
  GROUP BY class, hour ORDER BY class, hour
  ON CONFLICT (class, hour) DO UPDATE
  SET open = s.open + excluded.open, lost = s.lost + excluded.lost, earned = s.earned + excluded.earned`

/** Changes of the sums when the reservations of this query end. */
export const ended = (sql: PgClient.PgClient, name: string): Fragment =>
  sql`SELECT class, '-infinity'::timestamptz, -wei, 0::numeric, 0::numeric
    FROM ${sql(name)}, unnest(${sql(name)}.classes) AS class`

/** No unfinished transaction carries the sweep of `e`. */
export const uncarried = (sql: PgClient.PgClient): Fragment => sql`NOT EXISTS (
  SELECT FROM orchestrator.relay_transaction_intents l WHERE l.intent_id = e.intent_id AND l.active
)`

/** Locks rows of reservations in one order, so that statements that share them wait for each other and never in a circle. */
export const inOrder = (sql: PgClient.PgClient, condition: Fragment): Fragment =>
  sql`SELECT e.intent_id, e.holders FROM orchestrator.exposures e WHERE ${condition} ORDER BY e.intent_id FOR UPDATE`

/**
 * Locks sweeps until the transaction ends, before their rows. A reservation may store the row anew, and a statement that waits
 * for the old row does not see the new one. A statement after this lock does.
 */
export const lockSweeps = (sql: PgClient.PgClient, ids: ReadonlyArray<string>) => sql`
  SELECT pg_advisory_xact_lock(key) FROM (
    SELECT DISTINCT hashtextextended('exposure ' || id, 0) AS key FROM unnest(${ids}::text[]) AS id ORDER BY key
  ) AS keys`

/** Ends the reservations that `locked` selects, as far as `condition` allows, and names them `gone`. */
export const gone = (sql: PgClient.PgClient, locked: Fragment, condition: Fragment = sql`true`): Fragment =>
  sql`ending AS (${locked}), gone AS (
    DELETE FROM orchestrator.exposures e USING ending WHERE e.intent_id = ending.intent_id AND ${condition}
    RETURNING e.intent_id, e.classes, e.wei, e.holders, e.reserved_at
  )`

/** A claim holds the reservation of `alias`. The release before may have added submissions behind the claims. */
export const isOfClaim = (sql: PgClient.PgClient, alias: string): Fragment =>
  sql`coalesce(${sql(alias)}.holders[1] LIKE ${`${CLAIM_PREFIX}%`}, false)`

/**
 * Withdraws a holder from the reservations that `locked` selects, and ends those that nobody else holds and `condition` allows. The others
 * stay without holders.
 */
export const withdrawn = (
  sql: PgClient.PgClient,
  locked: Fragment,
  holder: string,
  condition: Fragment = sql`true`
): Fragment => sql`
  ${gone(sql, locked, sql`cardinality(ending.holders) = 1 AND ${condition}`)}, withdrawn AS (
    UPDATE orchestrator.exposures e SET holders = array_remove(ending.holders, ${text(holder)})
    FROM ending WHERE e.intent_id = ending.intent_id AND (cardinality(ending.holders) > 1 OR NOT ${condition})
  )`
