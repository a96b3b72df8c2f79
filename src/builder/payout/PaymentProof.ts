/** Proves payments: who signed them, that they paid, and that a recorded one can no longer be mined. */
import { Clock, Effect, Option, Schema } from "effect"
import { recoverTransactionAddress } from "viem"
import * as Address from "../../domain/Address.ts"
import { type Chain, vaults } from "../../domain/Chain.ts"
import type { Hash, Hex } from "../../domain/Hex.ts"
import { type PayoutBatch, unpaidLines } from "../../domain/Payout.ts"
import { readPayment } from "../../domain/PayoutPayment.ts"
import { PaymentUnproven } from "../../ports/builder/Payouts.ts"
import { type ChainClient, Chains, ChainUnavailable } from "../../ports/shared/Chains.ts"
import * as PaymentEvidence from "./PaymentEvidence.ts"

/** The bytes are not a payment of the batch by the vault's key. */
export class BadPayment extends Schema.TaggedError<BadPayment>()("BadPayment", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}

/**
 * Longest time until a payment's deadline when it is recorded, in seconds. Its batch cannot be given up before the deadline, and a
 * restore that may have lost the record cannot end before it.
 */
export const MAX_PAYMENT_SECONDS = 86_400

/** The account that signed a transaction; none when the signature is malformed. */
const signerOf = (raw: Hex): Effect.Effect<Option.Option<Address.Address>> =>
  Effect.option(
    Effect.tryPromise(async () => {
      const account = await recoverTransactionAddress({ serializedTransaction: raw as `0x02${string}` })
      return Address.of(account)
    })
  )

/** Reads a signed payment. Fails with {@link BadPayment} unless the vault's key signed exactly this batch, within a day. */
export const readSigned = Effect.fnUntraced(function* (chain: Chain, batch: PayoutBatch, raw: Hex) {
  const payer = { vault: chain.builderVault, permit2: chain.permit2 }
  const payment = readPayment(batch, payer, raw)
  if (Option.isNone(payment)) return yield* new BadPayment({ detail: "no payment of this batch through Permit2" })
  if (Option.getOrUndefined(yield* signerOf(raw)) !== payer.vault) {
    return yield* new BadPayment({ detail: `not signed by the vault ${payer.vault}` })
  }
  const nowSeconds = Math.floor((yield* Clock.currentTimeMillis) / 1000)
  if (payment.value.deadline > BigInt(nowSeconds + MAX_PAYMENT_SECONDS)) {
    return yield* new BadPayment({ detail: "its permit's deadline is more than a day away" })
  }
  return payment.value
})

/** Signers of the recorded payments for whom Permit2 has spent the batch's nonce in a block. */
const spenders = Effect.fnUntraced(function* (
  client: ChainClient,
  id: string,
  signers: ReadonlyArray<Address.Address>,
  block: bigint
) {
  const malformed = new ChainUnavailable({
    chainId: client.chain.id,
    method: "eth_call",
    detail: "Permit2's nonceBitmap did not return one word"
  })
  return yield* Effect.filter([...new Set(signers)], (signer) =>
    Effect.flatMap(
      PaymentEvidence.spentIn(client, id, signer, block),
      Option.match({ onNone: () => Effect.fail(malformed), onSome: Effect.succeed })
    )
  )
})

/** True if a recorded payment succeeded, also in a block that is not confirmed. */
const hasPaid = (client: ChainClient, { payments = [] }: PayoutBatch) =>
  Effect.map(
    Effect.forEach(payments, ({ txHash }) => PaymentEvidence.receiptOf(client, txHash)),
    (receipts) => receipts.some(Option.exists(({ status }) => status === "success"))
  )

/** Accounts that signed the recorded payments. Nonces of Permit2 belong to them, and one may be a former vault. */
const signersOf = ({ chain }: ChainClient, { payments = [] }: PayoutBatch) =>
  Effect.forEach(payments, ({ raw }) =>
    Effect.map(signerOf(raw), (signer) => Option.getOrElse(signer, () => chain.builderVault))
  )

