/** Decisions of the operator about a reconciliation. Each is stored together with its entry of the audit log. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Option } from "effect"
import * as Money from "../../adapters/sql/builder/LostMoney.ts"
import * as Restores from "../../adapters/sql/builder/Restores.ts"
import { mapped } from "../../adapters/sql/shared/Database.ts"
import { isStray, type UnassignedFee } from "../../domain/LostSweeps.ts"
import { look } from "../../orchestrator/shared/ChainView.ts"
import { AuditLog } from "../../ports/builder/AuditLog.ts"
import { Ledger } from "../../ports/builder/Ledger.ts"
import { UnitOfWork } from "../../ports/builder/UnitOfWork.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import { UsageError } from "../UsageError.ts"
import { ACTOR } from "./Booking.ts"
import * as Books from "./Books.ts"
import * as ChainReading from "./ChainReading.ts"
import type { Report } from "./Report.ts"

/**
 * Ends the restores of a run although something remains open, for this reason. Ends none if another one was recorded meanwhile: payouts
 * would still be refused, and the operator has not seen what is open for it.
 */
export const force = Effect.fnUntraced(function* (
  report: Pick<Report, "restoredToMs" | "open"> & { readonly restoreIds: ReadonlyArray<string> },
  reason: string
) {
  const audit = yield* AuditLog
  const sql = yield* PgClient.PgClient
  const { atomically } = yield* UnitOfWork
  yield* atomically(
    Effect.gen(function* () {
      const isForeign = yield* Restores.isForeign(sql)
      if (!isForeign) yield* Restores.close(sql, report.restoreIds)
      if (isForeign || (yield* Restores.isUnreconciled(sql))) {
        return yield* new UsageError({
          detail:
            "another restore was recorded while this ran, or another database took over, so --force ended none. Run this again"
        })
      }
      yield* audit.append({
        actor: ACTOR,
        action: "restore.force",
        subject: new Date(report.restoredToMs).toISOString(),
        details: { reason, open: report.open.length }
      })
    })
  ).pipe(mapped("reconcile"))
})

/** Books a fee for the builder that earned it. */
const assignOne = Effect.fnUntraced(function* (builderId: string, fee: UnassignedFee) {
  const { amount, chainId, paid, sweepId, token, txHash } = fee
  const audit = yield* AuditLog
  const ledger = yield* Ledger
  const { atomically } = yield* UnitOfWork
  yield* atomically(
    Effect.gen(function* () {
      yield* ledger.accrue({ builderId, sweepId, token, amount, chainId, ...(paid ? { paidTxHash: txHash } : {}) })
      yield* audit.append({
        actor: ACTOR,
        action: "accrual.restore",
        subject: sweepId,
        details: { builderId, amount: amount.toString() }
      })
    })
  )
})

/** Assigns fees to a builder. Returns the sweeps whose fee the builder has already. */
export const assign = Effect.fnUntraced(function* (builderId: string, sweepIds: ReadonlyArray<string>) {
  const sql = yield* PgClient.PgClient
  const [waiting, booked] = yield* mapped("reconcile assign")(
    Effect.all([Money.unassigned(sql), Money.accruedTo(sql, builderId, sweepIds)])
  )
  const fees = waiting.filter(({ sweepId }) => sweepIds.includes(sweepId))
  const unknown = sweepIds.filter((id) => !booked.has(id) && !fees.some(({ sweepId }) => sweepId === id))
  if (unknown.length > 0) {
    return yield* new UsageError({ detail: `no fee waits for these sweeps: ${unknown.join(", ")}` })
  }
  yield* Effect.forEach(fees, (fee) => assignOne(builderId, fee), { discard: true })
  return [...booked]
})

/** Keeps the reason for a transfer out of the vault that was no payout. */
export const explain = Effect.fnUntraced(function* (payment: Parameters<typeof Money.explain>[1], reason: string) {
  const audit = yield* AuditLog
  const sql = yield* PgClient.PgClient
  const { atomically } = yield* UnitOfWork
  const { chainId, token, txHash } = payment
  yield* atomically(
    Effect.gen(function* () {
      yield* Money.explain(sql, payment, reason)
      yield* audit.append({
        actor: ACTOR,
        action: "payment.explain",
        subject: txHash,
        details: { chainId, token, reason }
      })
    })
  ).pipe(mapped("reconcile explain"))
})

/** Keeps a builder's fee as one that its sweep paid. */
const acceptOne = Effect.fnUntraced(function* (fee: UnassignedFee, reason: string) {
  const audit = yield* AuditLog
  const sql = yield* PgClient.PgClient
  const { atomically } = yield* UnitOfWork
  const { amount, chainId, recipient, sweepId } = fee
  yield* atomically(
    Effect.gen(function* () {
      yield* Money.keepUnassigned(sql, fee)
      yield* audit.append({
        actor: ACTOR,
        action: "fee.accept",
        subject: sweepId,
        details: { chainId, recipient, amount: amount.toString(), reason }
      })
    })
  )
})

/**
 * Accepts that the builders' fees of these sweeps went to an account that is no vault and no builder's, for this reason. Anybody can make
 * such a sweep, since the guard takes any account as the builder. Returns the sweeps whose fee is kept or assigned already.
 */
export const accept = Effect.fnUntraced(function* (chainId: number, sweepIds: ReadonlyArray<string>, reason: string) {
  const sql = yield* PgClient.PgClient
  const view = yield* look(yield* (yield* Chains).get(chainId))
  const settled = yield* Effect.forEach(sweepIds, (id) => ChainReading.settlement(view, id))
  const { bookings } = yield* Books.of(view.client, settled.flatMap(Option.toArray))
  const known = yield* Money.known(sql, sweepIds)
  const kept = sweepIds.filter((id) => known.unassigned.has(id) || known.accruals.has(id))
  const fees = bookings.flatMap((each) =>
    each.unassigned === undefined || !isStray(each) || kept.includes(each.sweep.sweepId) ? [] : [each.unassigned]
  )
  const unknown = sweepIds.filter((id) => !kept.includes(id) && !fees.some(({ sweepId }) => sweepId === id))
  if (unknown.length > 0) {
    return yield* new UsageError({ detail: `no fee of these sweeps went to an unknown account: ${unknown.join(", ")}` })
  }
  yield* Effect.forEach(fees, (fee) => acceptOne(fee, reason), { discard: true })
  return kept
}, mapped("reconcile accept"))
