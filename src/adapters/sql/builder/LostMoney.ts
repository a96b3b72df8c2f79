/** Reads settlements and payments of the books, and books those that a restore made them forget. */
import { Clock, Effect, Schema } from "effect"
import type * as SqlClient from "effect/sql/SqlClient"
import * as Address from "../../../domain/Address.ts"
import { Hash } from "../../../domain/Hex.ts"
import type { LostLine, OwedEntry } from "../../../domain/LostPayments.ts"
import type { BookedLine, UnassignedFee } from "../../../domain/LostSweeps.ts"
import { text, timestamp } from "../shared/Database.ts"
import * as Rows from "./Rows.ts"

type Sql = SqlClient.SqlClient

const OwedRow = Schema.Struct({
  id: Rows.RowId,
  builder_id: Schema.String,
  token: Address.Address,
  amount: Rows.Integer,
  sweep_id: Schema.NullOr(Schema.String)
})

/** Entries of a chain that are owed and that no batch claims, in the order of their settlements. */
export const owed = (sql: Sql, chainId: number) =>
  Effect.map(
    Effect.flatMap(
      sql`SELECT e.id, p.builder_id, p.token, p.amount, e.sweep_id
        FROM builder.payable p JOIN builder.ledger_entries e ON e.id = p.entry_id
          LEFT JOIN builder.revenue r ON r.sweep_id = e.sweep_id
        WHERE p.chain_id = ${chainId} ORDER BY coalesce(r.settled_at, e.created_at), e.id`,
      Rows.decode(OwedRow)
    ),
    (rows) =>
      rows.map(({ builder_id, sweep_id, ...row }): OwedEntry => ({
        ...row,
        builderId: builder_id,
        ...Rows.present({ sweepId: sweep_id })
      }))
  )

/** Tokens in which builders earned on a chain, or have a fee that waits there. */
const earnedTokens = (
  sql: Sql,
  chainId: number
) => sql`SELECT token FROM builder.treasury_totals WHERE chain_id = ${chainId}
  UNION SELECT token FROM builder.payouts WHERE chain_id = ${chainId}
  UNION SELECT token FROM builder.unassigned_accruals WHERE chain_id = ${chainId}`

const tokensOf = (rows: ReadonlyArray<unknown>) =>
  Effect.map(Rows.decode(Schema.Struct({ token: Address.Address }))(rows), (decoded) =>
    decoded.map(({ token }) => token)
  )

/**
 * Tokens in which builders earned on a chain, or may have: a fee that waits may have been assigned and paid in the lost time. So may an
 * accrual without a chain, on any chain.
 */
export const tokens = (sql: Sql, chainId: number) =>
  Effect.flatMap(sql`${earnedTokens(sql, chainId)} UNION SELECT token FROM builder.chainless`, tokensOf)

/** Those of {@link tokens} that are in it only for accruals without a chain. */
export const assignableTokens = (sql: Sql, chainId: number) =>
  Effect.flatMap(sql`SELECT token FROM builder.chainless EXCEPT (${earnedTokens(sql, chainId)})`, tokensOf)

/** Which of the settlements the books have. */
export const known = Effect.fnUntraced(function* (sql: Sql, sweepIds: ReadonlyArray<string>) {
  const ids = sweepIds.map(text)
  const rows = yield* sql<{ sweep_id: string; book: "revenue" | "accrual" | "unassigned" }>`
    SELECT sweep_id, 'revenue' AS book FROM builder.revenue WHERE sweep_id = ANY(${ids}::text[])
    UNION ALL SELECT sweep_id, 'accrual' FROM builder.ledger_entries
      WHERE kind = 'accrual' AND sweep_id = ANY(${ids}::text[])
    UNION ALL SELECT sweep_id, 'unassigned' FROM builder.unassigned_accruals WHERE sweep_id = ANY(${ids}::text[])`
  const of = (book: "revenue" | "accrual" | "unassigned") =>
    new Set(rows.filter((row) => row.book === book).map(({ sweep_id }) => sweep_id))
  return { revenue: of("revenue"), accruals: of("accrual"), unassigned: of("unassigned") }
})

/** An accrual of the books that was not reversed. */
export interface BookedAccrual {
  readonly sweepId: string
  readonly builderId: string
  readonly token: Address.Address
  readonly amount: bigint
  /** Absent if it is not assigned to a chain. */
  readonly chainId?: number
}

