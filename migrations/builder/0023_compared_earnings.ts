/**
 * Compares every kept sum of earnings with its rows, one by one. The first comparison left out payments without a price and the number of
 * sweeps, and added up all sums of a day, so that two differences could cancel out in what it showed.
 */
import { Effect } from "effect"
import * as SqlClient from "effect/sql/SqlClient"

const COLUMNS = ["earned", "earned_usd", "earned_unpriced", "paid", "paid_usd", "paid_unpriced", "sweeps"]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  const columns = sql.literal(COLUMNS.join(", "))
  const named = sql.literal(COLUMNS.map((column) => `('${column}', ${column}::numeric)`).join(", "))
  yield* sql`CREATE OR REPLACE VIEW builder.earning_day_differences AS
    SELECT concat_ws(' ', builder_id, day, chain_id, token, name) AS key,
      coalesce(sum(value) FILTER (WHERE sign = 1), 0) AS kept, coalesce(sum(value) FILTER (WHERE sign = -1), 0) AS counted
    FROM (
      SELECT 1 AS sign, builder_id, day, chain_id, token, ${columns} FROM builder.earning_day_sums
      UNION ALL SELECT -1, builder_id, day, chain_id, token, ${columns} FROM builder.earning_parts
    ) AS d CROSS JOIN LATERAL (VALUES ${named}) AS s (name, value)
    GROUP BY builder_id, day, chain_id, token, name HAVING sum(sign * value) <> 0`
})
