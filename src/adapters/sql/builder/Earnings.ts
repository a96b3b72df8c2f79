/** A builder's earnings: their sums in dollars, and the list of accruals in `builder.earnings`, which triggers keep. */
import { Effect, Schema } from "effect"
import type * as SqlClient from "effect/sql/SqlClient"
import * as Address from "../../../domain/Address.ts"
import type { TokenEarnings } from "../../../domain/Earnings.ts"
import { Hash, lowerCase } from "../../../domain/Hex.ts"
import { EarningStatus } from "../../../domain/LedgerEntry.ts"
import * as Usd from "../../../domain/Usd.ts"
import type { Ledger } from "../../../ports/builder/Ledger.ts"
import { guarded, text, timestamp } from "../shared/Database.ts"
import * as ListPages from "./ListPages.ts"
import * as Rows from "./Rows.ts"

const ActivityRow = Schema.Struct({
  id: Rows.RowId,
  sweep_id: Schema.String,
  chain_id: Schema.NullOr(Rows.Int8),
  token: Address.Address,
  earned: Rows.Integer,
  paid: Schema.Boolean,
  reversed: Schema.Boolean,
  created_at: Rows.Millis,
  usd: Schema.NullOr(Rows.Integer)
})

/** A sum of a day, or of a chain and a token. The columns that it is not grouped by are null. */
const EarningsRow = Schema.Struct({
  day: Schema.NullOr(Schema.String),
  chain_id: Schema.NullOr(Rows.Int8),
  token: Schema.NullOr(Address.Address),
  earned: Rows.Integer,
  earned_usd: Rows.Integer,
  earned_unpriced: Rows.Integer,
  paid: Rows.Integer,
  paid_usd: Rows.Integer,
  paid_unpriced: Rows.Integer,
  sweeps: Rows.Int8
})

const tokenEarnings = (row: typeof EarningsRow.Type): ReadonlyArray<TokenEarnings> =>
  row.token === null
    ? []
    : [
        {
          token: row.token,
          sweeps: row.sweeps,
          earned: row.earned,
          earnedUsd: row.earned_usd,
          earnedUnpriced: row.earned_unpriced,
          paid: row.paid,
          paidUsd: row.paid_usd,
          paidUnpriced: row.paid_unpriced,
          ...(row.chain_id === null || row.chain_id === 0 ? {} : { chainId: row.chain_id })
        }
      ]

export const earnings = (sql: SqlClient.SqlClient): Ledger["Service"]["earnings"] =>
  Effect.fn("Ledger.earnings")(function* (builderId, { fromMs, toMs }) {
    const dayOf = (millis: number) => sql`(${timestamp(millis)}::timestamptz AT TIME ZONE 'UTC')::date`
    const rows = yield* Rows.decode(EarningsRow)(
      yield* sql`SELECT to_char(day, 'YYYY-MM-DD') AS day, chain_id, token, sum(earned) AS earned,
          sum(earned_usd) AS earned_usd, sum(earned_unpriced) AS earned_unpriced, sum(paid) AS paid,
          sum(paid_usd) AS paid_usd, sum(paid_unpriced) AS paid_unpriced, sum(sweeps)::bigint AS sweeps
        FROM (
          SELECT day, chain_id, token::text AS token, earned, earned_usd, earned_unpriced, paid, paid_usd, paid_unpriced, sweeps
          FROM builder.earning_day_sums
          WHERE builder_id = ${text(builderId)} AND day BETWEEN ${dayOf(fromMs)} AND ${dayOf(toMs)}
        ) AS parts
        GROUP BY GROUPING SETS ((parts.day), (chain_id, token))
        ORDER BY parts.day, chain_id, token COLLATE "C"`
    )
    return {
      tokens: rows.flatMap(tokenEarnings),
      days: rows.flatMap(({ day, earned_usd }) => (day === null ? [] : [{ day, earnedUsd: earned_usd }]))
    }
  }, guarded("Ledger.earnings"))

/** Statuses of accruals. */
const STATUSES = EarningStatus.literals

/** Ids of settlements are the hash, "_" and a position. "`" is the character after "_". */
export const ofSettlement = (sql: SqlClient.SqlClient, settlement: string) =>
  Schema.is(Hash)(settlement)
    ? sql`sweep_id > ${`${lowerCase(settlement)}_`} AND sweep_id < ${`${lowerCase(settlement)}\``}`
    : sql`sweep_id = ${text(settlement)}`

type ActivityPage = Parameters<Ledger["Service"]["activity"]>[1]

/** The rows of `builder.earnings` that a page lists, or more of them. */
const listed = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, builderId: string, page: ActivityPage) {
  const { chainId, limit, settlement, status, token } = page
  const list = {
    table: "builder.earnings",
    owner: sql`builder_id = ${text(builderId)}`,
    at: "created_at",
    key: "id"
  }
  const within = yield* ListPages.window(sql, list, page)
  const ofStatus = status === undefined ? sql`` : sql`AND status = ${status}`
  if (settlement !== undefined) {
    const ofToken = token === undefined ? sql`` : sql`AND token = ${token}`
    const ofChain = chainId === undefined ? sql`` : sql`AND chain_id = ${chainId}`
    return sql`SELECT * FROM builder.earnings WHERE id = ANY(ARRAY(
        SELECT id FROM builder.ledger_entries WHERE ${ofSettlement(sql, settlement)} AND kind = 'accrual'
      )) AND ${list.owner} ${ofStatus} ${ofToken} ${ofChain} ${within}`
  }
  if (chainId === undefined && token === undefined) {
    return sql`SELECT * FROM builder.earnings WHERE ${list.owner} ${ofStatus} ${within} ${ListPages.newest(sql, list, limit)}`
  }
  const statuses = status === undefined ? STATUSES : [status]
  const side = { chain: "chain_id", token: "token" }
  return ListPages.ofSide(sql, list, side, { statuses, chainId, token }, within, limit)
})

export const activity = (sql: SqlClient.SqlClient): Ledger["Service"]["activity"] =>
  Effect.fn("Ledger.activity")(function* (builderId, page) {
    const rows = yield* Rows.decode(ActivityRow)(
      // The page comes first: looked up for its few rows alone, nothing else of the ledger is read.
      yield* sql`SELECT e.id, e.sweep_id, nullif(l.chain_id, 0) AS chain_id, e.token, e.earned, e.created_at, e.usd,
          e.tx_hash IS NOT NULL OR EXISTS (SELECT 1 FROM builder.payout_claims c JOIN builder.payouts p ON p.id = c.payout_id
            WHERE c.entry_id = e.id AND NOT c.released AND p.status = 'paid') AS paid,
          l.status = 'reversed' AS reversed
        FROM (
          SELECT id, chain_id, status, created_at FROM (${yield* listed(sql, builderId, page)}) AS matching
          ORDER BY created_at DESC, id DESC LIMIT ${page.limit}
        ) AS l JOIN builder.ledger_entries e ON e.id = l.id
        ORDER BY l.created_at DESC, l.id DESC`
    )
    return rows.map((row) => ({
      id: row.id,
      activity: {
        sweepId: row.sweep_id,
        token: row.token,
        amount: row.earned,
        paid: row.paid,
        createdAtMs: row.created_at,
        ...Rows.present({ chainId: row.chain_id }),
        ...(row.reversed ? { reversed: true as const } : {}),
        ...(row.usd === null ? {} : { usd: Usd.format(row.usd) })
      }
    }))
  }, guarded("Ledger.activity"))
