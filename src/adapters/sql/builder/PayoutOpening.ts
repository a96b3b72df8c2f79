/**
 * Opens batches. A batch claims entries of `builder.payable`, which has those that are owed and in no standing claim. Which builders are
 * owed enough follows from the kept sums, so that neither paid nor owed entries are counted for it.
 */
import { Clock, Effect, Schema } from "effect"
import type * as SqlClient from "effect/sql/SqlClient"
import * as Address from "../../../domain/Address.ts"
import { MAX_UINT256 } from "../../../domain/Amount.ts"
import { MAX_BATCH_ENTRIES, MAX_BATCH_LINES, type PayoutBatch } from "../../../domain/Payout.ts"
import { type Claimable, NothingOwed, type Payee, type Payouts } from "../../../ports/builder/Payouts.ts"
import { guarded, timestamp } from "../shared/Database.ts"
import * as Rows from "./Rows.ts"

const CandidateRow = Schema.Struct({
  builder_id: Schema.String,
  payout_address: Address.Address,
  amount: Rows.Integer,
  suspended: Schema.Boolean,
  wallet_chain_id: Schema.NullOr(Rows.Int8)
})

/** Builders who are owed enough. An amount above a uint256 cannot be transferred at once, and cannot exist. */
const owed = (sql: SqlClient.SqlClient, { chainId, minAmount, token }: Claimable) => {
  const least = (minAmount > 1n ? minAmount : 1n).toString()
  return sql`SELECT builder_id, sum(amount) AS amount FROM (
      SELECT builder_id, earned - paid AS amount FROM builder.ledger_totals WHERE token = ${token} AND chain_id = ${chainId}
      UNION ALL
      SELECT l.builder_id, -l.amount FROM builder.payouts p JOIN builder.payout_lines l ON l.payout_id = p.id
      WHERE p.status = 'open' AND p.token = ${token} AND p.chain_id = ${chainId}
    ) AS parts GROUP BY builder_id HAVING sum(amount) BETWEEN ${least}::numeric AND ${MAX_UINT256.toString()}::numeric`
}

export const candidates = (sql: SqlClient.SqlClient): Payouts["Service"]["candidates"] =>
  Effect.fn("Payouts.candidates")(function* (request) {
    const rows = yield* Rows.decode(CandidateRow)(
      yield* sql`SELECT o.builder_id, b.payout_address, b.suspended_at IS NOT NULL AS suspended, b.wallet_chain_id, o.amount
        FROM (${owed(sql, request)}) o JOIN builder.builders b ON b.id = o.builder_id ORDER BY o.builder_id`
    )
    return rows.map(({ builder_id, payout_address, wallet_chain_id, ...row }) => ({
      builderId: builder_id,
      payoutAddress: payout_address,
      ...row,
      ...Rows.present({ walletChainId: wallet_chain_id })
    }))
  }, guarded("Payouts.candidates"))

const amongPayees = (sql: SqlClient.SqlClient, payees: ReadonlyArray<Payee> | undefined) =>
  payees === undefined
    ? sql``
    : sql`AND (b.id, b.payout_address) IN (
        SELECT payee."builderId", payee."payoutAddress" FROM jsonb_to_recordset(${JSON.stringify(payees)}::text::jsonb)
          AS payee ("builderId" text, "payoutAddress" text))`

const ClaimedRow = Schema.Struct({ claimed: Rows.Int8, more: Schema.Boolean })

/**
 * The orders of `PayoutClaims.orders`, as common table expressions over the entries of the builder `c`. `pays` says that the first
 * `limit` entries sum to more than zero. Entries after them are read by `reversals_first` only as far as they show that there are more.
 */
const orders = (sql: SqlClient.SqlClient, { chainId, token }: Claimable, limit: number) => {
  const own = sql`p.token = ${token} AND p.chain_id = ${chainId} AND p.builder_id = c.builder_id`
  const pays = sql`coalesce(sum(amount) FILTER (WHERE turn <= ${limit}) OVER (), 0) > 0 AS pays`
  return sql`reversals_first AS MATERIALIZED (
      SELECT *, ${pays} FROM (
        SELECT entry_id, amount, usd, row_number() OVER (ORDER BY amount > 0, entry_id) AS turn FROM builder.payable p
        WHERE ${own} ORDER BY amount > 0, entry_id LIMIT ${limit + 1}
      ) f
    ), unpaired AS MATERIALIZED (
      SELECT p.entry_id, p.amount, p.usd, sum(p.amount) OVER () AS owed
      FROM builder.payable p JOIN builder.ledger_entries e ON e.id = p.entry_id
      WHERE ${own} AND NOT EXISTS (SELECT FROM builder.ledger_entries o JOIN builder.payable q ON q.entry_id = o.id
        WHERE o.sweep_id = e.sweep_id AND o.kind <> e.kind)
    ), largest_first AS MATERIALIZED (
      SELECT *, ${pays} FROM (
        SELECT entry_id, amount, usd, row_number() OVER (ORDER BY amount > 0, amount DESC, entry_id) AS turn FROM unpaired
      ) u
    ), within_owed AS (
      SELECT * FROM (
        SELECT entry_id, amount, usd, owed, row_number() OVER largest AS turn, sum(amount) OVER largest AS reached
        FROM unpaired WHERE amount > 0 AND amount <= owed
        WINDOW largest AS (ORDER BY amount DESC, entry_id ROWS UNBOUNDED PRECEDING)
      ) w WHERE reached <= owed
    )`
}

