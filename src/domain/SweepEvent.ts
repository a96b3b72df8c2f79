/**
 * Event that a builder receives about a sweep attributed to it: one for each status that the sweep reaches. An event is
 * immutable; its fields are those of the moment when the status changed.
 */
import { Schema } from "effect"
import * as Address from "./Address.ts"
import { Uint256 } from "./Amount.ts"
import { ChainId } from "./ChainId.ts"
import { Hash } from "./Hex.ts"
import { effectOf, FailureReason, type IntentEvent, type ReachedStatus, TRANSITIONS } from "./Intent.ts"
import type { Quote } from "./Quote.ts"
import { isCrossChain, type SweepOrder } from "./SweepOrder.ts"
import { described } from "./Described.ts"

const STATUSES: ReadonlyArray<ReachedStatus> = Object.values(TRANSITIONS).map(({ to }) => to)

/** Statuses of an intent that its owner has signed. */
export const SweepStatus = Schema.Literals(STATUSES).annotate({ identifier: "SweepStatus" })
export type SweepStatus = typeof SweepStatus.Type

export const SweepEvent = Schema.Struct({
  id: described(Schema.String, "Identifier of the event: intentId, colon, status."),
  builderId: described(Schema.String, "Builder to which the sweep is attributed."),
  intentId: described(Schema.String, "Intent of the sweep."),
  status: described(SweepStatus, "Status that the sweep reached."),
  failureReason: described(
    Schema.optionalKey(FailureReason),
    "Reason of the failure. Present if the status is failed."
  ),
  occurredAtMs: described(Schema.Int, "UNIX time in milliseconds when the status was reached."),
  owner: described(Address.Address, "Account that swept."),
  sourceChainId: described(ChainId, "Source chain."),
  destChainId: described(ChainId, "Destination chain."),
  crossChain: described(Schema.Boolean, "True if the destination chain differs from the source chain."),
  tokenIn: described(Address.Address, "Token that was swept."),
  amountIn: described(Uint256, "Amount swept, in the smallest unit of tokenIn."),
  tokenOut: described(Address.Address, "Token that the destination receives."),
  minAmountOut: described(Uint256, "Minimum amount that the destination receives, in the smallest unit of tokenOut."),
  builderFee: described(Uint256, "Markup of the builder, in the smallest unit of tokenIn."),
  txHash: described(
    Schema.optionalKey(Hash),
    "Source transaction: the newest broadcast, or the one that settled. Absent before broadcast."
  ),
  deliveryTxHash: described(
    Schema.optionalKey(Hash),
    "Transaction that delivered. Only if the status is delivered, and absent if the chain's node did not show it in time."
  )
}).annotate({ identifier: "SweepEvent" })
export type SweepEvent = typeof SweepEvent.Type

/** Id of an event. Unique, since an intent reaches a status once. */
export const eventId = (intentId: string, status: SweepStatus): string => `${intentId}:${status}`

/** Fields that an event copies from the intent's documents, and the document of each. The wire encodings are the same. */
export const COPIED = {
  owner: "order",
  tokenIn: "order",
  amountIn: "order",
  tokenOut: "order",
  minAmountOut: "quote",
  builderFee: "order"
} as const satisfies { readonly [K in keyof SweepEvent]?: "order" | "quote" }

/** Fields of an intent that its events need. */
export interface Attributed {
  readonly id: string
  readonly quote: Quote
  readonly order: SweepOrder
  /** The newest broadcast, or the settling, transaction on the source chain. */
  readonly txHash?: Hash
}

/** The builder's event about `event`, which the intent has just been through. */
export const sweepEvent = (
  { id, order, quote, txHash }: Attributed,
  builderId: string,
  event: IntentEvent,
  occurredAtMs: number
): SweepEvent => {
  const { deliveryTxHash, failureReason, status } = effectOf(event)
  const documents: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    order: { ...order },
    quote: { ...quote }
  }
  const copied = Object.entries(COPIED).map(([field, document]) => [field, documents[document]?.[field]])
  return {
    ...(Object.fromEntries(copied) as Pick<SweepEvent, keyof typeof COPIED>),
    id: eventId(id, status),
    builderId,
    intentId: id,
    status,
    ...(failureReason === undefined ? {} : { failureReason }),
    occurredAtMs,
    sourceChainId: quote.sourceChainId,
    destChainId: Number(order.destChainId),
    crossChain: isCrossChain(order, quote.sourceChainId),
    ...(txHash === undefined ? {} : { txHash }),
    ...(deliveryTxHash === undefined ? {} : { deliveryTxHash })
  }
}
