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

const STATUSES: ReadonlyArray<ReachedStatus> = Object.values(TRANSITIONS).map(({ to }) => to)

/** Statuses of an intent that its owner has signed. */
export const SweepStatus = Schema.Literals(STATUSES).annotate({ identifier: "SweepStatus" })
export type SweepStatus = typeof SweepStatus.Type

export const SweepEvent = Schema.Struct({
  /** {@link eventId}. */
  id: Schema.String,
  builderId: Schema.String,
  intentId: Schema.String,
  status: SweepStatus,
  /** Present where the status is `failed`. */
  failureReason: Schema.optionalKey(FailureReason),
  occurredAtMs: Schema.Int,
  owner: Address.Address,
  sourceChainId: ChainId,
  destChainId: ChainId,
  crossChain: Schema.Boolean,
  tokenIn: Address.Address,
  amountIn: Uint256,
  tokenOut: Address.Address,
  /** What the destination receives at least, in tokenOut's smallest unit. */
  minAmountOut: Uint256,
  /** The builder's markup, in tokenIn's smallest unit. */
  builderFee: Uint256,
  /** The newest broadcast, or the settling, transaction on the source chain. */
  txHash: Schema.optionalKey(Hash),
  /** The transaction that delivered; present where the status is `delivered`. */
  deliveryTxHash: Schema.optionalKey(Hash)
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
