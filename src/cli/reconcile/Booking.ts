/** Books what a chain shows and the database does not have. Every booking is safe to repeat. */
import type { PgClient } from "@effect/sql-pg"
import { Array as Arr, Clock, Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import * as Money from "../../adapters/sql/builder/LostMoney.ts"
import { mapped } from "../../adapters/sql/shared/Database.ts"
import * as PaymentProof from "../../builder/payout/PaymentProof.ts"
import { PayoutDesk } from "../../builder/payout/PayoutDesk.ts"
import type { LostLine, OwedEntry, PaymentFinding, Unexplained } from "../../domain/LostPayments.ts"
import { isStray, type SweepBooking, type UnassignedFee } from "../../domain/LostSweeps.ts"
import { type PayoutBatch, total } from "../../domain/Payout.ts"
import { AuditLog } from "../../ports/builder/AuditLog.ts"
import { Ledger } from "../../ports/builder/Ledger.ts"
import { Payouts } from "../../ports/builder/Payouts.ts"
import { RevenueBook } from "../../ports/builder/RevenueBook.ts"
import { UnitOfWork } from "../../ports/builder/UnitOfWork.ts"
import type { Open, Report } from "./Report.ts"

/** Name of this command in the audit log. */
export const ACTOR = "sweep reconcile"

/** Lines of revenue that one statement books, within the limit of a statement. */
const LINES_PER_STATEMENT = 500

const stopping = (text: string): Open => ({ stopsPayouts: true, text })

/** A fee that can be assigned, from an accrual whose builder the books do not have. */
const unassignedOf = ({ accrual, sweep }: SweepBooking): UnassignedFee | undefined =>
  accrual === undefined
    ? undefined
    : {
        sweepId: sweep.sweepId,
        chainId: sweep.chainId,
        token: sweep.feeToken,
        amount: sweep.builderFee,
        recipient: sweep.recipient,
        paid: accrual.paidTxHash !== undefined,
        txHash: sweep.txHash,
        settledAtMs: sweep.settledAtMs
      }

/** Books an accrual. Returns what remains open. */
const accrue = Effect.fnUntraced(function* (sql: PgClient.PgClient, booking: SweepBooking) {
  const { accrual } = booking
  if (accrual === undefined) return []
  const ledger = yield* Ledger
  return yield* ledger.accrue(accrual).pipe(
    Effect.as<ReadonlyArray<Open>>([]),
    Effect.catchTags({
      AccrualConflict: ({ message }) => Effect.succeed([stopping(message)]),
      UnknownBuilder: () => {
        const fee = unassignedOf(booking)
        return fee === undefined ? Effect.succeed([]) : Effect.as(Money.keepUnassigned(sql, fee), [])
      }
    })
  )
})

/**
 * Books settlements. Returns those that the books did not have, and what remains open. `strays` are those whose builder's fee is not
 * booked, since it went to an unknown account.
 */
export const sweeps = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  bookings: ReadonlyArray<SweepBooking>,
  dryRun: boolean
) {
  const known = yield* Money.known(
    sql,
    bookings.map(({ sweep }) => sweep.sweepId)
  )
  const isAccrued = ({ sweep }: SweepBooking) => known.accruals.has(sweep.sweepId)
  const accruals = bookings.filter((each) => each.accrual !== undefined && !isAccrued(each))
  const waiting = bookings.filter(
    (each) => each.unassigned !== undefined && !isAccrued(each) && !known.unassigned.has(each.sweep.sweepId)
  )
  // A fee is kept once it is known that a vault has it. A kept fee never changes.
  const strays = waiting.filter(isStray)
  const kept = waiting.filter((each) => !isStray(each))
  const fresh = bookings.filter(
    (each) =>
      (each.revenue !== undefined && !known.revenue.has(each.sweep.sweepId)) ||
      accruals.includes(each) ||
      kept.includes(each)
  )
  const found = fresh.map(({ accrual, sweep }): Report["sweeps"][number] => ({
    chainId: sweep.chainId,
    sweepId: sweep.sweepId,
    token: sweep.feeToken,
    feeAmount: sweep.feeAmount,
    builderFee: sweep.builderFee,
    ...(accrual === undefined ? {} : { builderId: accrual.builderId })
  }))
  if (dryRun) return { found, open: [], accruals, strays }
  const revenueBook = yield* RevenueBook
  const lines = bookings.flatMap(({ revenue }) => revenue ?? [])
  const parts = yield* Effect.forEach(Arr.chunksOf(lines, LINES_PER_STATEMENT), (part) => revenueBook.bookAll(part))
  const conflicts = lines.filter(({ sweepId }) => !parts.some((part) => part.has(sweepId)))
  const open = yield* Effect.forEach(accruals, (each) => accrue(sql, each))
  yield* Effect.forEach(kept, ({ unassigned }) =>
    unassigned === undefined ? Effect.void : Money.keepUnassigned(sql, unassigned)
  )
  return {
    found,
    accruals,
    strays,
    open: [
      ...open.flat(),
      ...conflicts.map(({ sweepId }) => stopping(`revenue of sweep ${sweepId} is booked with other content`))
    ]
  }
}, mapped("reconcile sweeps"))

