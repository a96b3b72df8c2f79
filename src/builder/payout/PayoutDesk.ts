/** Pays builders what the ledger owes them, in batches that an operator signs from the vault. */
import { Clock, Context, Effect, Layer, Option, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { hexToBigInt, recoverTransactionAddress } from "viem"
import * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import { type Hash, type Hex, size } from "../../domain/Hex.ts"
import { type PayoutBatch, unpaidLines } from "../../domain/Payout.ts"
import { isSpent, readPayment, spentData } from "../../domain/PayoutPayment.ts"
import { type BatchFile, toSafeTransactions } from "../../domain/SafeTransactions.ts"
import { AuditLog } from "../../ports/builder/AuditLog.ts"
import { Chains, ChainUnavailable, type UnsupportedChain } from "../../ports/shared/Chains.ts"
import {
  type NothingOwed,
  PaymentInFlight,
  type PaymentTaken,
  PaymentUnproven,
  PayoutClosed,
  PayoutNotFound,
  Payouts
} from "../../ports/builder/Payouts.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { UnitOfWork } from "../../ports/builder/UnitOfWork.ts"
import { BuilderSettings } from "../shared/BuilderSettings.ts"

/** The bytes are no payment of the batch by the vault's key. */
export class BadPayment extends Schema.TaggedError<BadPayment>()("BadPayment", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}

type ChainFailure = ChainUnavailable | UnsupportedChain

/** Seconds that a payment may have left when it is recorded. Until they are over, its batch cannot be given up. */
export const MAX_PAYMENT_SECONDS = 86_400

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
     * Keeps a payment that the vault's key signed, as the one after `known` others, before it is sent: it must pay exactly
     * this batch, through Permit2 and within a day.
     */
    readonly record: (
      id: string,
      raw: Hex,
      known: number,
      actor: string
    ) => Effect.Effect<
      PayoutBatch,
      BadPayment | PayoutNotFound | PayoutClosed | PaymentInFlight | UnsupportedChain | StoreUnavailable
    >
    /**
     * Books the payment once the chain proves it: the transaction succeeded, is as deep as the chain's settlements have to be,
     * and its logs show every line's transfer out of the vault. While a recorded payment may still be mined, only a recorded
     * one is booked.
     */
    readonly markPaid: (
      id: string,
      txHash: Hash,
      actor: string
    ) => Effect.Effect<
      PayoutBatch,
      PayoutNotFound | PayoutClosed | PaymentTaken | PaymentInFlight | PaymentUnproven | ChainFailure | StoreUnavailable
    >
    /** Gives up a batch that was not and will not be paid: what it claimed is owed again. */
    readonly fail: (
      id: string,
      reason: string,
      actor: string
    ) => Effect.Effect<PayoutBatch, PayoutNotFound | PayoutClosed | PaymentInFlight | ChainFailure | StoreUnavailable>
  }
>()("sweep/builder/PayoutDesk") {}

/** The account that signed a transaction; none where the signature is malformed. */
const signerOf = (raw: Hex): Effect.Effect<Option.Option<Address.Address>> =>
  Effect.option(
    Effect.tryPromise(async () => {
      const account = await recoverTransactionAddress({ serializedTransaction: raw as `0x02${string}` })
      return Address.of(account)
    })
  )

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

    /**
     * Whether a recorded payment may still be mined, or was. None may when, in a block that counts as settled, its deadline is
     * over and Permit2 has not spent the batch's nonce.
     */
    const isInFlight = Effect.fnUntraced(function* ({ chainId, id, payments = [] }: PayoutBatch) {
      if (payments.length === 0) return false
      const client = yield* chains.get(chainId)
      const head = yield* client.block("latest")
      const settled = Option.isNone(head)
        ? head
        : yield* client.block(head.value.number - BigInt(client.chain.confirmations) + 1n)
      const lastDeadline = BigInt(Math.max(...payments.map(({ deadline }) => deadline)))
      if (Option.isNone(settled) || settled.value.timestamp <= lastDeadline) return true
      const { builderVault, permit2 } = client.chain
      const bitmap = yield* client
        .call({ to: permit2, data: spentData(id, builderVault), block: settled.value.number })
        .pipe(
          Effect.filterOrFail(
            (word) => size(word) === 32,
            () => "malformed answer"
          ),
          Effect.mapError((error) =>
            typeof error !== "string" && error._tag === "ChainUnavailable"
              ? error
              : new ChainUnavailable({ chainId, method: "eth_call", detail: "Permit2 does not answer as it must" })
          )
        )
      return isSpent(id, hexToBigInt(bitmap))
    })

    const record: PayoutDesk["Service"]["record"] = Effect.fn("PayoutDesk.record")(function* (id, raw, known, actor) {
      const batch = yield* get(id)
      const { chain } = yield* chains.get(batch.chainId)
      const payer = { vault: chain.builderVault, permit2: chain.permit2 }
      const payment = readPayment(batch, payer, raw)
      if (Option.isNone(payment)) return yield* new BadPayment({ detail: "no payment of this batch through Permit2" })
      if (Option.getOrUndefined(yield* signerOf(raw)) !== payer.vault) {
        return yield* new BadPayment({ detail: `not signed by the vault ${payer.vault}` })
      }
      const { deadline, txHash } = payment.value
      const nowSeconds = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      if (deadline > BigInt(nowSeconds + MAX_PAYMENT_SECONDS)) {
        return yield* new BadPayment({ detail: "its permit's deadline is more than a day away" })
      }
      return yield* atomically(
        Effect.gen(function* () {
          const after = yield* payouts.record(id, { txHash, raw, deadline: Number(deadline) }, known)
          yield* audit.append({ actor, action: "payout.record_payment", subject: id, details: { txHash } })
          return after
        })
      )
    })

    const book = Effect.fnUntraced(function* (batch: PayoutBatch, txHash: Hash, actor: string) {
      const after = yield* payouts.markPaid(batch.id, txHash, batch.payments?.length)
      const details = { txHash, total: batch.total.toString() }
      yield* audit.append({ actor, action: "payout.mark_paid", subject: batch.id, details })
      return after
    }, atomically)

    const markPaid: PayoutDesk["Service"]["markPaid"] = Effect.fn("PayoutDesk.markPaid")(function* (id, hash, actor) {
      const txHash: Hash = `0x${hash.slice(2).toLowerCase()}`
      const batch = yield* get(id)
      if (batch.status === "paid" && batch.txHash === txHash) return batch
      if (batch.status !== "open") return yield* new PayoutClosed({ id, status: batch.status })
      yield* prove(batch, txHash)
      const isOwn = batch.payments?.some((payment) => payment.txHash === txHash) === true
      if (!isOwn && (yield* isInFlight(batch))) return yield* new PaymentInFlight({ id })
      return yield* book(batch, txHash, actor)
    })

    const giveUp = Effect.fnUntraced(function* (before: PayoutBatch, reason: string, actor: string) {
      const batch = yield* payouts.fail(before.id, reason, before.payments?.length)
      if (before.status === "open") {
        yield* audit.append({ actor, action: "payout.fail", subject: batch.id, details: { reason } })
      }
      return batch
    }, atomically)

    const fail: PayoutDesk["Service"]["fail"] = Effect.fn("PayoutDesk.fail")(function* (id, reason, actor) {
      const batch = yield* get(id)
      if (batch.status === "open" && (yield* isInFlight(batch))) return yield* new PaymentInFlight({ id })
      return yield* giveUp(batch, reason, actor)
    })

    return PayoutDesk.of({ open, get, safeTransactions, record, markPaid, fail })
  })
)
