/**
 * Caches a source of {@link Prices} for a short time, and combines the misses of concurrent callers into one request.
 */
import { Cache, Clock, Duration, Effect, Exit, Option, Request, RequestResolver } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { UsdPrice } from "../../domain/Fees.ts"
import { type Price, type PricedToken, Prices, type PricesUnavailable } from "../../ports/orchestrator/Prices.ts"

/** Asks a source. Tokens without a price are absent from the answer. */
export type Lookup = (
  chainId: ChainId,
  tokens: ReadonlyArray<PricedToken>
) => Effect.Effect<ReadonlyMap<Address.Address, UsdPrice>, PricesUnavailable>

/** Maximum number of cached tokens on all chains. */
const CAPACITY = 10_000

class PriceOf extends Request.Class<
  PricedToken & { readonly chainId: ChainId },
  Option.Option<Price>,
  PricesUnavailable
> {}

/** Caches the source of this name. Failures are not cached. The absence of a price is. */
export const make = Effect.fnUntraced(function* (source: string, lookup: Lookup, lifetime: Duration.Input) {
  const sources = [source]
  const resolver = RequestResolver.makeGrouped<PriceOf, ChainId>({
    key: ({ request }) => request.chainId,
    resolver: Effect.fnUntraced(function* (entries, chainId) {
      const prices = yield* lookup(
        chainId,
        entries.map(({ request: { address, decimals } }) => ({ address, decimals }))
      )
      const readAtMs = yield* Clock.currentTimeMillis
      for (const entry of entries) {
        const price = Option.fromUndefinedOr(prices.get(entry.request.address))
        entry.completeUnsafe(Exit.succeed(Option.map(price, (usd) => ({ usd, readAtMs, sources }))))
      }
    })
  })
  const cache = yield* RequestResolver.asCache(resolver, {
    capacity: CAPACITY,
    timeToLive: (exit) => (Exit.isSuccess(exit) ? lifetime : Duration.zero)
  })

  return Prices.ofDetailed(
    Effect.fn("Prices.detailed")(function* (chainId: ChainId, tokens: ReadonlyArray<PricedToken>) {
      const found = yield* Effect.forEach(
        tokens,
        ({ address, decimals }) =>
          Effect.map(
            Cache.get(cache, new PriceOf({ chainId, address, decimals })),
            (price) => [address, price] as const
          ),
        { concurrency: "unbounded" }
      )
      return new Map<Address.Address, Price>(
        found.flatMap(([address, price]) => Option.toArray(price).map((known) => [address, known] as const))
      )
    })
  )
})