const AccrualRow = Schema.Struct({
  sweep_id: Schema.String,
  builder_id: Schema.String,
  token: Address.Address,
  earned: Rows.Integer,
  chain_id: Schema.NullOr(Rows.Int8)
})

/** Accruals of these sweeps that were not reversed, by sweep. */
export const accruals = (sql: Sql, sweepIds: ReadonlyArray<string>) =>
  Effect.map(
    Effect.flatMap(
      sql`SELECT e.sweep_id, e.builder_id, e.token, e.earned, coalesce(e.chain_id, c.chain_id) AS chain_id
        FROM builder.ledger_entries e LEFT JOIN builder.accrual_chains c ON c.sweep_id = e.sweep_id
        WHERE e.kind = 'accrual' AND e.sweep_id = ANY(${sweepIds.map(text)}::text[]) AND NOT EXISTS (
          SELECT FROM builder.ledger_entries r WHERE r.sweep_id = e.sweep_id AND r.kind = 'reversal')`,
      Rows.decode(AccrualRow)
    ),
    (rows) =>
      new Map(
        rows.map(({ builder_id, chain_id, earned, sweep_id, token }): readonly [string, BookedAccrual] => [
          sweep_id,
          { sweepId: sweep_id, builderId: builder_id, token, amount: earned, ...Rows.present({ chainId: chain_id }) }
        ])
      )
  )

const LineRow = Schema.Struct({
  book: Schema.Literals(["revenue", "accrual", "unassigned"]),
  sweep_id: Schema.String,
  token: Address.Address,
  amount: Rows.Integer,
  builder_id: Schema.NullOr(Schema.String)
})

/** Lines that are booked under settlements of these transactions, without accruals that were reversed. */
export const linesOf = (sql: Sql, hashes: ReadonlyArray<Hash>) => {
  // Ids of settlements are the hash, "_" and a position. "`" is the character after "_".
  const settled = sql`FROM unnest(${hashes}::text[]) AS t (hash) CROSS JOIN LATERAL`
  const within = sql`b.sweep_id > t.hash || '_' AND b.sweep_id < t.hash || '\`'`
  return Effect.map(
    Effect.flatMap(
      sql`SELECT 'revenue' AS book, l.sweep_id, l.token, l.amount, NULL AS builder_id ${settled}
          (SELECT * FROM builder.revenue b WHERE ${within}) l
        UNION ALL SELECT 'unassigned', l.sweep_id, l.token, l.amount, NULL ${settled}
          (SELECT * FROM builder.unassigned_accruals b WHERE ${within}) l
        UNION ALL SELECT 'accrual', l.sweep_id, l.token, l.earned, l.builder_id ${settled}
          (SELECT * FROM builder.ledger_entries b WHERE ${within} AND b.kind = 'accrual' AND NOT EXISTS (
            SELECT FROM builder.ledger_entries r WHERE r.sweep_id = b.sweep_id AND r.kind = 'reversal')) l`,
      Rows.decode(LineRow)
    ),
    (rows) =>
      rows.map(({ builder_id, sweep_id, ...row }): BookedLine => ({
        ...row,
        sweepId: sweep_id,
        ...Rows.present({ builderId: builder_id })
      }))
  )
}

/** Keeps a fee until an operator assigns it to a builder. Idempotent. */
export const keepUnassigned = Effect.fnUntraced(function* (sql: Sql, fee: UnassignedFee) {
  yield* sql`INSERT INTO builder.unassigned_accruals
      (sweep_id, chain_id, token, amount, recipient, paid, tx_hash, settled_at, found_at)
    VALUES (${fee.sweepId}, ${fee.chainId}, ${fee.token}, ${fee.amount.toString()}::numeric, ${fee.recipient}, ${fee.paid},
      ${fee.txHash.toLowerCase()}, ${timestamp(fee.settledAtMs)}, ${timestamp(yield* Clock.currentTimeMillis)})
    ON CONFLICT (sweep_id) DO NOTHING`
})

const UnassignedRow = Schema.Struct({
  sweep_id: Schema.String,
  chain_id: Rows.Int8,
  token: Address.Address,
  amount: Rows.Integer,
  recipient: Address.Address,
  paid: Schema.Boolean,
  tx_hash: Hash,
  settled_at: Rows.Millis
})

