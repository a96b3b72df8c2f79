/**
 * Compares every kept sum of earnings with its rows. The first comparison left out payments without a price and the number of sweeps, and
 * showed one number for all sums of a day, in which two differences could cancel out.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

const COLUMNS = ["earned", "earned_usd", "earned_unpriced", "paid", "paid_usd", "paid_unpriced", "sweeps"]

/** Sums of one side, with their names, for people. */
const side = (sign: 1 | -1): string => {
  const sums = COLUMNS.map((column) => `'${column} ' || coalesce(sum(${column}) FILTER (WHERE sign = ${sign}), 0)`)
  return `concat_ws(', ', ${sums.join(", ")})`
}

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const columns = sql.literal(COLUMNS.join(", "))
  yield* sql`DROP VIEW builder.earning_day_differences`
  yield* sql`CREATE VIEW builder.earning_day_differences AS
    SELECT concat_ws(' ', builder_id, day, chain_id, token) AS key, ${sql.literal(side(1))} AS kept,
      ${sql.literal(side(-1))} AS counted
    FROM (
      SELECT 1 AS sign, builder_id, day, chain_id, token, ${columns} FROM builder.earning_day_sums
      UNION ALL SELECT -1, builder_id, day, chain_id, token, ${columns} FROM builder.earning_parts
    ) AS d GROUP BY builder_id, day, chain_id, token
    HAVING ${sql.literal(COLUMNS.map((column) => `sum(sign * ${column}) <> 0`).join(" OR "))}`
})
