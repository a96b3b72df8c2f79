/** What a caller asks for, and what the service answers (spec, "QuoteRequest" and "Quote"). */
import { Schema } from "effect"
import * as Address from "./Address.ts"
import { Uint256 } from "./Amount.ts"
import { ChainId } from "./ChainId.ts"
import { Tier } from "./Tier.ts"

export const QuoteId = Schema.String.annotate({ identifier: "QuoteId", description: "UUID; becomes the intent's id" })
export type QuoteId = string

/** The caller's own name for its user, kept with the intent; a database's text holds no NUL. */
const UserId = Schema.String.check(
  Schema.makeFilter((id: string) => !id.includes("\0") || "expected text without NUL characters")
)

export const QuoteRequest = Schema.Struct({
  owner: Address.NonZeroAddress,
  tokenIn: Address.NonZeroAddress,
  amountIn: Uint256,
  tokenOut: Address.NonZeroAddress,
  destination: Address.NonZeroAddress,
  destChainId: ChainId,
  tier: Tier,
  route: Schema.optionalKey(Schema.String),
  subscriptionActive: Schema.Boolean,
  userId: UserId,
  apiKey: Schema.optionalKey(Schema.String)
}).annotate({ identifier: "QuoteRequest", description: "What to sweep, and where to" })
export type QuoteRequest = typeof QuoteRequest.Type

export const Quote = Schema.Struct({
  id: QuoteId,
  crossChain: Schema.Boolean,
  expiresAtMs: Schema.Int,
  total: Uint256,
  builderId: Schema.optionalKey(Schema.String),
  /** The delegate implementation to which the owner's EIP-7702 authorization must point. */
  settlementAddress: Address.Address,
  sourceChainId: ChainId,
  /** What the route is expected to deliver, in tokenOut's smallest unit. */
  estimatedAmountOut: Uint256,
  /** What the destination receives at least: the order's for one chain, the bridge's output across two. */
  minAmountOut: Uint256,
  /** The venue or bridge behind the route. */
  provider: Schema.String,
  /** Expected seconds from submission to delivery. */
  estimatedSeconds: Schema.Int
}).annotate({ identifier: "Quote", description: "A priced, unsigned offer" })
export type Quote = typeof Quote.Type
