/** Reads of a period from sums that are kept by UTC day. */
import type * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { timestamp } from "../shared/Database.ts"

export interface Kept {
  /** Sums with the column `day`. */
  readonly kept: { readonly table: string; readonly columns: string }
  /** The rows that the sums are of, with the same columns negated where they are summed. `at` decides a row's day. */
  readonly rows: { readonly table: string; readonly at: string; readonly columns: string }
}

const DAY_MILLIS = 86_400_000

/**
 * Parts that sum up to the period from `fromMs` to before `toMs` (UNIX milliseconds): the kept sums of every day that the
 * period touches, less the rows of the first and the last day that are outside of it. A period of whole days, or one that
 * ends now, reads hardly any rows.
 */
export const parts = (
  sql: SqlClient.SqlClient,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  { kept, rows }: Kept,
  condition: Fragment = sql`true`
): Fragment => {
  const until = Math.max(fromMs, toMs)
  const firstDay = Math.floor(fromMs / DAY_MILLIS) * DAY_MILLIS
  const end = Math.ceil(until / DAY_MILLIS) * DAY_MILLIS
  const at = sql.literal(rows.at)
  const outside = (from: number, to: number) => sql`
    SELECT (${at} AT TIME ZONE 'UTC')::date AS day, ${sql.literal(rows.columns)} FROM ${sql.literal(rows.table)}
    WHERE ${condition} AND ${at} >= ${timestamp(from)} AND ${at} < ${timestamp(to)}`
  return sql`
    SELECT day, ${sql.literal(kept.columns)} FROM ${sql.literal(kept.table)}
    WHERE ${condition} AND day >= (${timestamp(firstDay)}::timestamptz AT TIME ZONE 'UTC')::date
      AND day < (${timestamp(end)}::timestamptz AT TIME ZONE 'UTC')::date
    UNION ALL ${outside(firstDay, fromMs)}
    UNION ALL ${outside(until, end)}`
}