/**
 * Claims the entries of builders in the order of their ids, up to `maxEntries` and of up to `maxLines` builders, and reads few more. Each builder's entries are in the
 * first order that pays it, and a builder whom none pays takes no place. Only the last builder may get fewer than its order has. A line
 * is never more than its builder is owed. Whatever order a plan reads them in, a builder whose entries are not its first ones (`turn`)
 * gets no line.
 */
const claim = (sql: SqlClient.SqlClient) =>
  Effect.fnUntraced(function* ({
    id,
    maxEntries = MAX_BATCH_ENTRIES,
    maxLines = MAX_BATCH_LINES,
    payees,
    ...request
  }: Parameters<Payouts["Service"]["open"]>[0]) {
    // One more than are claimed shows that there are more.
    const looked = maxEntries + 1
    // One statement computes lines and claims, so that they cannot differ.
    const rows = yield* sql`WITH chosen AS MATERIALIZED (
        SELECT o.builder_id, b.payout_address, o.amount FROM (${owed(sql, request)}) o JOIN builder.builders b ON b.id = o.builder_id
        WHERE coalesce(b.wallet_chain_id = ${request.chainId}, true)
          AND b.suspended_at IS NULL ${amongPayees(sql, payees)}
      ), looked AS MATERIALIZED (
        SELECT c.builder_id, c.payout_address, p.entry_id, p.amount, p.usd, p.turn
        FROM (SELECT * FROM chosen ORDER BY builder_id) c CROSS JOIN LATERAL (
          WITH ${orders(sql, request, maxEntries)}
          SELECT entry_id, amount, usd, turn FROM reversals_first WHERE pays
          UNION ALL SELECT entry_id, amount, usd, turn FROM largest_first
            WHERE pays AND NOT EXISTS (SELECT FROM reversals_first WHERE pays)
          UNION ALL SELECT entry_id, amount, usd, turn FROM within_owed
            WHERE NOT EXISTS (SELECT FROM reversals_first WHERE pays) AND NOT EXISTS (SELECT FROM largest_first WHERE pays)
        ) p ORDER BY c.builder_id LIMIT ${looked}
      ), taken AS MATERIALIZED (
        SELECT * FROM (SELECT *, row_number() OVER (ORDER BY builder_id, turn) AS position,
          dense_rank() OVER (ORDER BY builder_id) AS line FROM looked) l
        WHERE position <= ${maxEntries} AND line <= ${maxLines}
      ), lines AS (
        INSERT INTO builder.payout_lines (payout_id, builder_id, payout_address, amount, entries, usd, priced)
        SELECT ${id}, builder_id, payout_address, sum(amount), count(*)::integer,
          coalesce(sum(usd), 0), coalesce(sum(amount) FILTER (WHERE usd IS NOT NULL), 0)
        FROM taken GROUP BY builder_id, payout_address HAVING sum(amount) > 0 AND count(*) = max(turn)
        RETURNING builder_id, amount
      ), claims AS (
        INSERT INTO builder.payout_claims (payout_id, builder_id, entry_id)
        SELECT ${id}, t.builder_id, t.entry_id FROM taken t JOIN lines l ON l.builder_id = t.builder_id
        RETURNING entry_id
      )
      SELECT (SELECT count(*) FROM claims) AS claimed, (SELECT count(*) FROM looked) > (SELECT count(*) FROM taken)
        OR EXISTS (SELECT FROM lines l JOIN chosen c ON c.builder_id = l.builder_id WHERE l.amount < c.amount) AS more`
    const [row] = yield* Rows.decode(ClaimedRow)(rows)
    return row ?? { claimed: 0, more: false }
  })

/** Makes `open`. `read` returns the batch as this transaction changed it. */
export const open = <E>(
  sql: SqlClient.SqlClient,
  read: (id: string) => Effect.Effect<PayoutBatch, E>
): Payouts["Service"]["open"] =>
  Effect.fn("Payouts.open")(
    function* (request) {
      const { chainId, id, minAmount, token } = request
      const now = timestamp(yield* Clock.currentTimeMillis)
      yield* sql`SELECT pg_advisory_xact_lock(hashtextextended(${`token-sweep.payout.${token}`}, 0))`
      yield* sql`INSERT INTO builder.payouts (id, chain_id, token, min_amount, created_at)
        VALUES (${id}, ${chainId}, ${token}, ${minAmount.toString()}::numeric, ${now})`
      const { claimed, more } = yield* claim(sql)(request)
      if (claimed === 0) return yield* new NothingOwed({ leftOut: [] })
      const batch = yield* Effect.orDie(read(id))
      return more ? { ...batch, more: true as const } : batch
    },
    sql.withTransaction,
    guarded("Payouts.open")
  )
