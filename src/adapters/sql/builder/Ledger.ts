/**
 * The ledger in `builder.ledger_entries`. A trigger of the database rejects changes of entries. `builder.ledger` shows them
 * with the chains that accruals were assigned to later.
 */
import { Clock, Effect, Layer, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import type * as Statement from "effect/sql/Statement"
import type { Accrual } from "../../../domain/Accrual.ts"
import * as Address from "../../../domain/Address.ts"
import { Hash } from "../../../domain/Hex.ts"
import * as Usd from "../../../domain/Usd.ts"
import {
  AccrualConflict,
  AccrualNotFound,
  ASSIGNED_AT_ONCE,
  Ledger,
  UnknownBuilder
} from "../../../ports/builder/Ledger.ts"
import { guarded, text, timestamp } from "../shared/Database.ts"
import * as Earnings from "./Earnings.ts"
import * as Rows from "./Rows.ts"

const TotalsRow = Schema.Struct({
  chain_id: Schema.NullOr(Rows.Int8),
  token: Address.Address,
  earned: Rows.Integer,
  paid: Rows.Integer,
  claimed: Rows.Integer
})

const EntryRow = Schema.Struct({
  chain_id: Schema.NullOr(Rows.Int8),
  token: Address.Address,
  earned: Rows.Integer,
  paid: Rows.Integer,
  id: Rows.RowId,
  kind: Schema.Literals(["accrual", "reversal", "payment"]),
  builder_id: Schema.String,
  sweep_id: Schema.NullOr(Schema.String),
  tx_hash: Schema.NullOr(Hash),
  created_at: Rows.Millis,
  usd: Schema.NullOr(Rows.Integer)
})

const totalsOf = (rows: ReadonlyArray<unknown>) =>
  Effect.map(Rows.decode(TotalsRow)(rows), (decoded) =>
    decoded.map(({ chain_id, claimed, earned, paid, token }) => ({
      token,
      earned,
      paid,
      claimed,
      ...Rows.present({ chainId: chain_id })
    }))
  )

const book = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* (accrual: Accrual) {
    const { builderId, sweepId, token } = accrual
    const amount = accrual.amount.toString()
    const chainId = accrual.chainId ?? null
    const txHash = accrual.paidTxHash?.toLowerCase() ?? null
    const usd = accrual.usd === undefined ? undefined : Usd.parse(accrual.usd)
    const added = yield* sql`INSERT INTO builder.ledger_entries
        (kind, builder_id, chain_id, token, earned, paid, sweep_id, tx_hash, created_at, usd)
      SELECT 'accrual', id, ${chainId}::bigint, ${token}, ${amount}::numeric,
        CASE WHEN ${txHash}::text IS NULL THEN 0 ELSE ${amount}::numeric END, ${text(sweepId)}, ${txHash},
        ${timestamp(yield* Clock.currentTimeMillis)}::timestamptz, ${usd?.toString() ?? null}::numeric
      FROM builder.builders WHERE id = ${text(builderId)}
      ON CONFLICT (sweep_id, kind) DO NOTHING RETURNING id`
    if (added.length === 1) return "added" as const
    const booked =
      yield* sql`SELECT builder_id = ${text(builderId)} AND token = ${token} AND earned = ${amount}::numeric
        AND chain_id IS NOT DISTINCT FROM ${chainId}::bigint AND tx_hash IS NOT DISTINCT FROM ${txHash}::text AS same,
        EXISTS (SELECT FROM builder.ledger_entries WHERE kind = 'reversal' AND sweep_id = ${text(sweepId)}) AS reversed
      FROM builder.ledger_entries WHERE kind = 'accrual' AND sweep_id = ${text(sweepId)}`
    if (booked.length === 0) return yield* new UnknownBuilder({ builderId })
    if (booked[0]?.["reversed"] === true) return yield* new AccrualConflict({ sweepId, reversed: true })
    if (booked[0]?.["same"] === true) return "already_booked" as const
    return yield* new AccrualConflict({ sweepId })
  })

const accrue = (sql: SqlClient.SqlClient): Ledger["Service"]["accrue"] =>
  Effect.fn("Ledger.accrue")(function* (accrual, defaultChainId) {
    if (accrual.chainId !== undefined || defaultChainId === undefined) return yield* book(sql)(accrual)
    return yield* sql.withTransaction(
      Effect.tap(
        book(sql)(accrual),
        Effect.flatMap(
          Clock.currentTimeMillis,
          (nowMs) => sql`INSERT INTO builder.accrual_chains (sweep_id, chain_id, assigned_at)
            VALUES (${text(accrual.sweepId)}, ${defaultChainId}, ${timestamp(nowMs)}) ON CONFLICT (sweep_id) DO NOTHING`
        )
      )
    )
  }, guarded("Ledger.accrue"))

const AssignedRow = Schema.Struct({ sweeps: Rows.Int8, amount: Rows.Integer, more: Schema.Boolean })

const assign = (sql: SqlClient.SqlClient): Ledger["Service"]["assign"] =>
  Effect.fn("Ledger.assign")(function* (token, chainId, limit = ASSIGNED_AT_ONCE) {
    const now = timestamp(yield* Clock.currentTimeMillis)
    const [row] = yield* Rows.decode(AssignedRow)(
      yield* sql`WITH found AS MATERIALIZED (
          SELECT sweep_id FROM builder.chainless WHERE token = ${token} ORDER BY sweep_id LIMIT ${limit + 1}
        ), assigned AS (
          INSERT INTO builder.accrual_chains (sweep_id, chain_id, assigned_at)
          SELECT sweep_id, ${chainId}::bigint, ${now}::timestamptz FROM found ORDER BY sweep_id LIMIT ${limit}
          ON CONFLICT (sweep_id) DO NOTHING RETURNING sweep_id
        )
        SELECT count(*) FILTER (WHERE e.kind = 'accrual') AS sweeps, coalesce(sum(e.earned - e.paid), 0) AS amount,
          (SELECT count(*) FROM found) > ${limit} AS more
        FROM assigned JOIN builder.ledger_entries e USING (sweep_id)`
    )
    const { amount = 0n, more = false, sweeps = 0 } = row ?? {}
    return { sweeps, amount, ...(more ? { more } : {}) }
  }, guarded("Ledger.assign"))

