/** Sweeps of many tokens under one signature: from request to signatures, and the states after that. */
import type { Address } from "./Address.ts"
import type { Hex } from "./Hex.ts"
import type { Accepted, Intent } from "./Intent.ts"
import type { Authorization, AuthorizationRequest, Quote, SweepOrder, Tier } from "./Sweep.ts"

/** A token of a wallet to sweep. */
export interface TokenRequest {
  /** Source chain. */
  readonly chainId: number
  /** `0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE` is the chain's native currency. */
  readonly token: Address
  /** Amount to send, fees included, in the smallest unit of the token. `max`: all that the owner holds. */
  readonly amount: bigint | "max"
  /** Hint that the service may raise. Default: the tier of the token list. */
  readonly tier?: Tier
  /** Maximum network fee in the smallest unit of the token. The service refuses a quote with a higher one. Default: no maximum. */
  readonly maxNetworkFee?: bigint
  /** The review refuses an order that delivers less, in the smallest unit of `tokenOut`. Not sent. Default: 1. */
  readonly minAmountOut?: bigint
}

/**
 * Tokens to be quoted for one signature. The same request is passed to the review.
 *
 * @example
 * const request: SweepQuotesRequest = {
 *   owner: account.address,
 *   tokenOut: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", // USDC on Base
 *   destChainId: 8453,
 *   tokens: [
 *     { chainId: 8453, token: "0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb", amount: "max" },
 *     { chainId: 10, token: "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85", amount: 5_000000n }
 *   ]
 * }
 */
export interface SweepQuotesRequest {
  /** Account to sweep. Its key signs. */
  readonly owner: Address
  /** 1 to 50 tokens, each at most once. */
  readonly tokens: ReadonlyArray<TokenRequest>
  /** Token to receive on the destination chain. */
  readonly tokenOut: Address
  readonly destChainId: number
  /** Receiver of `tokenOut`. Default: the owner. */
  readonly destination?: Address
  /** Slippage tolerance in basis points, 1 to 1000. Default: that of the service. */
  readonly slippageBps?: number
  /** True if the user has a subscription, which lowers the fee. Default: false. */
  readonly subscriptionActive?: boolean
  /** User for the fee policy, 1 to 256 characters. Default: the owner's address. */
  readonly userId?: string
  /** API key of the builder to whom the sweeps are attributed. Default: the client's `apiKey`. */
  readonly apiKey?: string
}

/** Reason for which a token cannot be quoted. Newer services may return other values. */
export type QuoteReason =
  | "fees_exceed_amount"
  | "no_route"
  | "insufficient_balance"
  | "unavailable"
  | "no_price"
  | "chain_unavailable"
  | "same_token"
  | "unsupported_chain"
  | "owner_is_a_contract"
  | "would_revert"
  | "screening_unavailable"
  | "busy"
  | "network_fee_above_maximum"
  | (string & {})

/** A token with its quote. */
export interface QuotedToken {
  readonly quote: Quote
  readonly order: SweepOrder
}

/** A token without a quote. */
export interface RefusedToken {
  readonly chainId: number
  readonly token: Address
  readonly reason: QuoteReason
}

/** True if the token has a quote. */
export const isQuoted = (entry: QuotedToken | RefusedToken): entry is QuotedToken => "quote" in entry

/** One order of a batch, with its source chain. */
export interface BatchLeg {
  readonly chainId: number
  readonly order: SweepOrder
}

/** An amount with its value. */
export interface TotalValue {
  /** In the smallest unit of `tokenOut`. Null for a fee if `tokenOut` has no price. */
  readonly amount: bigint | null
  /** US dollars as a decimal string. Null without a price. */
  readonly usd: string | null
}

/** Sums over all quotes, as the service states them. */
export interface SweepTotals {
  readonly minAmountOut: TotalValue
  readonly estimatedAmountOut: TotalValue
  readonly fees: { readonly protocol: TotalValue; readonly network: TotalValue; readonly builder: TotalValue }
}

/** Response of `POST /quotes`. */
export interface SweepQuotes {
  /** Identifier of the response, for support. */
  readonly id: string
  /** UNIX milliseconds until which the quotes can be submitted. */
  readonly expiresAtMs: number
  /** One entry for each token, in the order of the request. */
  readonly quotes: ReadonlyArray<QuotedToken | RefusedToken>
  /** Absent if no token can be quoted. The served typed data is not read: the client derives its own from the orders. */
  readonly signing?: {
    /** One for each chain where the account does not run the delegate. */
    readonly authorizations: ReadonlyArray<AuthorizationRequest>
  }
  readonly totals: SweepTotals
}

/** Body of `POST /sweeps`. */
export interface SignedBatch {
  /** In the order of the signed legs. */
  readonly quoteIds: ReadonlyArray<string>
  /** EIP-712 signature of the batch, 65 bytes. */
  readonly signature: Hex
  /** One for each chain whose account does not run the delegate. May be empty. */
  readonly authorizations: ReadonlyArray<Authorization>
}

/** Response of `POST /sweeps`. */
export interface SweepAccepted {
  readonly id: string
  /** One for each quote, in the same order. */
  readonly intents: ReadonlyArray<Accepted>
}

/** Response of `GET /sweeps/:id`. */
export interface Sweep {
  readonly id: string
  /** In signing order. Each settles or fails alone. */
  readonly intents: ReadonlyArray<Intent>
}

/** Returns the intents of a sweep, or an intent as a list. */
export const intentsOf = <Each extends object>(
  state: Each | { readonly intents: ReadonlyArray<Each> }
): ReadonlyArray<Each> => ("intents" in state ? state.intents : [state])

/** True once the intent, or every intent of the sweep, is `delivered` or `failed`. */
export const isEnded = (
  state: Pick<Intent, "status"> | { readonly intents: ReadonlyArray<Pick<Intent, "status">> }
): boolean => intentsOf(state).every(({ status }) => status === "delivered" || status === "failed")

/** An intent as anyone may see it. */
export type ListedIntent = Pick<Intent, "id" | "status" | "crossChain" | "txHash" | "deliveryTxHash" | "amountOut">

/** Response of `GET /owners/:owner/sweeps`. */
export interface SweepPage {
  /** Newest first. */
  readonly sweeps: ReadonlyArray<{ readonly id: string; readonly intents: ReadonlyArray<ListedIntent> }>
  /** Cursor of the next page. Absent on the last page. */
  readonly next?: string
}