/** Fees that are not assigned yet, oldest first. */
export const unassigned = (sql: Sql) =>
  Effect.map(
    Effect.flatMap(
      sql`SELECT u.sweep_id, u.chain_id, u.token, u.amount, u.recipient, u.paid, u.tx_hash, u.settled_at
        FROM builder.unassigned_accruals u WHERE NOT EXISTS (
          SELECT 1 FROM builder.ledger_entries e WHERE e.kind = 'accrual' AND e.sweep_id = u.sweep_id)
        ORDER BY u.settled_at, u.sweep_id`,
      Rows.decode(UnassignedRow)
    ),
    (rows) =>
      rows.map(({ chain_id, settled_at, sweep_id, tx_hash, ...row }): UnassignedFee => ({
        ...row,
        sweepId: sweep_id,
        chainId: chain_id,
        txHash: tx_hash,
        settledAtMs: settled_at
      }))
  )

/** Which of the sweeps have an accrual of the builder that was not reversed. */
export const accruedTo = (sql: Sql, builderId: string, sweepIds: ReadonlyArray<string>) =>
  Effect.map(
    sql<{ sweep_id: string }>`SELECT e.sweep_id FROM builder.ledger_entries e
      WHERE e.kind = 'accrual' AND e.builder_id = ${text(builderId)} AND e.sweep_id = ANY(${sweepIds.map(text)}::text[])
        AND NOT EXISTS (
          SELECT FROM builder.ledger_entries r WHERE r.sweep_id = e.sweep_id AND r.kind = 'reversal')
      ORDER BY e.sweep_id`,
    (rows) => new Set(rows.map(({ sweep_id }) => sweep_id))
  )

/** Payments of a chain for which the operator gave a reason. */
export const explained = (sql: Sql, chainId: number) =>
  Effect.map(
    Effect.flatMap(
      sql`SELECT tx_hash, token FROM builder.explained_payments WHERE chain_id = ${chainId}`,
      Rows.decode(Schema.Struct({ tx_hash: Hash, token: Address.Address }))
    ),
    (rows) => rows.map(({ token, tx_hash }) => ({ token, txHash: tx_hash }))
  )

/** Keeps the operator's reason for a payment. Idempotent. */
export const explain = Effect.fnUntraced(function* (
  sql: Sql,
  payment: { readonly chainId: number; readonly txHash: Hash; readonly token: Address.Address },
  reason: string
) {
  yield* sql`INSERT INTO builder.explained_payments (chain_id, tx_hash, token, reason, explained_at)
    VALUES (${payment.chainId}, ${payment.txHash.toLowerCase()}, ${payment.token}, ${text(reason)},
      ${timestamp(yield* Clock.currentTimeMillis)})
    ON CONFLICT DO NOTHING`
})

/**
 * Opens a batch again that the books forgot, with the entries that its lines settle. Fails if one of them is claimed meanwhile,
 * since the unique index of standing claims refuses a second claim.
 */
export const reopenBatch = Effect.fnUntraced(function* (
  sql: Sql,
  batch: {
    readonly id: string
    readonly chainId: number
    readonly token: Address.Address
    readonly lines: ReadonlyArray<LostLine>
  }
) {
  const now = timestamp(yield* Clock.currentTimeMillis)
  yield* sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`INSERT INTO builder.payouts (id, chain_id, token, min_amount, created_at)
        VALUES (${batch.id}, ${batch.chainId}, ${batch.token}, 0, ${now})`
      for (const { amount, builderId, entries, payoutAddress } of batch.lines) {
        yield* sql`INSERT INTO builder.payout_lines (payout_id, builder_id, payout_address, amount, entries, usd, priced)
          SELECT ${batch.id}, ${builderId}, ${payoutAddress}, ${amount.toString()}::numeric, ${entries.length}::integer,
            coalesce(sum(usd), 0), coalesce(sum(earned - paid) FILTER (WHERE usd IS NOT NULL), 0)
          FROM builder.ledger_entries WHERE id = ANY (${entries}::bigint[])`
        yield* sql`INSERT INTO builder.payout_claims (payout_id, builder_id, entry_id)
          SELECT ${batch.id}, ${builderId}, id::bigint FROM unnest(${entries}::text[]) AS id`
      }
    })
  )
})