const reverse = (sql: SqlClient.SqlClient): Ledger["Service"]["reverse"] =>
  Effect.fn("Ledger.reverse")(function* (sweepId) {
    const added = yield* sql`INSERT INTO builder.ledger_entries
        (kind, builder_id, chain_id, token, earned, paid, sweep_id, tx_hash, created_at, usd)
      SELECT 'reversal', builder_id, chain_id, token, -earned, -paid, sweep_id, tx_hash,
        ${timestamp(yield* Clock.currentTimeMillis)}::timestamptz, -usd
      FROM builder.ledger_entries WHERE kind = 'accrual' AND sweep_id = ${text(sweepId)}
      ON CONFLICT (sweep_id, kind) DO NOTHING RETURNING id`
    if (added.length === 1) return "added"
    const booked = yield* sql`SELECT 1 AS booked FROM builder.ledger_entries
      WHERE kind = 'reversal' AND sweep_id = ${text(sweepId)}`
    if (booked.length === 1) return "already_booked"
    return yield* new AccrualNotFound({ sweepId })
  }, guarded("Ledger.reverse"))

/** Kept sums of the entries with those of the open batches' lines, per token and chain. */
const sums = (sql: SqlClient.SqlClient, kept: Statement.Fragment, ofBuilder: Statement.Fragment) =>
  Effect.flatMap(
    sql`SELECT chain_id, token, sum(earned) AS earned, sum(paid) AS paid, sum(claimed) AS claimed FROM (
        SELECT chain_id, token::text AS token, earned, paid, 0 AS claimed FROM ${kept} WHERE ${ofBuilder}
        UNION ALL
        SELECT p.chain_id, p.token::text, 0, 0, l.amount FROM builder.payouts p
          JOIN builder.payout_lines l ON l.payout_id = p.id WHERE p.status = 'open' AND ${ofBuilder}
      ) AS parts GROUP BY token, chain_id ORDER BY token COLLATE "C", chain_id NULLS FIRST`,
    totalsOf
  )

const totals = (sql: SqlClient.SqlClient): Ledger["Service"]["totals"] =>
  Effect.fn("Ledger.totals")(
    (builderId) => sums(sql, sql`builder.ledger_totals`, sql`builder_id = ${text(builderId)}`),
    guarded("Ledger.totals")
  )

const allTotals = (sql: SqlClient.SqlClient): Ledger["Service"]["allTotals"] =>
  sums(sql, sql`builder.treasury_totals`, sql`true`).pipe(
    guarded("Ledger.allTotals"),
    Effect.withSpan("Ledger.allTotals")
  )

/** The entries that `chosen` selects, with their chains. */
const entriesIn = (sql: SqlClient.SqlClient, chosen: Statement.Fragment) =>
  Effect.gen(function* () {
    const rows = yield* Rows.decode(EntryRow)(
      yield* sql`SELECT e.id, e.kind, e.builder_id, e.token, e.earned, e.paid, e.sweep_id, e.tx_hash, e.created_at, e.usd,
          coalesce(e.chain_id, a.chain_id, p.chain_id) AS chain_id
        FROM (${chosen}) AS e LEFT JOIN builder.accrual_chains a ON a.sweep_id = e.sweep_id
          LEFT JOIN builder.payouts p ON p.id = e.payout_id
        ORDER BY e.id`
    )
    return rows.map((row) => ({
      id: row.id,
      kind: row.kind,
      builderId: row.builder_id,
      token: row.token,
      earned: row.earned,
      paid: row.paid,
      createdAtMs: row.created_at,
      ...Rows.present({ chainId: row.chain_id, sweepId: row.sweep_id, txHash: row.tx_hash, usd: row.usd })
    }))
  })

const entries = (sql: SqlClient.SqlClient): Ledger["Service"]["entries"] =>
  Effect.fn("Ledger.entries")(
    (builderId, page) =>
      entriesIn(
        sql,
        sql`SELECT * FROM builder.ledger_entries WHERE builder_id = ${text(builderId)}
            AND id > coalesce(${Rows.rowId(page.after)}::bigint, 0)
          ORDER BY id LIMIT ${page.limit}`
      ),
    guarded("Ledger.entries")
  )

const ofTransaction = (sql: SqlClient.SqlClient): Ledger["Service"]["ofTransaction"] =>
  Effect.fn("Ledger.ofTransaction")(
    (builderId, txHash) =>
      entriesIn(
        sql,
        sql`SELECT * FROM builder.ledger_entries
          WHERE ${Earnings.ofSettlement(sql, txHash)} AND builder_id = ${text(builderId)}
          ORDER BY id LIMIT 500`
      ),
    guarded("Ledger.ofTransaction")
  )

export const layer = Layer.effect(
  Ledger,
  Effect.map(SqlClient.SqlClient, (sql) =>
    Ledger.of({
      accrue: accrue(sql),
      assign: assign(sql),
      reverse: reverse(sql),
      totals: totals(sql),
      allTotals: allTotals(sql),
      earnings: Earnings.earnings(sql),
      activity: Earnings.activity(sql),
      entries: entries(sql),
      ofTransaction: ofTransaction(sql)
    })
  )
)
