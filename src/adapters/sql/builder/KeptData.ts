/** Deletes old rows by their indexes, and takes up changes of kept sums. */
import { Effect, Layer } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type { Fragment } from "effect/sql/Statement"
import { KeptData, type Kind } from "../../../ports/builder/KeptData.ts"
import { boundedTime } from "../shared/BoundedTime.ts"
import { guarded } from "../shared/Database.ts"

/** Changes that one statement takes up. */
const CHANGES = 20_000

/** Tables of rows that age, with their keys and the columns from which their age counts. */
const TABLES = {
  events: { table: "builder.sweep_events", key: "id", since: "recorded_at" },
  alerts: { table: "builder.alerts", key: "id", since: "cleared_at" },
  sessions: { table: "builder.sessions", key: "token_hash", since: "expires_at" },
  nonces: { table: "builder.nonces", key: "nonce", since: "expires_at" }
} as const satisfies Record<Kind, { table: string; key: string; since: string }>

const prune = (sql: SqlClient.SqlClient): KeptData["Service"]["prune"] =>
  Effect.fn("KeptData.prune")(
    function* (kind, beforeMs, limit) {
      const [table, key, since] = [TABLES[kind].table, TABLES[kind].key, TABLES[kind].since].map((name) => sql(name))
      // Events are only added. Their table refuses deletions without this setting of the transaction.
      yield* sql`SELECT set_config('token_sweep.retention', 'on', true)`
      const rows = yield* sql`DELETE FROM ${table} WHERE ${key} = ANY(ARRAY(
          SELECT ${key} FROM ${table} WHERE ${since} < ${yield* boundedTime(sql, beforeMs)}
          ORDER BY ${since} LIMIT ${limit} FOR UPDATE SKIP LOCKED
        )) RETURNING 1`
      return rows.length
    },
    (effect, _kind, _before, _limit) => sql.withTransaction(effect),
    guarded("KeptData.prune")
  )

/** A CTE `gone` that deletes changes and returns them. One process at a time, since the others would wait for its row locks. */
const takenUp = (sql: SqlClient.SqlClient, changes: Fragment, name: string) => sql`
  WITH turn AS MATERIALIZED (
    SELECT pg_try_advisory_xact_lock(hashtextextended(${`token-sweep.sums.${name}`}, 0)) AS taken
  ), gone AS (
    DELETE FROM ${changes} WHERE ctid = ANY(ARRAY(
      SELECT c.ctid FROM turn, ${changes} c WHERE turn.taken LIMIT ${CHANGES}
    ))
    RETURNING *
  )`

const ledger = (sql: SqlClient.SqlClient) => sql`
  ${takenUp(sql, sql`builder.ledger_sum_changes`, "ledger")}, treasury AS (
    INSERT INTO builder.treasury_sums AS t (token, chain_id, earned, paid, entries)
    SELECT token, chain_id, sum(earned), sum(paid), sum(entries) FROM gone GROUP BY token, chain_id ORDER BY 1, 2
    ON CONFLICT (token, chain_id) DO UPDATE
    SET earned = t.earned + excluded.earned, paid = t.paid + excluded.paid, entries = t.entries + excluded.entries
  )
  INSERT INTO builder.ledger_sums AS l (builder_id, token, chain_id, earned, paid, entries)
  SELECT builder_id, token, chain_id, sum(earned), sum(paid), sum(entries) FROM gone
  GROUP BY builder_id, token, chain_id ORDER BY 1, 2, 3
  ON CONFLICT (builder_id, token, chain_id) DO UPDATE
  SET earned = l.earned + excluded.earned, paid = l.paid + excluded.paid, entries = l.entries + excluded.entries`