/** Makes `prove`, `isInFlight`, `isInFlightElsewhere` and `mayPay`. */
export const make = Effect.gen(function* () {
  const chains = yield* Chains

  /**
   * Fails with `PaymentUnproven` unless the transaction is confirmed and its logs show the transfer of every line by the vault, or by a
   * former one. Returns the logs.
   */
  const prove = Effect.fnUntraced(function* (batch: PayoutBatch, txHash: Hash) {
    const unproven = (reason: PaymentUnproven["reason"], builderIds: ReadonlyArray<string> = []) =>
      new PaymentUnproven({ reason, builderIds })
    const client = yield* chains.get(batch.chainId)
    // An endpoint that had the confirmed block before has the receipts of that block, so that the lack of one contradicts another.
    const confirmed = yield* PaymentEvidence.confirmedBlock(client)
    const receipt = yield* PaymentEvidence.receiptOf(client, txHash)
    if (Option.isNone(receipt)) return yield* unproven("not_mined")
    if (receipt.value.status !== "success") return yield* unproven("reverted")
    const { blockNumber } = receipt.value
    if (!Option.exists(confirmed, ({ number }) => blockNumber <= number)) return yield* unproven("not_confirmed")
    // One vault pays the whole batch. The present vault shows what is missing.
    const missing = vaults(client.chain).map((vault) => unpaidLines(batch, vault, receipt.value.logs))
    const [unpaid = []] = missing
    if (missing.every(({ length }) => length > 0)) {
      return yield* unproven(
        "not_paid",
        unpaid.map(({ builderId }) => builderId)
      )
    }
    return receipt.value.logs
  })

  /**
   * True while a recorded payment may still be mined, or if Permit2 has spent the batch's nonce or a payment succeeded, so that the batch
   * was paid. False when there is none, or when a confirmed block is past every deadline and the nonce is not spent there.
   */
  const isInFlight = Effect.fnUntraced(function* (batch: PayoutBatch) {
    const { chainId, id, payments = [] } = batch
    if (payments.length === 0) return false
    const client = yield* chains.get(chainId)
    const confirmed = yield* PaymentEvidence.confirmedBlock(client)
    const lastDeadline = BigInt(Math.max(...payments.map(({ deadline }) => deadline)))
    if (Option.isNone(confirmed) || confirmed.value.timestamp <= lastDeadline) return true
    const spent = yield* spenders(client, id, yield* signersOf(client, batch), confirmed.value.number)
    return spent.length > 0 || (yield* hasPaid(client, batch))
  })

  /**
   * `isInFlight` of the recorded payments that another account than the present vault signed. Each account has a Permit2 nonce of its own
   * for the batch, so a payment by the vault does not exclude them.
   */
  const isInFlightElsewhere = Effect.fnUntraced(function* (batch: PayoutBatch) {
    const { chainId, payments = [] } = batch
    if (payments.length === 0) return false
    const client = yield* chains.get(chainId)
    const signers = yield* signersOf(client, batch)
    const others = payments.filter((_, index) => signers[index] !== client.chain.builderVault)
    return yield* isInFlight({ ...batch, payments: others })
  })

  /**
   * True while a recorded payment may still be mined, or if one of them paid. False when a confirmed block is past the deadline of each,
   * or shows the batch's nonce spent, by a transaction that is not recorded.
   */
  const mayPay = Effect.fnUntraced(function* (batch: PayoutBatch) {
    const { chainId, id, payments = [] } = batch
    if (payments.length === 0) return false
    const client = yield* chains.get(chainId)
    const confirmed = yield* PaymentEvidence.confirmedBlock(client)
    if (Option.isNone(confirmed)) return true
    const { number, timestamp } = confirmed.value
    const signers = yield* signersOf(client, batch)
    const spent = yield* spenders(client, id, signers, number)
    const isMinable = payments.some(
      ({ deadline }, index) => timestamp <= BigInt(deadline) && !spent.some((signer) => signer === signers[index])
    )
    return isMinable || (yield* hasPaid(client, batch))
  })

  return { prove, isInFlight, isInFlightElsewhere, mayPay }
})
