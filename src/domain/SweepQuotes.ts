/** Quotes of many tokens of one owner, for one signature. An addition to the specification. */
import { Schema } from "effect"
import * as Address from "./Address.ts"
import { Uint256 } from "./Amount.ts"
import { ChainId } from "./ChainId.ts"
import { described } from "./Described.ts"
import * as LimitedArray from "./LimitedArray.ts"
import { SlippageBps, UserId } from "./Quote.ts"
import { Tier } from "./Tier.ts"

/** Maximum number of tokens in one request. */
export const MAX_TOKENS = 50

export const SweepToken = Schema.Struct({
  chainId: described(ChainId, "Source chain."),
  token: described(Address.NonZeroAddress, "Token to sweep. 0xEeee…EEeE stands for the native currency."),
  amount: described(
    Schema.Union([Schema.Literal("max"), Uint256]),
    "Amount to sweep, in the smallest unit of the token. `max`: all that the owner holds."
  ),
  tier: described(
    Schema.optionalKey(Tier),
    "Risk tier of the token as the caller sees it. The service may raise it. Default: that of the token list."
  ),
  maxNetworkFee: described(
    Schema.optionalKey(Uint256),
    "Maximum network fee, in the smallest unit of the token. A quote with a higher one is refused. Default: no maximum."
  )
}).annotate({ identifier: "SweepToken", description: "A token to sweep" })
export type SweepToken = typeof SweepToken.Type

const keyOf = ({ chainId, token }: SweepToken): string => `${chainId}:${token}`

/** Orders of one token are signed together, so their amounts would have to be summed before they can be compared with the balance. */
const areDistinct = Schema.makeFilter(
  (tokens: ReadonlyArray<SweepToken>) =>
    new Set(tokens.map(keyOf)).size === tokens.length || "expected each token at most once"
)

export const SweepQuotesRequest = Schema.Struct({
  owner: described(Address.NonZeroAddress, "Account that sweeps."),
  destination: described(Address.NonZeroAddress, "Recipient on the destination chain."),
  destChainId: described(ChainId, "Destination chain."),
  tokenOut: described(Address.NonZeroAddress, "Token to receive, on the destination chain."),
  tokens: described(
    LimitedArray.lengthFirst(
      Schema.Array(SweepToken).check(
        Schema.isMinLength(1, { message: "expected at least 1 token" }),
        Schema.isMaxLength(MAX_TOKENS, { message: `expected at most ${MAX_TOKENS} tokens` }),
        areDistinct
      )
    ),
    "Tokens to sweep, each at most once."
  ),
  userId: described(UserId, "Identifier of the user, chosen by the caller. 1 to 256 characters."),
  subscriptionActive: described(Schema.Boolean, "True if the user has a subscription, which lowers the protocol fee."),
  apiKey: described(Schema.optionalKey(Schema.String), "API key of the builder to attribute the sweeps to."),
  slippageBps: described(
    Schema.optionalKey(SlippageBps),
    "Slippage tolerance in basis points, 1 to 1000. Default: that of the service."
  )
}).annotate({ identifier: "SweepQuotesRequest", description: "Tokens to sweep, and where to" })
export type SweepQuotesRequest = typeof SweepQuotesRequest.Type
