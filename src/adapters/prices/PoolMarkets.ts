/**
 * Prices of tokens by their Uniswap v3 pools, and the pools that count. A token's price is its price in the chain's first stable,
 * directly or through the wrapped native currency. That stable counts as one dollar.
 */
import { Array, Clock, Context, Duration, Effect, Layer, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import * as LatestMap from "../../domain/LatestMap.ts"
import * as PriceReadings from "../../domain/PriceReadings.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import { type PricedToken, PricesUnavailable } from "../../ports/orchestrator/Prices.ts"
import { type Anchor, type Market, type Place, USD } from "./PoolMeasuring.ts"
import * as PoolMeasuring from "./PoolMeasuring.ts"

export interface Options {
  /** Value of a round trip in dollars. Default: 100. */
  readonly probeUsd?: bigint
  /**
   * Maximum loss of a round trip, distance of the current price from its mean, and distance of the pools that agree, in basis
   * points. The fees of a 1 % pool alone are 200. Default: 500.
   */
  readonly toleranceBps?: number
  /** Value in dollars that a pool must pay before its price has moved by 3 %. Default: 200. */
  readonly minDepthUsd?: bigint
  /** Lifetime of the native currency's market. Default: 15 seconds. */
  readonly lifetime?: Duration.Input
}

export type Markets = ReadonlyMap<Address.Address, Market>

/** Tokens of one call. Each takes at most 10 million gas, and public nodes limit the gas of a call, most of them to 50 million. */
const TOKENS_PER_CALL = 4

/** Age in milliseconds up to which a market counts as recent, and the number of markets that are remembered. */
const SEEN_MILLIS = 15_000
const SEEN_MARKETS = 10_000

/** Age in milliseconds up to which a market still tells how much the price moves. */
const LAST_MILLIS = 60_000

/** Calls in flight at once. Enough for a wallet of 25 tokens on a chain, so that its prices take one round trip. */
const CONCURRENCY = 8

/** Lifetime of an anchor without a price of the native currency, in milliseconds. */
const ABSENT_MILLIS = 1_000

const unavailable = (detail: string) => new PricesUnavailable({ detail: `Uniswap v3: ${detail}` })

/** True if pools of the chain can be read: it has a quoter, and its first stable is on its token list. */
export const serves = (chain: Chain.Chain): boolean => {
  const [unit] = chain.stables
  return chain.quoter !== undefined && unit !== undefined && Option.isSome(Chain.token(chain, unit))
}

/** Reads the chain's configuration. Fails with {@link PricesUnavailable} if it has no quoter or no unit. */
const placeOf = (chains: Chains["Service"], probeUsd: bigint) =>
  Effect.fnUntraced(function* (chainId: ChainId) {
    const client = yield* Effect.mapError(chains.get(chainId), (error) => unavailable(error.message))
    const { chain } = client
    const [unit, ...others] = chain.stables.flatMap((address) => Option.toArray(Chain.token(chain, address)))
    if (chain.quoter === undefined || unit === undefined || unit.address !== chain.stables[0]) {
      return yield* unavailable(`${chain.name} has no quoter, or its first stable is not on its token list`)
    }
    const stable = { token: unit.address, amount: probeUsd * 10n ** BigInt(unit.decimals) }
    return { client, quoter: chain.quoter, unit, stable, others } satisfies Place
  })

export class PoolMarkets extends Context.Service<
  PoolMarkets,
  {
    /** Markets of the tokens that have one, read now. That of the native currency may be as old as the lifetime. */
    readonly read: (chainId: ChainId, tokens: ReadonlyArray<PricedToken>) => Effect.Effect<Markets, PricesUnavailable>
    /** The same, with the markets of tokens that were read in the last 15 seconds as they were. */
    readonly recent: (chainId: ChainId, tokens: ReadonlyArray<PricedToken>) => Effect.Effect<Markets, PricesUnavailable>
    /** The market of a token as it was read in the last minute. Reads nothing. Undefined if it was not read, or has none. */
    readonly last: (chainId: ChainId, token: Address.Address) => Effect.Effect<Market | undefined>
  }
>()("sweep/adapters/prices/PoolMarkets") {}

const make = Effect.fnUntraced(function* (options: Options = {}) {
  const chains = yield* Chains
  const lifetimeMillis = Duration.toMillis(Duration.fromInputUnsafe(options.lifetime ?? Duration.seconds(15)))
  const findPlace = placeOf(chains, options.probeUsd ?? 100n)
  const toleranceBps = options.toleranceBps ?? 500
  const measure = yield* PoolMeasuring.make({ minDepthUsd: options.minDepthUsd ?? 200n, toleranceBps })
  const anchors = new Map<ChainId, { readonly anchor: Anchor; readonly expiresAtMs: number }>()

  /**
   * The first stable is the unit, so its own price cannot be measured. If other stables are traded against it and none of
   * them is close to it, the unit has probably lost its peg. No price is then better than a wrong one.
   */
  const checkPeg = (chain: Chain.Chain, markets: ReadonlyArray<Option.Option<Market>>) => {
    const prices = markets.flatMap((market) => Option.toArray(market)).map(({ price }) => price)
    return prices.length === 0 || prices.some((price) => PriceReadings.isWithin(price, USD, BigInt(toleranceBps)))
      ? Effect.void
      : Effect.fail(unavailable(`the stables of ${chain.name} disagree`))
  }

  const anchorOf = (chainId: ChainId, now: number): Anchor | undefined => {
    const kept = anchors.get(chainId)
    return kept !== undefined && now < kept.expiresAtMs ? kept.anchor : undefined
  }

  /** Markets of the tokens, which are neither the unit nor the wrapped native currency, and of the latter. */
  const readTraded = Effect.fnUntraced(function* (place: Place, traded: ReadonlyArray<PricedToken>) {
    const { chain } = place.client
    const now = yield* Clock.currentTimeMillis
    const [first = [], ...later] = Array.chunksOf(traded, TOKENS_PER_CALL)
    const known = anchorOf(chain.id, now)
    // The anchor is measured in the call of the first tokens, so that a price takes one round trip.
    const start = known !== undefined && first.length === 0 ? undefined : yield* measure(place, known, first)
    const anchor = start?.anchor ?? known
    if (known === undefined && start !== undefined) {
      yield* checkPeg(chain, start.stables)
      // A native price that lacks an earlier state of its pools is there as soon as that has been read.
      const millis = Option.isSome(start.anchor.native) ? lifetimeMillis : Math.min(lifetimeMillis, ABSENT_MILLIS)
      anchors.set(chain.id, { anchor: start.anchor, expiresAtMs: now + millis })
    }
    const rest = yield* Effect.forEach(later, (tokens) => measure(place, anchor, tokens), { concurrency: CONCURRENCY })
    return {
      native: anchor?.native ?? Option.none(),
      markets: new Map([...(start === undefined ? [] : [start]), ...rest].flatMap(({ markets }) => markets))
    }
  })

  const read: PoolMarkets["Service"]["read"] = Effect.fn("PoolMarkets.read")(
    function* (chainId, tokens) {
      const place = yield* findPlace(chainId)
      const { chain } = place.client
      const special = new Set([place.stable.token, chain.wrappedNative])
      const traded = tokens.filter(({ address }) => !special.has(Chain.erc20(chain, address)))
      const { markets, native } = yield* readTraded(place, traded)
      for (const { address } of tokens) {
        const erc20 = Chain.erc20(chain, address)
        if (erc20 === place.stable.token) markets.set(address, { price: USD, pools: [] })
        else if (erc20 === chain.wrappedNative && Option.isSome(native)) markets.set(address, native.value)
      }
      return markets
    },
    Effect.catchTag("ChainUnavailable", (error) => Effect.fail(unavailable(error.message)))
  )

  return PoolMarkets.of(remembering(read))
})

/** Adds what was read before to the reading of markets. */
const remembering = (read: PoolMarkets["Service"]["read"]): PoolMarkets["Service"] => {
  const seen = LatestMap.make<string, { readonly market: Market | undefined; readonly atMs: number }>(SEEN_MARKETS)

  const noted: PoolMarkets["Service"]["read"] = Effect.fnUntraced(function* (chainId, tokens) {
    const markets = yield* read(chainId, tokens)
    const atMs = yield* Clock.currentTimeMillis
    for (const { address } of tokens) seen.set(`${chainId} ${address}`, { market: markets.get(address), atMs })
    return markets
  })

  const recent: PoolMarkets["Service"]["recent"] = Effect.fnUntraced(function* (chainId, tokens) {
    const now = yield* Clock.currentTimeMillis
    const known = new Map<Address.Address, Market>()
    const missing = tokens.filter(({ address }) => {
      const last = seen.get(`${chainId} ${address}`)
      if (last === undefined || now - last.atMs > SEEN_MILLIS) return true
      if (last.market !== undefined) known.set(address, last.market)
      return false
    })
    return missing.length === 0 ? known : new Map([...known, ...(yield* noted(chainId, missing))])
  })

  const last: PoolMarkets["Service"]["last"] = (chainId, token) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const known = seen.get(`${chainId} ${token}`)
      return known === undefined || now - known.atMs > LAST_MILLIS ? undefined : known.market
    })

  return { read: noted, recent, last }
}

export const layer = (options?: Options) => Layer.effect(PoolMarkets, make(options))
