/**
 * Caches a source of {@link Prices} for a short time, and combines the misses of concurrent callers into one request.
 */
import { Cache, Clock, Context, Duration, Effect, Exit, Option, Request, RequestResolver } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { UsdPrice } from "../../domain/Fees.ts"
import { type Price, type PricedToken, Prices, type PricesUnavailable } from "../../ports/orchestrator/Prices.ts"
import * as Priority from "../../ports/shared/Priority.ts"
import * as DisplayReads from "./DisplayReads.ts"

/** Asks a source. Tokens without a price are absent from the answer. */
export type Lookup = (
  chainId: ChainId,
  tokens: ReadonlyArray<PricedToken>
) => Effect.Effect<DisplayReads.Readings, PricesUnavailable>

/** Maximum number of cached tokens on all chains. */
const CAPACITY = 10_000

class PriceOf extends Request.Class<
  PricedToken & { readonly chainId: ChainId },
  Option.Option<Price> | Exclude<DisplayReads.Reading, UsdPrice>,
  PricesUnavailable
> {}

/**
 * Time after which a token is asked for again whose price failed alone. Callers take it for one without a price, so the time is short.
 * It is not shorter, because each retry may spend several requests of a small budget.
 */
const FAILED_LIFETIME = Duration.seconds(5)

/** Caches the source of this name. Failures of a whole lookup are not cached. The absence of a price is. */
export const make = Effect.fnUntraced(function* (source: string, lookup: Lookup, lifetime: Duration.Input) {
  const sources = [source]
  const resolver = RequestResolver.makeGrouped<PriceOf, string>({
    // Reads for display are lookups of their own, which may skip tokens.
    key: ({ context, request }) =>
      `${request.chainId} ${DisplayReads.displays(Context.get(context, Priority.Current))}`,
    resolver: Effect.fnUntraced(function* (entries) {
      const prices = yield* lookup(
        entries[0].request.chainId,
        entries.map(({ request: { address, decimals } }) => ({ address, decimals }))
      )
      const readAtMs = yield* Clock.currentTimeMillis
      for (const entry of entries) {
        const usd = prices.get(entry.request.address)
        entry.completeUnsafe(
          Exit.succeed(
            usd === undefined ? Option.none() : typeof usd === "bigint" ? Option.some({ usd, readAtMs, sources }) : usd
          )
        )
      }
    })
  })
  const cache = yield* RequestResolver.asCache(resolver, {
    capacity: CAPACITY,
    timeToLive: (exit) => {
      if (!Exit.isSuccess(exit) || exit.value === "skipped") return Duration.zero
      return exit.value === "failed" ? FAILED_LIFETIME : lifetime
    }
  })

  const priceOf = Effect.fnUntraced(function* (request: PriceOf) {
    const found = yield* Cache.get(cache, request)
    // A read for display was under way, which this one joined.
    const isOnlyDisplayed = found === "skipped" && !(yield* DisplayReads.isDisplay)
    const counted = isOnlyDisplayed ? yield* Cache.get(cache, request) : found
    return typeof counted === "string" ? Option.none<Price>() : counted
  })

  /** Prices that are all cached. Undefined otherwise. Most calls are of that kind, and need no fiber for each token. */
  const cached = Effect.fnUntraced(function* (chainId: ChainId, tokens: ReadonlyArray<PricedToken>) {
    const known = new Map<Address.Address, Price>()
    for (const { address, decimals } of tokens) {
      const found = yield* Cache.getSuccess(cache, new PriceOf({ chainId, address, decimals }))
      if (Option.isNone(found) || typeof found.value === "string") return undefined
      if (Option.isSome(found.value)) known.set(address, found.value.value)
    }
    return known
  })

  return Prices.ofDetailed(
    Effect.fn("Prices.detailed")(function* (chainId: ChainId, tokens: ReadonlyArray<PricedToken>) {
      const known = yield* cached(chainId, tokens)
      if (known !== undefined) return known
      const found = yield* Effect.forEach(
        tokens,
        ({ address, decimals }) =>
          Effect.map(priceOf(new PriceOf({ chainId, address, decimals })), (price) => [address, price] as const),
        { concurrency: "unbounded" }
      )
      return new Map<Address.Address, Price>(
        found.flatMap(([address, price]) => Option.toArray(price).map((known) => [address, known] as const))
      )
    })
  )
})
