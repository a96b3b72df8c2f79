/**
 * Batches in `builder.payouts`, with their lines and the entries that they claim. Opening a batch locks its token and
 * chain until the commit, so that the next batch sees its claims; the unique index of standing claims rejects a second
 * claim in any case. Closing a batch locks its row.
 */
import { Array as Arr, Clock, Effect, Layer, Option, Schema } from "effect"
import * as SqlClient from "effect/sql/SqlClient"
import * as Address from "../../../domain/Address.ts"
import { Hash, Hex, lowerCase } from "../../../domain/Hex.ts"
import { type PayoutBatch, PayoutStatus, total } from "../../../domain/Payout.ts"
import {
  PaymentInFlight,
  PaymentTaken,
  PayoutClosed,
  PayoutNotFound,
  Payouts,
  RestoreUnreconciled
} from "../../../ports/builder/Payouts.ts"
import { guarded, text, timestamp } from "../shared/Database.ts"
import * as PayoutOpening from "./PayoutOpening.ts"
import * as Restores from "./Restores.ts"
import * as Rows from "./Rows.ts"

const BatchRow = Schema.Struct({
  id: Schema.String,
  chain_id: Rows.Int8,
  token: Address.Address,
  status: PayoutStatus,
  min_amount: Rows.Integer,
  created_at: Rows.Millis,
  closed_at: Schema.NullOr(Rows.Millis),
  tx_hash: Schema.NullOr(Hash),
  failure_reason: Schema.NullOr(Schema.String)
})

const LineRow = Schema.Struct({
  payout_id: Schema.String,
  builder_id: Schema.String,
  payout_address: Address.Address,
  amount: Rows.Integer,
  entries: Schema.Int
})

const PaymentRow = Schema.Struct({
  payout_id: Schema.String,
  tx_hash: Hash,
  raw: Hex,
  deadline: Rows.Int8,
  recorded_at: Rows.Millis
})

const isRecorded = ({ payments = [] }: PayoutBatch, txHash: string): boolean =>
  payments.some((payment) => payment.txHash === txHash)

const withLines = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, rows: ReadonlyArray<unknown>) {
  const batches = yield* Rows.decode(BatchRow)(rows)
  if (batches.length === 0) return []
  const ofBatches = sql.in(
    "payout_id",
    batches.map(({ id }) => id)
  )
  const lines = yield* Rows.decode(LineRow)(
    yield* sql`SELECT * FROM builder.payout_lines WHERE ${ofBatches} ORDER BY payout_id, builder_id`
  )
  const recorded = yield* Rows.decode(PaymentRow)(
    yield* sql`SELECT * FROM builder.payout_payments WHERE ${ofBatches} ORDER BY payout_id, attempt`
  )
  const linesOf = Map.groupBy(lines, ({ payout_id }) => payout_id)
  const paymentsOf = Map.groupBy(recorded, ({ payout_id }) => payout_id)
  return batches.map((row): PayoutBatch => {
    const own = (linesOf.get(row.id) ?? []).map(({ amount, builder_id, entries, payout_address }) => ({
      builderId: builder_id,
      payoutAddress: payout_address,
      amount,
      entries
    }))
    const payments = (paymentsOf.get(row.id) ?? []).map(({ deadline, raw, recorded_at, tx_hash }) => ({
      txHash: tx_hash,
      raw,
      deadline,
      recordedAtMs: recorded_at
    }))
    return {
      id: row.id,
      chainId: row.chain_id,
      token: row.token,
      status: row.status,
      minAmount: row.min_amount,
      total: total(own),
      lines: own,
      createdAtMs: row.created_at,
      ...(payments.length === 0 ? {} : { payments }),
      ...Rows.present({ closedAtMs: row.closed_at, txHash: row.tx_hash, failureReason: row.failure_reason })
    }
  })
})

const read = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, id: string) {
  return Arr.head(yield* withLines(sql, yield* sql`SELECT * FROM builder.payouts WHERE id = ${text(id)}`))
})

/** The batch, locked until the transaction ends. */
const locked = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, id: string) {
  const rows = yield* sql`SELECT * FROM builder.payouts WHERE id = ${text(id)} FOR UPDATE`
  const batch = Arr.head(yield* withLines(sql, rows))
  return Option.isSome(batch) ? batch.value : yield* new PayoutNotFound({ id })
})

/** The batch as changed by this transaction. */
const changed = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, id: string) {
  const batch = yield* read(sql, id)
  return Option.isSome(batch) ? batch.value : yield* new PayoutNotFound({ id })
})

const requireReconciled = (sql: SqlClient.SqlClient): Payouts["Service"]["requireReconciled"] =>
  Effect.gen(function* () {
    if (yield* Restores.isUnreconciled(sql)) return yield* new RestoreUnreconciled()
  }).pipe(guarded("Payouts.requireReconciled"))

const find = (sql: SqlClient.SqlClient): Payouts["Service"]["find"] =>
  Effect.fn("Payouts.find")(function* (id) {
    return yield* read(sql, id)
  }, guarded("Payouts.find"))

