/** Quote requests and quotes (spec, "QuoteRequest" and "Quote"). */
import { Schema } from "effect"
import * as Address from "./Address.ts"
import { Uint256 } from "./Amount.ts"
import { ChainId } from "./ChainId.ts"
import * as QuoteDetails from "./QuoteDetails.ts"
import { Tier } from "./Tier.ts"
import { described } from "./Described.ts"
import { optional } from "./Optional.ts"

export const QuoteId = Schema.String.annotate({ identifier: "QuoteId", description: "UUID; becomes the intent's id" })
export type QuoteId = string

const MAX_USER_ID = 256

/** The caller's own id of its user, stored with the intent. */
export const UserId = Schema.String.check(
  Schema.isMinLength(1, { message: "expected at least 1 character" }),
  Schema.isMaxLength(MAX_USER_ID, { message: `expected at most ${MAX_USER_ID} characters` }),
  // PostgreSQL text cannot contain NUL.
  Schema.makeFilter((id: string) => !id.includes("\0") || "expected text without NUL characters")
)

/** Maximum slippage tolerance of a request, in basis points. */
const MAX_SLIPPAGE_BPS = 1_000

export const SlippageBps = Schema.Int.check(
  Schema.isBetween(
    { minimum: 1, maximum: MAX_SLIPPAGE_BPS },
    { message: `expected an integer between 1 and ${MAX_SLIPPAGE_BPS}` }
  )
)

export const QuoteRequest = Schema.Struct({
  owner: described(Address.NonZeroAddress, "Account that sweeps."),
  tokenIn: described(
    Address.NonZeroAddress,
    "Token to sweep, on the source chain. 0xEeee…EEeE stands for the native currency."
  ),
  amountIn: described(Uint256, "Amount to sweep, in the smallest unit of tokenIn."),
  tokenOut: described(Address.NonZeroAddress, "Token to receive, on the destination chain."),
  destination: described(Address.NonZeroAddress, "Recipient on the destination chain."),
  destChainId: described(ChainId, "Destination chain."),
  tier: described(Tier, "Risk tier of tokenIn as the caller sees it. The service may raise it."),
  route: described(
    optional(Schema.String),
    "Names or ids of the chains in the form <source>-><destination>. The service derives the source chain from it, unless sourceChainId is given. A hint that names a chain that is not served, or contradicts the request, is refused."
  ),
  sourceChainId: described(
    optional(ChainId),
    "Source chain. Default: the source of the route, else the chain on which the owner holds tokenIn. An addition to the specification."
  ),
  subscriptionActive: described(Schema.Boolean, "True if the user has a subscription, which lowers the protocol fee."),
  userId: described(UserId, "Identifier of the user, chosen by the caller. 1 to 256 characters."),
  apiKey: described(optional(Schema.String), "API key of the builder to attribute the sweep to."),
  slippageBps: described(
    optional(SlippageBps),
    "Slippage tolerance in basis points, 1 to 1000. Default: that of the service. An addition to the specification."
  ),
  maxNetworkFee: described(
    optional(Uint256),
    "Maximum network fee, in the smallest unit of tokenIn. A quote with a higher one is refused. Default: no maximum. An addition to the specification."
  )
}).annotate({ identifier: "QuoteRequest", description: "What to sweep, and where to" })
export type QuoteRequest = typeof QuoteRequest.Type

export const Quote = Schema.Struct({
  id: described(QuoteId, "UUID of the quote, and of the intent once it is submitted."),
  crossChain: described(Schema.Boolean, "True if the destination chain differs from the source chain."),
  expiresAtMs: described(Schema.Int, "UNIX time in milliseconds after which the quote is rejected."),
  total: described(Uint256, "Sum of feeAmount and builderFee, in the smallest unit of tokenIn."),
  builderId: described(
    Schema.optionalKey(Schema.String),
    "Builder to which the sweep is attributed. Absent without attribution."
  ),
  settlementAddress: described(Address.Address, "Delegate contract that the owner's EIP-7702 authorization must name."),
  sourceChainId: described(ChainId, "Source chain."),
  estimatedAmountOut: described(
    Uint256,
    "Amount that the route is expected to deliver, in the smallest unit of tokenOut."
  ),
  minAmountOut: described(
    Uint256,
    "Minimum amount that the destination receives, in the smallest unit of tokenOut. Across chains: the output of the bridge."
  ),
  slippageBps: described(
    Schema.optionalKey(Schema.Int),
    "Slippage tolerance of minAmountOut, in basis points of estimatedAmountOut: that of the request or the service, else by the measured price impact and volatility. For a call that a service or bridge has fixed, the distance of its minimum from the estimate, rounded up. Absent if they are equal. An addition to the specification."
  ),
  transferFeeBps: described(
    Schema.optionalKey(Schema.Int),
    "Part of the output that the token contracts take for themselves when tokenIn and tokenOut move, in basis points, as measured in a rehearsal. estimatedAmountOut and minAmountOut are what arrives after it. Absent if they take nothing. An addition to the specification."
  ),
  provider: described(Schema.String, "Exchange or bridge of the route."),
  estimatedSeconds: described(Schema.Int, "Expected seconds from submission to delivery."),
  ...QuoteDetails.fields
}).annotate({ identifier: "Quote", description: "A priced, unsigned offer" })
export type Quote = typeof Quote.Type
