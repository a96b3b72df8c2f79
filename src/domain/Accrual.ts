/** Earnings of a settled sweep, as the watcher reports them to the builder backend (spec, "Accrual ledger"). */
import { Schema } from "effect"
import * as Address from "./Address.ts"
import { Uint256 } from "./Amount.ts"
import { ChainId } from "./ChainId.ts"
import { Hash } from "./Hex.ts"
import { PayoutMode } from "./Builder.ts"
import type { SweepEvent } from "./SweepEvent.ts"
import { described } from "./Described.ts"
import { optional } from "./Optional.ts"
import type { PricedUnits } from "./QuoteDetails.ts"
import { format, UsdAmount, valueOf } from "./Usd.ts"

/**
 * Id of a settlement: the transaction hash and the event's position among the transaction's own logs. The position in
 * the block is not used, since a reorg can change it, and the idempotency key with it.
 */
export const sweepId = (txHash: Hash, eventIndex: number): string => `${txHash}_${eventIndex}`

/** Transaction of a settlement, or of the correction of one; undefined for an id of another form. */
export const hashOf = (sweepId: string): Hash | undefined => {
  const hash = /^(0x[0-9a-f]{64})_\d+(?:-corrected)*$/.exec(sweepId)?.[1]
  return hash === undefined ? undefined : (hash as Hash)
}

export const Accrual = Schema.Struct({
  builderId: described(Schema.String, "Builder that earned the amount."),
  sweepId: described(
    Schema.String,
    "Settlement: transaction hash, underscore, and position of the event among the logs of the transaction. Idempotency key."
  ),
  token: described(Address.Address, "Token of the amount."),
  amount: described(Uint256, "Amount earned, in the smallest unit of the token."),
  chainId: described(optional(ChainId), "Chain of the token."),
  paidTxHash: described(
    optional(Hash),
    "Transaction that already paid the amount. Required for a sweep that paid the builder itself, in the on-chain payout mode: without it, the amount is owed, and a payout pays it."
  ),
  payoutMode: described(
    optional(PayoutMode),
    "Payout mode of the sweep. `ledger` says that the sweep paid the vault, so that the amount is owed. It is not part of the content that is compared."
  ),
  usd: described(
    optional(UsdAmount),
    "Value of the amount in US dollars at the settlement. Absent if the token had no price. It is not part of the content that is compared."
  )
}).annotate({ identifier: "Accrual" })
export type Accrual = typeof Accrual.Type

/**
 * True if the accrual is owed, although sweeps pay the builders of this mode. Its reporter left out the payment or, if it does not say in
 * which mode the sweep was quoted, the mode may have changed since.
 */
export const lacksPayment = ({ amount, paidTxHash, payoutMode }: Accrual, mode: PayoutMode): boolean =>
  (payoutMode ?? mode) === "onchain" && paidTxHash === undefined && amount > 0n

/** The protocol's revenue from one settlement. */
export const Revenue = Schema.Struct({
  sweepId: described(
    Schema.String,
    "Settlement: transaction hash, underscore, and position of the event among the logs of the transaction. Idempotency key."
  ),
  chainId: described(ChainId, "Chain of the settlement."),
  token: described(Address.Address, "Token in which the fee was taken."),
  amount: described(Uint256, "Protocol fee, in the smallest unit of the token."),
  txHash: described(Hash, "Transaction that settled the sweep."),
  settledAtMs: described(Schema.Int, "UNIX time in milliseconds of the settlement.")
}).annotate({ identifier: "Revenue" })
export type Revenue = typeof Revenue.Type

/** A booking for the builder backend. */
export type LedgerMessage =
  | { readonly _tag: "Accrual"; readonly accrual: Accrual }
  | { readonly _tag: "Revenue"; readonly revenue: Revenue }

/** A message for the builder backend, stored in the transaction of its cause and delivered at least once. */
export type OutboxMessage = LedgerMessage | { readonly _tag: "SweepEvent"; readonly event: SweepEvent }

export interface Settlement {
  readonly sweepId: string
  readonly chainId: ChainId
  /** Token of the fees: `tokenIn`, or the wrapped native token for a native sweep. */
  readonly feeToken: Address.Address
  readonly feeAmount: bigint
  readonly builderFee: bigint
  readonly txHash: Hash
  readonly settledAtMs: number
  /** True for a sale of the fee recipient. Default: false. See {@link isOwnSale}. */
  readonly isOwnSale?: boolean
}

/** True for a sale of collected fees: the fee recipient sweeps to itself, and its fee returns to it, so the protocol earns nothing. */
export const isOwnSale = (
  { destination, owner }: { readonly owner: Address.Address; readonly destination: Address.Address },
  feeRecipient: Address.Address
): boolean => owner === feeRecipient && destination === feeRecipient

/** The protocol's revenue from a settlement. */
export const revenueOf = (settlement: Settlement): Revenue => {
  const { chainId, feeAmount, feeToken, settledAtMs, sweepId, txHash } = settlement
  return { sweepId, chainId, token: feeToken, amount: feeAmount, txHash, settledAtMs }
}

/** A message with the value of what it books, at the price of the fee's token. */
export const priced = (message: OutboxMessage, { decimals, usd }: PricedUnits): OutboxMessage =>
  message._tag === "Accrual"
    ? { ...message, accrual: { ...message.accrual, usd: format(valueOf(message.accrual.amount, usd, decimals)) } }
    : message

/**
 * Bookings of a settlement: revenue, unless it is a sale of the fee recipient, and an accrual if a builder is attributed and earned
 * something.
 */
export const outboxMessages = (
  settlement: Settlement,
  attributed: { readonly builderId: string; readonly payoutMode: PayoutMode } | undefined
): ReadonlyArray<LedgerMessage> => {
  const { builderFee, chainId, feeToken, sweepId, txHash } = settlement
  const messages: Array<LedgerMessage> =
    settlement.isOwnSale === true ? [] : [{ _tag: "Revenue", revenue: revenueOf(settlement) }]
  if (attributed !== undefined && builderFee > 0n) {
    messages.push({
      _tag: "Accrual",
      accrual: {
        builderId: attributed.builderId,
        sweepId,
        token: feeToken,
        amount: builderFee,
        chainId,
        ...(attributed.payoutMode === "onchain" ? { paidTxHash: txHash } : { payoutMode: attributed.payoutMode })
      }
    })
  }
  return messages
}
