/** Pays builders what the ledger owes them, in batches that an operator signs from the vault. */
import { Context, Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import type * as Address from "../domain/Address.ts"
import type { ChainId } from "../domain/ChainId.ts"
import type { Hash } from "../domain/Hex.ts"
import { type PayoutBatch, unpaidLines } from "../domain/Payout.ts"
import { type BatchFile, toSafeTransactions } from "../domain/SafeTransactions.ts"
import { AuditLog } from "../ports/AuditLog.ts"
import { Chains, type ChainUnavailable, type UnsupportedChain } from "../ports/Chains.ts"
import { type NothingOwed, type PaymentTaken, PayoutClosed, PayoutNotFound, Payouts } from "../ports/Payouts.ts"
import type { StoreUnavailable } from "../ports/Store.ts"
import { UnitOfWork } from "../ports/UnitOfWork.ts"
import { BuilderSettings } from "./BuilderSettings.ts"

/** The transaction does not prove the payment (yet). */
export class PaymentUnproven extends Schema.TaggedError<PaymentUnproven>()("PaymentUnproven", {
  reason: Schema.Literals(["not_mined", "reverted", "not_confirmed", "not_paid"]),
  /** The builders whose transfers are missing. */
  builderIds: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `the transaction does not prove the payment: ${this.reason}`
  }
}

type ChainFailure = ChainUnavailable | UnsupportedChain

export class PayoutDesk extends Context.Service<
  PayoutDesk,
  {
    /** Claims everything owed in a token on a chain to builders who are owed `minAmount` or more. */
    readonly open: (
      request: { readonly chainId: ChainId; readonly token: Address.Address; readonly minAmount: bigint },
      actor: string
    ) => Effect.Effect<PayoutBatch, NothingOwed | UnsupportedChain | StoreUnavailable>
    readonly get: (id: string) => Effect.Effect<PayoutBatch, PayoutNotFound | StoreUnavailable>
    /** The batch as a file for the vault's Safe. */
    readonly safeTransactions: (
      id: string
    ) => Effect.Effect<BatchFile, PayoutNotFound | UnsupportedChain | StoreUnavailable>
    /**
     * Books the payment once the chain proves it: the transaction succeeded, is as deep as the chain's settlements have to be,
     * and its logs show every line's transfer out of the vault.
     */
    readonly markPaid: (
      id: string,
      txHash: Hash,
      actor: string
    ) => Effect.Effect<
      PayoutBatch,
      PayoutNotFound | PayoutClosed | PaymentTaken | PaymentUnproven | ChainFailure | StoreUnavailable
    >
    /** Gives up a batch that was not and will not be sent: what it claimed is owed again. */
    readonly fail: (
      id: string,
      reason: string,
      actor: string
    ) => Effect.Effect<PayoutBatch, PayoutNotFound | PayoutClosed | StoreUnavailable>
  }
>()("sweep/builder/PayoutDesk") {}

export const layer = Layer.effect(
  PayoutDesk,
  Effect.gen(function* () {
    const audit = yield* AuditLog
    const chains = yield* Chains
    const payouts = yield* Payouts
    const random = yield* SecureRandom.SecureRandom
    const settings = yield* BuilderSettings
    const { atomically } = yield* UnitOfWork

    const get: PayoutDesk["Service"]["get"] = Effect.fn("PayoutDesk.get")(function* (id) {
      const batch = yield* payouts.find(id)
      return Option.isSome(batch) ? batch.value : yield* new PayoutNotFound({ id })
    })

    const open: PayoutDesk["Service"]["open"] = Effect.fn("PayoutDesk.open")(function* (request, actor) {
      yield* chains.get(request.chainId)
      const batch = yield* payouts.open({
        ...request,
        id: yield* random.uuidV4(),
        withUnknownChain: request.chainId === settings.defaultChainId
      })
      const { chainId, id, lines, token, total } = batch
      yield* audit.append({
        actor,
        action: "payout.open",
        subject: id,
        details: { chainId, token, total: total.toString(), lines: lines.length }
      })
      return batch
    }, atomically)

    const safeTransactions: PayoutDesk["Service"]["safeTransactions"] = Effect.fn("PayoutDesk.safeTransactions")(
      function* (id) {
        const batch = yield* get(id)
        const { chain } = yield* chains.get(batch.chainId)
        return toSafeTransactions(batch, chain.builderVault)
      }
    )

    const prove = Effect.fnUntraced(function* (batch: PayoutBatch, txHash: Hash) {
      const unproven = (reason: PaymentUnproven["reason"], builderIds: ReadonlyArray<string> = []) =>
        new PaymentUnproven({ reason, builderIds })
      const client = yield* chains.get(batch.chainId)
      const receipt = yield* client.receipt(txHash)
      if (Option.isNone(receipt)) return yield* unproven("not_mined")
      if (receipt.value.status !== "success") return yield* unproven("reverted")
      const head = yield* client.block("latest")
      const depth = Option.isSome(head) ? head.value.number - receipt.value.blockNumber + 1n : 0n
      if (depth < BigInt(client.chain.confirmations)) return yield* unproven("not_confirmed")
      const unpaid = unpaidLines(batch, client.chain.builderVault, receipt.value.logs)
      if (unpaid.length > 0)
        return yield* unproven(
          "not_paid",
          unpaid.map(({ builderId }) => builderId)
        )
    })

    const book = Effect.fnUntraced(function* (id: string, txHash: Hash, actor: string) {
      const batch = yield* payouts.markPaid(id, txHash)
      const details = { txHash, total: batch.total.toString() }
      yield* audit.append({ actor, action: "payout.mark_paid", subject: id, details })
      return batch
    }, atomically)

    const markPaid: PayoutDesk["Service"]["markPaid"] = Effect.fn("PayoutDesk.markPaid")(function* (id, hash, actor) {
      const txHash: Hash = `0x${hash.slice(2).toLowerCase()}`
      const batch = yield* get(id)
      if (batch.status === "paid" && batch.txHash === txHash) return batch
      if (batch.status !== "open") return yield* new PayoutClosed({ id, status: batch.status })
      yield* prove(batch, txHash)
      return yield* book(id, txHash, actor)
    })

    const fail: PayoutDesk["Service"]["fail"] = Effect.fn("PayoutDesk.fail")(function* (id, reason, actor) {
      const before = yield* get(id)
      const batch = yield* payouts.fail(id, reason)
      if (before.status === "open") {
        yield* audit.append({ actor, action: "payout.fail", subject: id, details: { reason } })
      }
      return batch
    }, atomically)

    return PayoutDesk.of({ open, get, safeTransactions, markPaid, fail })
  })
)