const revenue = (sql: SqlClient.SqlClient) => sql`
  ${takenUp(sql, sql`builder.revenue_day_changes`, "revenue")}
  INSERT INTO builder.revenue_days AS r (day, chain_id, token, amount, sweeps)
  SELECT day, chain_id, token, sum(amount), sum(sweeps) FROM gone GROUP BY day, chain_id, token ORDER BY 1, 2, 3
  ON CONFLICT (day, chain_id, token) DO UPDATE
  SET amount = r.amount + excluded.amount, sweeps = r.sweeps + excluded.sweeps`

const sweeps = (sql: SqlClient.SqlClient) => sql`
  ${takenUp(sql, sql`builder.sweep_day_changes`, "sweeps")}
  INSERT INTO builder.sweep_days AS s (builder_id, day, status, chain_id, token, amount, sweeps)
  SELECT builder_id, day, status, chain_id, token, sum(amount), sum(sweeps) FROM gone
  GROUP BY builder_id, day, status, chain_id, token ORDER BY 1, 2, 3, 4, 5
  ON CONFLICT (builder_id, day, status, chain_id, token) DO UPDATE
  SET amount = s.amount + excluded.amount, sweeps = s.sweeps + excluded.sweeps`

const EARNING_COLUMNS = ["earned", "earned_usd", "earned_unpriced", "paid", "paid_usd", "paid_unpriced", "sweeps"]

const earnings = (sql: SqlClient.SqlClient) => {
  const columns = sql.literal(EARNING_COLUMNS.join())
  const sums = sql.literal(EARNING_COLUMNS.map((name) => `sum(${name})`).join())
  const added = sql.literal(EARNING_COLUMNS.map((name) => `${name} = d.${name} + excluded.${name}`).join())
  return sql`
    ${takenUp(sql, sql`builder.earning_day_changes`, "earnings")}
    INSERT INTO builder.earning_days AS d (builder_id, day, chain_id, token, ${columns})
    SELECT builder_id, day, chain_id, token, ${sums} FROM gone GROUP BY builder_id, day, chain_id, token ORDER BY 1, 2, 3, 4
    ON CONFLICT (builder_id, day, chain_id, token) DO UPDATE SET ${added}`
}

/** Entries of a paid batch that one statement lists as paid. */
const LISTED = 5_000

/** Lists the next accruals of a large batch as paid. Nothing else changes their status but a reversal, which is kept. */
const payouts = (sql: SqlClient.SqlClient) => sql`
  WITH turn AS MATERIALIZED (
    SELECT pg_try_advisory_xact_lock(hashtextextended('token-sweep.sums.payouts', 0)) AS taken
  ), batch AS MATERIALIZED (
    SELECT u.payout_id, u.after_entry FROM turn, builder.unlisted_payouts u WHERE turn.taken LIMIT 1
  ), chosen AS MATERIALIZED (
    SELECT c.entry_id FROM batch JOIN builder.payout_claims c ON c.payout_id = batch.payout_id AND c.entry_id > batch.after_entry
    ORDER BY c.entry_id LIMIT ${LISTED}
  ), listed AS (
    UPDATE builder.earnings e SET status = 'paid' FROM chosen WHERE e.id = chosen.entry_id AND e.status = 'owed'
  ), advanced AS (
    UPDATE builder.unlisted_payouts u SET after_entry = (SELECT max(entry_id) FROM chosen)
    WHERE u.payout_id = (SELECT payout_id FROM batch) AND EXISTS (SELECT FROM chosen)
  )
  DELETE FROM builder.unlisted_payouts u
  WHERE u.payout_id = (SELECT payout_id FROM batch) AND NOT EXISTS (SELECT FROM chosen)`

export const layer = Layer.effect(
  KeptData,
  Effect.map(SqlClient.SqlClient, (sql) =>
    KeptData.of({
      prune: prune(sql),
      sumUp: Effect.all([ledger(sql), revenue(sql), sweeps(sql), earnings(sql), payouts(sql)], { discard: true }).pipe(
        guarded("KeptData.sumUp"),
        Effect.withSpan("KeptData.sumUp")
      )
    })
  )
)
