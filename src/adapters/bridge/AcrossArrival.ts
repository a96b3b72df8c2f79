/**
 * Terms of a deposit's arrival: the fee of the relayer, and the swap on arrival if the bridge does not carry the wanted token. Then it
 * carries another asset to the MulticallHandler, which swaps it.
 */
import { Effect, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { Decimals } from "../../domain/AssetAmount.ts"
import type * as Chain from "../../domain/Chain.ts"
import * as TokenEquivalence from "../../domain/TokenEquivalence.ts"
import type { BridgeRequest } from "../../ports/orchestrator/Bridge.ts"
import type { NoRoute, SwapRoute, SwapVenue } from "../../ports/orchestrator/SwapVenue.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import type { AcrossDeposit } from "./AcrossDeposit.ts"
import type { AcrossFees, FeeQuote, FeeRequest } from "./AcrossFees.ts"
import * as AcrossPurchase from "./AcrossPurchase.ts"
import { type Limits, times } from "./AcrossTerms.ts"
import { noRoute, type PoolSettings } from "./SpokePools.ts"

/** An asset that the bridge carries: its tokens on both chains, and their decimals. */
export interface Carried {
  readonly inputToken: Address.Address
  readonly outputToken: Address.Address
  readonly decimals: Decimals
}

/** Contracts that swap on arrival. */
export interface Buyer {
  readonly handler: Address.Address
  readonly router: Address.Address
}

/** The token on `source` that the bridge turns into the ERC-20 `outputToken` on `destination`, with the decimals of both. */
export const carriedAs = (
  source: Chain.Chain,
  outputToken: Address.Address,
  destination: Chain.Chain
): Option.Option<Carried> =>
  Option.map(TokenEquivalence.tie(destination, outputToken, source), ({ counterpart, decimals }) => ({
    inputToken: counterpart.address,
    outputToken,
    decimals: { from: counterpart.decimals, to: decimals }
  }))

/**
 * The asset that is carried in place of a token that the bridge does not carry: the one that the owner sends, else the most liquid stable,
 * else the wrapped native token. None if the destination cannot swap it on arrival.
 */
export const carriedInstead = (
  source: Chain.Chain,
  tokenIn: Address.Address,
  destination: Chain.Chain
): Option.Option<Carried & { readonly buyer: Buyer }> => {
  const { multicallHandler: handler, stables, swapRouter: router, wrappedNative } = destination
  if (handler === undefined || router === undefined) return Option.none()
  const carried = [...stables, wrappedNative].flatMap((token) => Option.toArray(carriedAs(source, token, destination)))
  return Option.map(
    Option.fromUndefinedOr(carried.find(({ inputToken }) => inputToken === tokenIn) ?? carried[0]),
    (each) => ({ ...each, buyer: { handler, router } })
  )
}

/** The members of a deposit that the arrival decides. */
export type Arriving = Pick<
  AcrossDeposit,
  | "recipient"
  | "outputAmount"
  | "exclusiveRelayer"
  | "exclusivityParameter"
  | "quoteTimestamp"
  | "fillDeadline"
  | "message"
>

export interface Arrival {
  readonly deposit: Arriving
  readonly estimatedSeconds: number
  /** The swap on arrival. Absent if the bridge carries the wanted token. */
  readonly purchase?: SwapRoute
}

/** The failure of a purchase, which is asked for because the bridge does not carry the token. */
export const notBought = (
  tokenOut: Address.Address,
  source: Chain.Chain,
  destination: Chain.Chain,
  detail: string
): NoRoute =>
  noRoute(
    `${tokenOut} on ${destination.name} has no counterpart on ${source.name}, and cannot be bought on arrival: ${detail}`
  )

interface Parts {
  readonly fees: AcrossFees["Service"]
  readonly limits: Limits
  readonly venue: SwapVenue["Service"]
}

const termsOf = Effect.fnUntraced(function* (quote: FeeQuote, limits: Limits, settings: PoolSettings) {
  return {
    outputAmount: quote.outputAmount,
    exclusiveRelayer: quote.exclusiveRelayer,
    exclusivityParameter: quote.exclusivitySeconds,
    ...(yield* times(quote, limits, settings))
  }
})

/** An arrival without a swap. */
export const plain = Effect.fnUntraced(function* (
  { fees, limits }: Parts,
  request: FeeRequest,
  settings: PoolSettings
) {
  const quote = yield* fees.quote(request)
  const deposit = { recipient: request.recipient, ...(yield* termsOf(quote, limits, settings)) }
  return { deposit, estimatedSeconds: quote.estimatedSeconds } satisfies Arrival
})

/**
 * An arrival with a swap. The fee depends on the message, since relayers pay for its gas, and the message on the amount that the fee
 * leaves. So the fee is asked for twice, first without the message.
 */
export const bought = Effect.fnUntraced(function* (
  { fees, limits, venue }: Parts,
  { recipient, ...feeRequest }: FeeRequest,
  settings: PoolSettings,
  { handler, router }: Buyer,
  destination: ChainClient,
  { slippageBps, tokenOut }: BridgeRequest
) {
  const buy = Effect.fnUntraced(function* (quote: FeeQuote) {
    const terms = yield* termsOf(quote, limits, settings)
    if (terms.outputAmount <= 0n) return yield* noRoute("the amount does not cover the relayer's fee")
    const purchase = yield* Effect.catchTag(
      venue.route({
        chainId: destination.chain.id,
        tokenIn: feeRequest.outputToken,
        tokenOut,
        amountIn: terms.outputAmount,
        sender: handler,
        recipient,
        slippageBps,
        deadline: BigInt(terms.fillDeadline)
      }),
      "NoRoute",
      ({ detail }) => Effect.fail(notBought(tokenOut, feeRequest.source, destination.chain, detail))
    )
    if (purchase.target !== router) return yield* noRoute(`${purchase.provider} does not swap on arrival`)
    const message = AcrossPurchase.encode({
      sold: feeRequest.outputToken,
      amount: terms.outputAmount,
      router,
      calldata: purchase.calldata,
      fallbackRecipient: recipient
    })
    return { deposit: { recipient: handler, ...terms, message }, estimatedSeconds: quote.estimatedSeconds, purchase }
  })
  const first = yield* buy(yield* fees.quote({ ...feeRequest, recipient: handler }))
  const quote = yield* fees.quote({ ...feeRequest, recipient: handler, message: first.deposit.message })
  const { fillDeadline, quoteTimestamp } = yield* times(quote, limits, settings)
  const isSame =
    quote.outputAmount === first.deposit.outputAmount &&
    quote.exclusiveRelayer === first.deposit.exclusiveRelayer &&
    fillDeadline === first.deposit.fillDeadline &&
    quoteTimestamp === first.deposit.quoteTimestamp
  return (isSame ? first : yield* buy(quote)) satisfies Arrival
})
