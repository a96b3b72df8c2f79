/** Rows of intents: the signed documents are jsonb in wire encoding, the rest are columns. */
import { Schema } from "effect"
import * as Address from "../../../domain/Address.ts"
import type { PayoutMode } from "../../../domain/Builder.ts"
import { Authorization } from "../../../domain/Delegation.ts"
import { type Hash, Hex } from "../../../domain/Hex.ts"
import type { FailureReason, IntentStatus } from "../../../domain/Intent.ts"
import { Quote } from "../../../domain/Quote.ts"
import { SweepOrder } from "../../../domain/SweepOrder.ts"
import type { Intent, IntentState, Searches } from "../../../ports/orchestrator/Intents.ts"

const Submission = Schema.Struct({ signature: Hex, authorization: Authorization })
type Submission = typeof Submission.Type

/**
 * A row as the driver returns it. This service wrote every column through the encoders below, and the column types hold, so
 * only the forms of the documents' fields are checked. Validation by schema would cost more than the query, on a path that
 * every sweep takes three times.
 */
export interface IntentRow {
  readonly id: string
  readonly quote: typeof Quote.Encoded
  readonly order: typeof SweepOrder.Encoded
  readonly order_digest: Hash
  readonly quoted_at_block: bigint
  readonly gas: bigint
  readonly user_id: string
  readonly builder_id: string | null
  readonly payout_mode: PayoutMode | null
  readonly status: IntentStatus
  readonly submission: typeof Submission.Encoded | null
  readonly submitted_at: Date | null
  readonly tx_hash: Hash | null
  readonly delivery_tx_hash: Hash | null
  readonly failure_reason: FailureReason | null
  readonly failure_detail: string | null
  readonly searches: Readonly<Record<string, string>> | null
  readonly created_at: Date
  readonly updated_at: Date
}

/** The value, which must be hex. */
const hex = (value: string | undefined, name: string): Hex => {
  if (typeof value !== "string" || !value.startsWith("0x")) throw new Error(`${name} is not hex: ${String(value)}`)
  return value as Hex
}

const address = (value: string | undefined, name: string): Address.Address => {
  if (hex(value, name).length !== 42) throw new Error(`${name} is not an address: ${String(value)}`)
  return Address.stored(value as string)
}

/** The value, which must be of the type of `sample`. */
const like = <A extends string | number | boolean>(value: A, sample: A, name: string): A => {
  if (typeof value !== typeof sample || Number.isNaN(value)) throw new Error(`${name} is not a ${typeof sample}`)
  return value
}

const toQuote = (quote: typeof Quote.Encoded): Quote => ({
  ...quote,
  crossChain: like<boolean>(quote.crossChain, true, "quote.crossChain"),
  expiresAtMs: like(quote.expiresAtMs, 0, "quote.expiresAtMs"),
  total: BigInt(quote.total),
  settlementAddress: address(quote.settlementAddress, "quote.settlementAddress"),
  estimatedAmountOut: BigInt(quote.estimatedAmountOut),
  minAmountOut: BigInt(quote.minAmountOut),
  provider: like(quote.provider, "", "quote.provider"),
  estimatedSeconds: like(quote.estimatedSeconds, 0, "quote.estimatedSeconds")
})

const toOrder = (order: typeof SweepOrder.Encoded): SweepOrder => ({
  owner: address(order.owner, "order.owner"),
  tokenIn: address(order.tokenIn, "order.tokenIn"),
  amountIn: BigInt(order.amountIn),
  feeAmount: BigInt(order.feeAmount),
  builder: address(order.builder, "order.builder"),
  builderFee: BigInt(order.builderFee),
  tokenOut: address(order.tokenOut, "order.tokenOut"),
  minAmountOut: BigInt(order.minAmountOut),
  destination: address(order.destination, "order.destination"),
  swapTarget: address(order.swapTarget, "order.swapTarget"),
  swapCalldata: hex(order.swapCalldata, "order.swapCalldata"),
  deadline: BigInt(order.deadline),
  nonce: BigInt(order.nonce),
  destChainId: BigInt(order.destChainId)
})

const toSubmission = ({ authorization, signature }: typeof Submission.Encoded): Submission => ({
  signature: hex(signature, "submission.signature"),
  authorization: {
    address: address(authorization.address, "authorization.address"),
    chainId: Number(authorization.chainId),
    nonce: BigInt(authorization.nonce),
    r: hex(authorization.r, "authorization.r"),
    s: hex(authorization.s, "authorization.s"),
    yParity: authorization.yParity ?? 0
  }
})

const toSearches = ({ cancellations, fill, otherSweeps, settlement }: Readonly<Record<string, string>>): Searches => ({
  ...(settlement === undefined ? {} : { settlement: BigInt(settlement) }),
  ...(otherSweeps === undefined ? {} : { otherSweeps: BigInt(otherSweeps) }),
  ...(cancellations === undefined ? {} : { cancellations: BigInt(cancellations) }),
  ...(fill === undefined ? {} : { fill: BigInt(fill) })
})

/** Throws if the documents do not have the form in which they were stored. */
export const toIntent = (row: IntentRow): Intent => ({
  id: row.id,
  quote: toQuote(row.quote),
  order: toOrder(row.order),
  orderDigest: row.order_digest,
  quotedAtBlock: row.quoted_at_block,
  gas: row.gas,
  userId: row.user_id,
  ...(row.builder_id !== null && row.payout_mode !== null
    ? { attributed: { builderId: row.builder_id, payoutMode: row.payout_mode } }
    : {}),
  status: row.status,
  ...(row.submission !== null ? { submission: toSubmission(row.submission) } : {}),
  ...(row.submitted_at !== null ? { submittedAtMs: row.submitted_at.getTime() } : {}),
  ...(row.tx_hash !== null ? { txHash: row.tx_hash } : {}),
  ...(row.delivery_tx_hash !== null ? { deliveryTxHash: row.delivery_tx_hash } : {}),
  ...(row.failure_reason !== null ? { failureReason: row.failure_reason } : {}),
  ...(row.failure_detail !== null ? { failureDetail: row.failure_detail } : {}),
  createdAtMs: row.created_at.getTime(),
  updatedAtMs: row.updated_at.getTime(),
  ...(row.searches !== null ? { searches: toSearches(row.searches) } : {})
})

/** The columns of an {@link IntentState}. */
export interface StateRow extends Pick<IntentRow, "id" | "status" | "tx_hash" | "delivery_tx_hash" | "failure_reason"> {
  readonly cross_chain: boolean
}

const toState = (row: StateRow): IntentState => ({
  id: row.id,
  status: row.status,
  crossChain: row.cross_chain,
  ...(row.tx_hash !== null ? { txHash: row.tx_hash } : {}),
  ...(row.delivery_tx_hash !== null ? { deliveryTxHash: row.delivery_tx_hash } : {}),
  ...(row.failure_reason !== null ? { failureReason: row.failure_reason } : {})
})

export const decodeStates = (rows: ReadonlyArray<StateRow>): ReadonlyArray<IntentState> => rows.map(toState)

export const encodeQuote = Schema.encodeSync(Quote)
export const encodeOrder = Schema.encodeSync(SweepOrder)
export const encodeSubmission = Schema.encodeSync(Submission)
