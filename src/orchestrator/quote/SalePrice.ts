/**
 * Price of a token that no source of prices knows: what the sweep's own sale pays. It decides only how many units the network fee takes.
 * Their worth is rehearsed (FeeWorth.ts), so a sale that pays too much on paper ends in a refusal.
 */
import { Effect, Fiber, Option } from "effect"
import { mulDivDown } from "../../domain/Amount.ts"
import * as Chain from "../../domain/Chain.ts"
import type { UsdPrice } from "../../domain/Fees.ts"
import type { QuoteRequest } from "../../domain/Quote.ts"
import type { PricedUnits } from "../../domain/QuoteDetails.ts"
import type { NoRoute, RoutingUnavailable } from "../../ports/orchestrator/SwapVenue.ts"
import type { UnsupportedChain } from "../../ports/shared/Chains.ts"
import type { QuoteFailed } from "./QuoteFailed.ts"
import type { RouteOf } from "./Routing.ts"

/** Reads of the quote that are under way. */
export interface Begun {
  readonly routes: Fiber.Fiber<RouteOf, UnsupportedChain>
  /** Price and decimals of the output. */
  readonly output: Fiber.Fiber<PricedUnits | undefined>
}

/** Price of a whole token of the input, by the amount of the output that it is sold for. */
export const priceOf = (
  sold: { readonly amount: bigint; readonly decimals: number },
  got: PricedUnits & { readonly amount: bigint }
): UsdPrice =>
  sold.amount <= 0n
    ? 0n
    : mulDivDown(got.amount * got.usd, 10n ** BigInt(sold.decimals), sold.amount * 10n ** BigInt(got.decimals))

/** None for sweeps across chains, and for outputs that are not on the operator's list or have no price. */
export const of = Effect.fnUntraced(function* (
  chain: Chain.Chain,
  { amountIn, destChainId, tokenOut }: Pick<QuoteRequest, "amountIn" | "destChainId" | "tokenOut">,
  { decimals }: { readonly decimals: number },
  { output, routes }: Begun
): Effect.fn.Return<Option.Option<UsdPrice>, NoRoute | QuoteFailed | RoutingUnavailable | UnsupportedChain> {
  if (destChainId !== chain.id || amountIn <= 0n || Chain.listedTier(chain, tokenOut) === "tier3") return Option.none()
  const out = yield* Fiber.join(output)
  if (out === undefined) return Option.none()
  const { estimatedAmountOut } = yield* (yield* Fiber.join(routes))(amountIn)
  return Option.some(priceOf({ amount: amountIn, decimals }, { ...out, amount: estimatedAmountOut }))
})
