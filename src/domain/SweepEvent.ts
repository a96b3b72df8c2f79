/**
 * What a builder is told of a sweep that is attributed to it, once for each status that the sweep reaches. An event never
 * changes: what it says is what was so when the status changed.
 */
import { Schema } from "effect"
import * as Address from "./Address.ts"
import { Uint256 } from "./Amount.ts"
import { ChainId } from "./ChainId.ts"
import { Hash } from "./Hex.ts"
import { FailureReason, type IntentEvent } from "./Intent.ts"
import type { Quote } from "./Quote.ts"
import { isCrossChain, type SweepOrder } from "./SweepOrder.ts"

/** The statuses of an intent that its owner has signed. */
export const SweepStatus = Schema.Literals(["submitted", "settled_source", "delivered", "failed"]).annotate({
  identifier: "SweepStatus"
})
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

/** Names an event: an intent reaches a status once. */
export const eventId = (intentId: string, status: SweepStatus): string => `${intentId}:${status}`

/** The status that an event of an intent leads to. */
export const statusAfter = (event: IntentEvent): SweepStatus => {
  switch (event._tag) {
    case "Submitted":
      return "submitted"
    case "SettledAtSource":
      return "settled_source"
    case "Delivered":
      return "delivered"
    case "Failed":
      return "failed"
  }
}

/** What of an intent its builder is told. */
export interface Attributed {
  readonly id: string
  readonly quote: Quote
  readonly order: SweepOrder
  readonly txHash?: Hash
  readonly deliveryTxHash?: Hash
  readonly failureReason?: FailureReason
}

/** The event of an intent that is just reaching `status`. */
export const sweepEvent = (
  { deliveryTxHash, failureReason, id, order, quote, txHash }: Attributed,
  builderId: string,
  status: SweepStatus,
  occurredAtMs: number
): SweepEvent => ({
  id: eventId(id, status),
  builderId,
  intentId: id,
  status,
  ...(status === "failed" && failureReason !== undefined ? { failureReason } : {}),
  occurredAtMs,
  owner: order.owner,
  sourceChainId: quote.sourceChainId,
  destChainId: Number(order.destChainId),
  crossChain: isCrossChain(order, quote.sourceChainId),
  tokenIn: order.tokenIn,
  amountIn: order.amountIn,
  tokenOut: order.tokenOut,
  minAmountOut: quote.minAmountOut,
  builderFee: order.builderFee,
  ...(txHash === undefined ? {} : { txHash }),
  ...(status === "delivered" && deliveryTxHash !== undefined ? { deliveryTxHash } : {})
})
