/** Proves payments: who signed them, that they paid, and that a recorded one can no longer be mined. */
import { Clock, Effect, Option, Schema } from "effect"
import { hexToBigInt, recoverTransactionAddress } from "viem"
import * as Address from "../../domain/Address.ts"
import { type Chain, vaults } from "../../domain/Chain.ts"
import { type Hash, type Hex, size } from "../../domain/Hex.ts"
import { type PayoutBatch, unpaidLines } from "../../domain/Payout.ts"
import { isSpent, readPayment, spentData } from "../../domain/PayoutPayment.ts"
import { PaymentUnproven } from "../../ports/builder/Payouts.ts"
import { Chains, ChainUnavailable } from "../../ports/shared/Chains.ts"

/** The bytes are not a payment of the batch by the vault's key. */
export class BadPayment extends Schema.TaggedError<BadPayment>()("BadPayment", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}

/**
 * Longest time until a payment's deadline when it is recorded, in seconds. Its batch cannot be given up before the deadline.
 */
const MAX_PAYMENT_SECONDS = 86_400

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

/** Makes `prove` and `isInFlight`. */
export const make = Effect.gen(function* () {
  const chains = yield* Chains

  /**
   * Fails with `PaymentUnproven` unless the transaction is confirmed and its logs show the transfer of every line by the vault, or by a
   * former one.
   */
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
    // One vault pays the whole batch. The present vault shows what is missing.
    const missing = vaults(client.chain).map((vault) => unpaidLines(batch, vault, receipt.value.logs))
    const [unpaid = []] = missing
    if (missing.every(({ length }) => length > 0)) {
      return yield* unproven(
        "not_paid",
        unpaid.map(({ builderId }) => builderId)
      )
    }
  })

  /**
   * True while a recorded payment may still be mined, or was mined. False when there is none, or when a confirmed block is past
   * every deadline and Permit2 has not spent the batch's nonce there.
   */
  const isInFlight = Effect.fnUntraced(function* ({ chainId, id, payments = [] }: PayoutBatch) {
    if (payments.length === 0) return false
    const client = yield* chains.get(chainId)
    const head = yield* client.block("latest")
    const confirmed = Option.isNone(head)
      ? head
      : yield* client.block(head.value.number - BigInt(client.chain.confirmations) + 1n)
    const lastDeadline = BigInt(Math.max(...payments.map(({ deadline }) => deadline)))
    if (Option.isNone(confirmed) || confirmed.value.timestamp <= lastDeadline) return true
    const { builderVault, permit2 } = client.chain
    const signers = yield* Effect.forEach(payments, ({ raw }) =>
      Effect.map(signerOf(raw), (signer) => Option.getOrElse(signer, () => builderVault))
    )
    const malformed = new ChainUnavailable({
      chainId,
      method: "eth_call",
      detail: "Permit2's nonceBitmap did not return one word"
    })
    // Nonces of Permit2 belong to the account that signed, which may be a former vault.
    const bitmaps = yield* Effect.forEach([...new Set(signers)], (signer) =>
      client.call({ to: permit2, data: spentData(id, signer), block: confirmed.value.number }).pipe(
        Effect.mapError((error) => (error._tag === "ChainUnavailable" ? error : malformed)),
        Effect.filterOrFail(
          (word) => size(word) === 32,
          () => malformed
        )
      )
    )
    return bitmaps.some((bitmap) => isSpent(id, hexToBigInt(bitmap)))
  })

  return { prove, isInFlight }
})
