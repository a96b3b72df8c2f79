/** Revenue in `builder.revenue`, one row per settlement. */
import { Clock, Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Address from "../../../domain/Address.ts"
import { RevenueBook, RevenueConflict } from "../../../ports/builder/RevenueBook.ts"
import { guarded, text, timestamp } from "../shared/Database.ts"
import * as WholeDays from "./WholeDays.ts"

/** Rows of our own tables are not validated again: thousands of them would take longer than the query. */
interface Row {
  /** Days since 1970. */
  readonly day: number
  readonly chain_id: bigint
  readonly token: string
  readonly amount: string
  readonly sweeps: bigint
}

/** Sums by day, and the rows that they sum up. */
const REVENUE = {
  kept: { table: "builder.revenue_day_sums", columns: "chain_id, token, amount, sweeps" },
  rows: { table: "builder.revenue", at: "settled_at", columns: "chain_id, token, -amount, -1" }
}

const DAY_MILLIS = 86_400_000

/** Makes a function that names a day since 1970, as `YYYY-MM-DD`. It makes each name once. */
const dayNames = () => {
  const known = new Map<number, string>()
  return (day: number): string => {
    const name = known.get(day) ?? new Date(day * DAY_MILLIS).toISOString().slice(0, 10)
    known.set(day, name)
    return name
  }
}

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

    const bookAll: RevenueBook["Service"]["bookAll"] = Effect.fn("RevenueBook.bookAll")(function* (revenues) {
      if (revenues.length === 0) return new Set<string>()
      const bookedAt = timestamp(yield* Clock.currentTimeMillis)
      const lines = revenues.map(({ amount, chainId, settledAtMs, sweepId, token, txHash }) => ({
        sweep_id: text(sweepId),
        chain_id: chainId,
        token,
        amount: amount.toString(),
        tx_hash: txHash.toLowerCase(),
        settled_at: timestamp(settledAtMs)
      }))
      const given = sql`SELECT * FROM jsonb_to_recordset(${JSON.stringify(lines)}::jsonb) AS g (
        sweep_id text, chain_id bigint, token text, amount numeric, tx_hash text, settled_at timestamptz
      )`
      // Rows are inserted in the order of their keys, so that two such statements cannot wait for each other.
      yield* sql`INSERT INTO builder.revenue (sweep_id, chain_id, token, amount, tx_hash, settled_at, booked_at)
        SELECT g.*, ${bookedAt} FROM (${given}) AS g ORDER BY g.sweep_id
        ON CONFLICT (sweep_id) DO NOTHING`
      const same = yield* sql<{ readonly sweep_id: string }>`SELECT sweep_id
        FROM builder.revenue AS r JOIN (${given}) AS g USING (sweep_id, chain_id, token, amount, tx_hash, settled_at)`
      const booked = new Set(same.map((row) => row.sweep_id))
      return new Set(revenues.map(({ sweepId }) => sweepId).filter((sweepId) => booked.has(text(sweepId))))
    }, guarded("RevenueBook.bookAll"))

    const daily: RevenueBook["Service"]["daily"] = Effect.fn("RevenueBook.daily")(function* ({ fromMs, toMs }) {
      const rows =
        yield* sql<Row>`SELECT day - DATE '1970-01-01' AS day, chain_id, token::text AS token, sum(amount)::text AS amount,
            sum(sweeps)::bigint AS sweeps
          FROM (${WholeDays.parts(sql, { fromMs, toMs }, REVENUE)}) AS parts
          GROUP BY parts.day, chain_id, token HAVING sum(sweeps) <> 0 ORDER BY parts.day DESC, chain_id, token`
      const nameOf = dayNames()
      return rows.map((row) => ({
        day: nameOf(row.day),
        chainId: Number(row.chain_id),
        token: Address.stored(row.token),
        amount: BigInt(row.amount),
        sweeps: Number(row.sweeps)
      }))
    }, guarded("RevenueBook.daily"))

    return RevenueBook.of({ book, bookAll, daily })
  })
)
