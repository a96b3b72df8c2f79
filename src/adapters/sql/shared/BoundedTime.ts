/**
 * Times of this process as parameters of statements, bounded by the database's clock. Other processes obey what a statement stores and
 * deletes, so a process whose clock is ahead would reserve rows for hours, and delete rows that are not old.
 */
import { Clock, Effect } from "effect"
import type { SqlClient } from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { FUTURE_MILLIS } from "../../../domain/Age.ts"
import { timestamp } from "./Database.ts"

/** As {@link boundedTime}, of a column or an expression. */
export const boundedColumn = (sql: SqlClient, column: Fragment): Effect.Effect<Fragment> =>
  Effect.map(
    Clock.currentTimeMillis,
    (now) => sql`least(${column}, statement_timestamp() + (${column} - ${timestamp(now - FUTURE_MILLIS)}::timestamptz))`
  )

/** A column with times of now or of the past, some of which may be bounded already. One in the future is at most a minute ahead. */
export const boundedPast = (sql: SqlClient, column: Fragment): Fragment =>
  sql`least(${column}, statement_timestamp() + ${FUTURE_MILLIS}::double precision * interval '1 millisecond')`

/**
 * UNIX milliseconds, of now or with an offset to it, as a `timestamptz`. If this process is more than a minute ahead of the database, it is
 * a minute ahead. A clock that is behind stays as it is. The value is stable in a statement, so that indexes are used.
 */
export const boundedTime = (sql: SqlClient, millis: number): Effect.Effect<Fragment> =>
  Effect.map(
    Clock.currentTimeMillis,
    (now) =>
      sql`least(${timestamp(millis)}::timestamptz,
        statement_timestamp() + ${FUTURE_MILLIS + millis - now}::double precision * interval '1 millisecond')`
  )
