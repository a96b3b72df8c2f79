/** Income in `builder.revenue`, one row per settlement. */
import { Clock, Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Address from "../../../domain/Address.ts"
import { RevenueBook, RevenueConflict } from "../../../ports/RevenueBook.ts"
import { guarded, text, timestamp } from "../Database.ts"
import * as Rows from "./Rows.ts"

const decode = Rows.decode(
  Schema.Struct({
    day: Schema.String,
    chain_id: Rows.Int8,
    token: Address.Address,
    amount: Rows.Integer,
    sweeps: Rows.Int8
  })
)

export const layer = Layer.effect(
  RevenueBook,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient

    const book: RevenueBook["Service"]["book"] = Effect.fn("RevenueBook.book")(function* (revenue) {
      const { amount, chainId, settledAtMs, sweepId, token, txHash } = revenue
      const added =
        yield* sql`INSERT INTO builder.revenue (sweep_id, chain_id, token, amount, tx_hash, settled_at, booked_at)
        VALUES (${text(sweepId)}, ${chainId}, ${token}, ${amount.toString()}::numeric, ${txHash.toLowerCase()},
          ${timestamp(settledAtMs)}, ${timestamp(yield* Clock.currentTimeMillis)})
        ON CONFLICT (sweep_id) DO NOTHING RETURNING sweep_id`
      if (added.length === 1) return "added"
      const same =
        yield* sql`SELECT 1 AS same FROM builder.revenue WHERE sweep_id = ${text(sweepId)} AND chain_id = ${chainId}
        AND token = ${token} AND amount = ${amount.toString()}::numeric AND tx_hash = ${txHash.toLowerCase()}
        AND settled_at = ${timestamp(settledAtMs)}`
      if (same.length === 1) return "already_booked"
      return yield* new RevenueConflict({ sweepId })
    }, guarded("RevenueBook.book"))

    const daily: RevenueBook["Service"]["daily"] = Effect.fn("RevenueBook.daily")(function* ({ fromMs, toMs }) {
      const rows = yield* decode(
        yield* sql`SELECT to_char(settled_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS day, chain_id, token::text AS token,
            sum(amount) AS amount, count(*) AS sweeps
          FROM builder.revenue WHERE settled_at >= ${timestamp(fromMs)} AND settled_at < ${timestamp(toMs)}
          GROUP BY 1, 2, 3 ORDER BY 1 DESC, 2, 3`
      )
      return rows.map((row) => ({
        day: row.day,
        chainId: row.chain_id,
        token: row.token,
        amount: row.amount,
        sweeps: row.sweeps
      }))
    }, guarded("RevenueBook.daily"))

    return RevenueBook.of({ book, daily })
  })
)