/** Entries that the accruals of a dry run would add. */
export const imagined = (accruals: ReadonlyArray<SweepBooking>): ReadonlyArray<OwedEntry> =>
  accruals.flatMap(({ accrual }) =>
    accrual === undefined || accrual.paidTxHash !== undefined
      ? []
      : [
          {
            id: `new:${accrual.sweepId}`,
            builderId: accrual.builderId,
            token: accrual.token,
            amount: accrual.amount,
            sweepId: accrual.sweepId
          }
        ]
  )

const unknownPayment = (chain: string, { payment, recipients }: PaymentFinding & { readonly _tag: "Unknown" }): Open =>
  stopping(
    `transaction ${payment.txHash} on ${chain} transfers ${payment.token} out of the vault, and no batch explains it: ${recipients
      .map(({ address, amount, builderId, owed }) =>
        builderId === undefined
          ? `${amount} to ${address}, which no builder has`
          : `${amount} to ${builderId}, who is owed ${owed}`
      )
      .join("; ")}. Assign the fees that it paid, or fail an open batch that has its entries, and run this again. ` +
      "If it was no payout, run `sweep reconcile explain`"
  )

/**
 * Books a batch that the books forgot, and its payment, in one transaction. A batch that a crash left open could be paid again once an
 * operator ends the restore. Chains are asked before, since a transaction must not wait for them.
 */
const settleLost = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  chainId: number,
  { lines, payment: { token, txHash } }: PaymentFinding & { readonly _tag: "PaysLost" }
) {
  const audit = yield* AuditLog
  const payouts = yield* Payouts
  const { atomically } = yield* UnitOfWork
  const { prove } = yield* PaymentProof.make
  const paid = lines.map((line) => ({ ...line, entries: line.entries.length }))
  const batch: PayoutBatch = {
    id: yield* (yield* SecureRandom.SecureRandom).uuidV4(),
    chainId,
    token,
    status: "open",
    minAmount: 0n,
    total: total(paid),
    lines: paid,
    createdAtMs: yield* Clock.currentTimeMillis
  }
  yield* prove(batch, txHash)
  yield* atomically(
    Effect.gen(function* () {
      yield* Money.reopenBatch(sql, { id: batch.id, chainId, token, lines })
      yield* payouts.markPaid(batch.id, txHash)
      const details = { txHash, total: batch.total.toString() }
      yield* audit.append({ actor: ACTOR, action: "payout.mark_paid", subject: batch.id, details })
    })
  )
  return batch.id
})

/** Books the payments that a finding shows. Returns the batch, and what remains open. */
const settle = Effect.fnUntraced(function* (sql: PgClient.PgClient, chainId: number, finding: PaymentFinding) {
  const desk = yield* PayoutDesk
  const { payment } = finding
  const unbooked = ({ message }: { readonly message: string }) => [
    stopping(`payment ${payment.txHash} is not booked: ${message}`)
  ]
  switch (finding._tag) {
    case "PaysOpen": {
      const { batchId } = finding
      return yield* desk.markPaid(batchId, payment.txHash, ACTOR).pipe(
        Effect.as({ batchId, open: [] as ReadonlyArray<Open> }),
        Effect.catch((failure) => Effect.succeed({ batchId, open: unbooked(failure) }))
      )
    }
    case "PaysLost":
      return yield* settleLost(sql, chainId, finding).pipe(
        mapped("reconcile payments"),
        Effect.map((batchId) => ({ batchId, open: [] as ReadonlyArray<Open> })),
        Effect.catch((failure) => Effect.succeed({ open: unbooked(failure) }))
      )
    default:
      return { open: [] }
  }
})

const OUTCOMES = {
  Booked: "booked",
  Explained: "explained",
  Moved: "moved",
  PaysOpen: "open_batch",
  PaysLost: "lost_batch",
  Unknown: "unknown"
} as const satisfies Record<PaymentFinding["_tag"], Report["payments"][number]["outcome"]>

/** Books the payments of a vault. */
export const payments = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  chain: { readonly id: number; readonly name: string },
  findings: ReadonlyArray<PaymentFinding>,
  dryRun: boolean
) {
  return yield* Effect.forEach(findings, (finding) =>
    Effect.gen(function* () {
      const { payment } = finding
      const settled: { readonly batchId?: string; readonly open: ReadonlyArray<Open> } = dryRun
        ? { open: [] }
        : yield* settle(sql, chain.id, finding)
      const batchId = settled.batchId ?? ("batchId" in finding ? finding.batchId : undefined)
      const named: ReadonlyArray<Unexplained | LostLine> =
        finding._tag === "Unknown" ? finding.recipients : finding._tag === "PaysLost" ? finding.lines : []
      const row: Report["payments"][number] = {
        chainId: chain.id,
        txHash: payment.txHash,
        token: payment.token,
        outcome: OUTCOMES[finding._tag],
        ...(batchId === undefined ? {} : { batchId }),
        recipients: payment.recipients.map(({ address, amount }) => {
          const own = named.find((each) => ("address" in each ? each.address : each.payoutAddress) === address)
          return {
            address,
            amount,
            ...(own?.builderId === undefined ? {} : { builderId: own.builderId }),
            ...(own !== undefined && "owed" in own ? { owed: own.owed } : {})
          }
        })
      }
      const unknown = finding._tag === "Unknown" ? [unknownPayment(chain.name, finding)] : []
      return { row, open: [...settled.open, ...unknown] }
    })
  )
})