const openOf = (sql: SqlClient.SqlClient): Payouts["Service"]["openOf"] =>
  Effect.fn("Payouts.openOf")(function* ({ chainId, token }) {
    return yield* withLines(
      sql,
      yield* sql`SELECT * FROM builder.payouts WHERE status = 'open' AND chain_id = ${chainId} AND token = ${token}
        ORDER BY position`
    )
  }, guarded("Payouts.openOf"))

const list = (sql: SqlClient.SqlClient): Payouts["Service"]["list"] =>
  Effect.fn("Payouts.list")(function* ({ before, limit }) {
    return yield* withLines(
      sql,
      yield* sql`SELECT * FROM builder.payouts WHERE position < coalesce(
          (SELECT position FROM builder.payouts WHERE id = ${before === undefined ? null : text(before)}::text),
          9223372036854775807)
        ORDER BY position DESC LIMIT ${limit}`
    )
  }, guarded("Payouts.list"))

const record = (sql: SqlClient.SqlClient): Payouts["Service"]["record"] =>
  Effect.fn("Payouts.record")(
    function* (id, { deadline, raw, txHash: hash }, known) {
      const txHash = lowerCase(hash)
      const batch = yield* locked(sql, id)
      if (isRecorded(batch, txHash)) return batch
      if (batch.status !== "open") return yield* new PayoutClosed({ id, status: batch.status })
      if ((batch.payments?.length ?? 0) !== known) return yield* new PaymentInFlight({ id })
      yield* sql`INSERT INTO builder.payout_payments (payout_id, attempt, tx_hash, raw, deadline, recorded_at)
        VALUES (${id}, ${known}, ${txHash}, ${raw}, ${deadline}, ${timestamp(yield* Clock.currentTimeMillis)})`
      return yield* changed(sql, id)
    },
    sql.withTransaction,
    guarded("Payouts.record")
  )

const markPaid = (sql: SqlClient.SqlClient): Payouts["Service"]["markPaid"] =>
  Effect.fn("Payouts.markPaid")(
    function* (id, hash, known = 0) {
      const txHash = lowerCase(hash)
      const batch = yield* locked(sql, id)
      if (batch.status === "paid" && batch.txHash === txHash) return batch
      if (batch.status !== "open") return yield* new PayoutClosed({ id, status: batch.status })
      if (!isRecorded(batch, txHash) && (batch.payments?.length ?? 0) !== known) {
        return yield* new PaymentInFlight({ id })
      }
      // A recorded payment belongs to its batch, also before it is booked there.
      const recordedElsewhere = yield* sql`SELECT 1 AS recorded FROM builder.payout_payments
        WHERE tx_hash = ${txHash} AND payout_id <> ${text(id)}`
      if (recordedElsewhere.length > 0) return yield* new PaymentTaken({ txHash: hash })
      const now = timestamp(yield* Clock.currentTimeMillis)
      yield* sql`UPDATE builder.payouts SET status = 'paid', tx_hash = ${txHash}, closed_at = ${now} WHERE id = ${id}`.pipe(
        Effect.catchReason("SqlError", "UniqueViolation", () => Effect.fail(new PaymentTaken({ txHash: hash })))
      )
      yield* sql`INSERT INTO builder.ledger_entries
          (kind, builder_id, chain_id, token, earned, paid, payout_id, tx_hash, created_at)
        SELECT 'payment', c.builder_id, ${batch.chainId}::bigint, e.token, 0, sum(e.earned - e.paid), c.payout_id, ${txHash},
          ${now}::timestamptz
        FROM builder.payout_claims c JOIN builder.ledger_entries e ON e.id = c.entry_id
        WHERE c.payout_id = ${id} GROUP BY c.payout_id, c.builder_id, e.token
        HAVING sum(e.earned - e.paid) <> 0 ORDER BY c.builder_id`
      return yield* changed(sql, id)
    },
    sql.withTransaction,
    guarded("Payouts.markPaid")
  )

const fail = (sql: SqlClient.SqlClient): Payouts["Service"]["fail"] =>
  Effect.fn("Payouts.fail")(
    function* (id, reason, known = 0) {
      const batch = yield* locked(sql, id)
      if (batch.status === "failed") return batch
      if (batch.status !== "open") return yield* new PayoutClosed({ id, status: batch.status })
      if ((batch.payments?.length ?? 0) !== known) return yield* new PaymentInFlight({ id })
      yield* sql`UPDATE builder.payouts SET status = 'failed', failure_reason = ${text(reason)},
        closed_at = ${timestamp(yield* Clock.currentTimeMillis)} WHERE id = ${id}`
      yield* sql`UPDATE builder.payout_claims SET released = true WHERE payout_id = ${id}`
      return yield* changed(sql, id)
    },
    sql.withTransaction,
    guarded("Payouts.fail")
  )

export const layer = Layer.effect(
  Payouts,
  Effect.map(SqlClient.SqlClient, (sql) =>
    Payouts.of({
      requireReconciled: requireReconciled(sql),
      candidates: PayoutOpening.candidates(sql),
      open: PayoutOpening.open(sql, (id) => changed(sql, id)),
      find: find(sql),
      openOf: openOf(sql),
      list: list(sql),
      record: record(sql),
      markPaid: markPaid(sql),
      fail: fail(sql)
    })
  )
)
