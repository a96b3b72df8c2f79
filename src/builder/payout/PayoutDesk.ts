/** Payout batches: pays builders what the ledger owes them, by payments that an operator signs with the vault's key. */
import { Context, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import { type Hash, type Hex, lowerCase } from "../../domain/Hex.ts"
import type { OpenedPayout, PayoutBatch } from "../../domain/Payout.ts"
import { type BatchFile, toSafeTransactions } from "../../domain/SafeTransactions.ts"
import { AuditLog } from "../../ports/builder/AuditLog.ts"
import {
  NothingOwed,
  PaymentInFlight,
  type PaymentTaken,
  type PaymentUnproven,
  PayoutClosed,
  PayoutNotFound,
  Payouts,
  type RestoreUnreconciled
} from "../../ports/builder/Payouts.ts"
import { UnitOfWork } from "../../ports/builder/UnitOfWork.ts"
import { Chains, type ChainUnavailable, type UnsupportedChain } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import * as PaymentProof from "./PaymentProof.ts"
import * as PayoutSelection from "./PayoutSelection.ts"
import * as SwappedPayment from "./SwappedPayment.ts"

/** Action of an export for a Safe in the audit log. */
const SAFE_EXPORT = "payout.export_safe"

/** Number of exports of a batch that are looked at, newest first. */
const EXPORTS = 1_000

type ChainFailure = ChainUnavailable | UnsupportedChain

export class PayoutDesk extends Context.Service<
  PayoutDesk,
  {
    /**
     * Opens a batch with everything that is owed in a token on a chain, to builders who are owed at least `minAmount`. Leaves
     * out builders in `exclude`, suspended builders, and those whose payout address screening does not clear. Pays only
     * addresses that it has screened: a builder whose account changes meanwhile is left out. An opened batch keeps its lines,
     * whatever happens to the accounts later. Like everything that leads to a payment, it fails while a restore of the database
     * is not reconciled. A batch has a maximum number of entries and of lines; `more` says that another one can be opened.
     */
    readonly open: (
      request: {
        readonly chainId: ChainId
        readonly token: Address.Address
        readonly minAmount: bigint
        /** Ids of builders. Default: none. */
        readonly exclude?: ReadonlyArray<string>
      },
      actor: string
    ) => Effect.Effect<OpenedPayout, NothingOwed | RestoreUnreconciled | UnsupportedChain | StoreUnavailable>
    readonly get: (id: string) => Effect.Effect<PayoutBatch, PayoutNotFound | StoreUnavailable>
    /**
     * Exports an open batch as a transaction file for a vault that is a Safe. The file of a closed one would pay it again, and so would
     * that of a batch whose recorded payment may still be mined, since the Safe does not pay through Permit2. The audit log keeps the
     * vault of each export. `BadPayment` if the batch was exported for another vault: both Safes could pay it.
     */
    readonly safeTransactions: (
      id: string,
      actor: string
    ) => Effect.Effect<
      BatchFile,
      | PaymentProof.BadPayment
      | PayoutNotFound
      | PayoutClosed
      | PaymentInFlight
      | RestoreUnreconciled
      | ChainFailure
      | StoreUnavailable
    >
    /**
     * Stores a signed payment before it is broadcast. It must be signed by the vault's key and pay exactly this batch through
     * Permit2, within a day. `known` is the number of payments that the caller has seen; it fails when there are more. It also fails
     * while a recorded payment by another signer, such as a former vault, may still be mined. `BadPayment` if the batch was exported for
     * another vault: a Safe may run its file at any time.
     */
    readonly record: (
      id: string,
      raw: Hex,
      known: number,
      actor: string
    ) => Effect.Effect<
      PayoutBatch,
      | PaymentProof.BadPayment
      | PayoutNotFound
      | PayoutClosed
      | PaymentInFlight
      | RestoreUnreconciled
      | ChainFailure
      | StoreUnavailable
    >
    /**
     * Books the payment once the chain proves it: the transaction succeeded, is confirmed, and its logs show the transfer of
     * every line from the vault. While a recorded payment may still be mined, only a recorded one is booked. A version that the
     * database forgot is booked once it has spent the batch's Permit2 nonce, since no recorded one can be mined then. `PaymentTaken`
     * if the transaction pays another batch, also one that is still open.
     */
    readonly markPaid: (
      id: string,
      txHash: Hash,
      actor: string
    ) => Effect.Effect<
      PayoutBatch,
      PayoutNotFound | PayoutClosed | PaymentTaken | PaymentInFlight | PaymentUnproven | ChainFailure | StoreUnavailable
    >
    /** Gives up a batch that was not paid and can no longer be. Its amounts are owed again. */
    readonly fail: (
      id: string,
      reason: string,
      actor: string
    ) => Effect.Effect<PayoutBatch, PayoutNotFound | PayoutClosed | PaymentInFlight | ChainFailure | StoreUnavailable>
  }
>()("sweep/builder/PayoutDesk") {
  static readonly layer = Layer.effect(
    PayoutDesk,
    Effect.gen(function* () {
      const audit = yield* AuditLog
      const { book, giveUp } = yield* makeEndings
      const chains = yield* Chains
      const open = yield* makeOpen
      const payouts = yield* Payouts
      const { isInFlight, isInFlightElsewhere, mayPay, prove } = yield* PaymentProof.make
      const requireNoSwap = yield* SwappedPayment.make
      const { atomically } = yield* UnitOfWork

      const get: PayoutDesk["Service"]["get"] = Effect.fn("PayoutDesk.get")(function* (id) {
        const batch = yield* payouts.find(id)
        return Option.isSome(batch) ? batch.value : yield* new PayoutNotFound({ id })
      })

      const safeTransactions: PayoutDesk["Service"]["safeTransactions"] = Effect.fn("PayoutDesk.safeTransactions")(
        function* (id, actor) {
          yield* payouts.requireReconciled
          const batch = yield* get(id)
          if (batch.status !== "open") return yield* new PayoutClosed({ id, status: batch.status })
          if (yield* isInFlight(batch)) return yield* new PaymentInFlight({ id })
          const { builderVault: vault } = (yield* chains.get(batch.chainId)).chain
          yield* requireNoOtherSafe(audit, id, vault)
          yield* audit.append({ actor, action: SAFE_EXPORT, subject: id, details: { vault } })
          return toSafeTransactions(batch, vault)
        }
      )

      const record: PayoutDesk["Service"]["record"] = Effect.fn("PayoutDesk.record")(function* (id, raw, known, actor) {
        yield* payouts.requireReconciled
        const batch = yield* get(id)
        const { chain } = yield* chains.get(batch.chainId)
        const { deadline, txHash } = yield* PaymentProof.readSigned(chain, batch, raw)
        const isRecorded = batch.payments?.some((payment) => payment.txHash === txHash) === true
        if (batch.status === "open" && !isRecorded) {
          if (yield* isInFlightElsewhere(batch)) return yield* new PaymentInFlight({ id })
          yield* requireNoOtherSafe(audit, id, chain.builderVault)
        }
        return yield* atomically(
          Effect.gen(function* () {
            const after = yield* payouts.record(id, { txHash, raw, deadline: Number(deadline) }, known)
            yield* audit.append({ actor, action: "payout.record_payment", subject: id, details: { txHash } })
            return after
          })
        )
      })

      const markPaid: PayoutDesk["Service"]["markPaid"] = Effect.fn("PayoutDesk.markPaid")(function* (id, hash, actor) {
        const txHash = lowerCase(hash)
        const batch = yield* get(id)
        if (batch.status === "paid" && batch.txHash === txHash) return batch
        if (batch.status !== "open") return yield* new PayoutClosed({ id, status: batch.status })
        const logs = yield* prove(batch, txHash)
        const isOwn = batch.payments?.some((payment) => payment.txHash === txHash) === true
        if (!isOwn) yield* requireNoSwap(batch, txHash, logs)
        if (!isOwn && (yield* mayPay(batch))) return yield* new PaymentInFlight({ id })
        return yield* book(batch, txHash, actor)
      })

      const fail: PayoutDesk["Service"]["fail"] = Effect.fn("PayoutDesk.fail")(function* (id, reason, actor) {
        const batch = yield* get(id)
        if (batch.status === "open" && (yield* isInFlight(batch))) return yield* new PaymentInFlight({ id })
        return yield* giveUp(batch, reason, actor)
      })

      return PayoutDesk.of({ open, get, safeTransactions, record, markPaid, fail })
    })
  )
}

/** Fails if the batch was exported for a Safe that was the vault before. Its file does not pay through Permit2, so nothing excludes it. */
const requireNoOtherSafe = Effect.fnUntraced(function* (
  audit: AuditLog["Service"],
  id: string,
  vault: Address.Address
) {
  const exports = yield* audit.list({ by: "operators", action: SAFE_EXPORT, subject: id, limit: EXPORTS })
  const other = exports.map(({ details }) => details["vault"]).find((each) => each !== vault)
  if (other === undefined) return
  return yield* new PaymentProof.BadPayment({
    detail:
      `batch ${id} was exported for the vault ${other}, which may still run the file. Reject it in that Safe, give the batch up with ` +
      "`sweep payouts fail`, and open another one"
  })
})

/** Makes `open`, which opens a batch and appends to the audit log in one transaction. */
const makeOpen = Effect.gen(function* () {
  const audit = yield* AuditLog
  const chains = yield* Chains
  const payouts = yield* Payouts
  const random = yield* SecureRandom.SecureRandom
  const select = yield* PayoutSelection.make
  const { atomically } = yield* UnitOfWork

  const open: PayoutDesk["Service"]["open"] = Effect.fn("PayoutDesk.open")(function* (
    { exclude = [], ...request },
    actor
  ) {
    yield* payouts.requireReconciled
    yield* chains.get(request.chainId)
    const selection = yield* select(request.chainId, yield* payouts.candidates(request), exclude)
    const payees = selection.selected.map(({ builderId, payoutAddress }) => ({ builderId, payoutAddress }))
    const id = yield* random.uuidV4()
    return yield* atomically(
      Effect.gen(function* () {
        const opened = yield* payouts.open({ ...request, id, payees })
        const { chainId, lines, more, token, total } = opened
        const leftOut = PayoutSelection.missing(selection, opened)
        const omitted = leftOut.map(({ builderId, reason }) => `${builderId}: ${reason}`)
        yield* audit.append({
          actor,
          action: "payout.open",
          subject: id,
          details: {
            chainId,
            token,
            total: total.toString(),
            lines: lines.length,
            ...(more === undefined ? {} : { more }),
            ...(omitted.length === 0 ? {} : { leftOut: omitted.join(", ") })
          }
        })
        return { ...opened, leftOut }
      })
    ).pipe(
      Effect.catchTag("NothingOwed", () =>
        Effect.fail(new NothingOwed({ leftOut: PayoutSelection.missing(selection, { lines: [] }) }))
      )
    )
  })
  return open
})

/** Makes `book` and `giveUp`, which end a batch and append to the audit log in one transaction. */
const makeEndings = Effect.gen(function* () {
  const audit = yield* AuditLog
  const payouts = yield* Payouts
  const { atomically } = yield* UnitOfWork

  const book = Effect.fnUntraced(function* (batch: PayoutBatch, txHash: Hash, actor: string) {
    const after = yield* payouts.markPaid(batch.id, txHash, batch.payments?.length)
    const details = { txHash, total: batch.total.toString() }
    yield* audit.append({ actor, action: "payout.mark_paid", subject: batch.id, details })
    return after
  }, atomically)

  const giveUp = Effect.fnUntraced(function* (before: PayoutBatch, reason: string, actor: string) {
    const batch = yield* payouts.fail(before.id, reason, before.payments?.length)
    if (before.status === "open") {
      yield* audit.append({ actor, action: "payout.fail", subject: batch.id, details: { reason } })
    }
    return batch
  }, atomically)

  return { book, giveUp }
})
