/**
 * {@link Prices} from the chain's Uniswap v3 pools, without any other service. A token's price is its price in the chain's
 * first stable, directly or through the wrapped native currency. That stable counts as one dollar.
 */
import { Array, Cache, Duration, Effect, Exit, Layer, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { UsdPrice } from "../../domain/Fees.ts"
import type { TokenInfo } from "../../domain/Token.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import { Prices, PricesUnavailable } from "../../ports/orchestrator/Prices.ts"
import * as PriceCache from "./PriceCache.ts"
import * as RoundTrip from "./RoundTrip.ts"

export interface Options {
  /**
   * Value of a round trip in dollars, which a market must be deep enough for. With the default tolerance, a full-range pool of
   * the 0.3 % tier needs about 45 times this value on each side. Default: 100.
   */
  readonly probeUsd?: bigint
  /** Maximum loss or gain of a round trip, in basis points of its value. The fees of two 1 % pools alone are 200. Default: 500. */
  readonly toleranceBps?: number
  readonly cacheLifetime?: Duration.Input
}

const USD: UsdPrice = 10n ** 18n
const BPS = 10_000n

/** The basis of all prices on a chain. */
interface Anchor {
  readonly client: ChainClient
  readonly quoter: Address.Address
  readonly stable: RoundTrip.Money & { readonly worth: bigint }
  /** The wrapped native currency, priced in the stable. None if the two have no sound market. */
  readonly native: Option.Option<RoundTrip.Money & { readonly worth: bigint }>
}

const unavailable = (detail: string) => new PricesUnavailable({ detail: `Uniswap v3: ${detail}` })

/** Measures prices by round trips of `probeUsd` dollars that may lose or gain `tolerance` basis points. */
const measurement = (probeUsd: bigint, tolerance: bigint) => {
  const within = (value: bigint, reference: bigint): boolean => {
    const distance = value > reference ? value - reference : reference - value
    return distance * BPS <= reference * tolerance
  }

  /** Trips that end close to their starting value. The others give no price. */
  const travel = Effect.fnUntraced(function* (
    { client, native, quoter, stable }: Anchor,
    tokens: ReadonlyArray<Address.Address>
  ) {
    const trips = yield* RoundTrip.travel(client, quoter, tokens, [stable, ...Option.toArray(native)])
    return trips.map((trip) => Option.filter(trip, ({ returned }) => within(returned, stable.worth)))
  })

  /** Dollars per whole token, scaled by 10^18. */
  const priceOf = (trip: RoundTrip.Trip, decimals: number, stable: RoundTrip.Money): UsdPrice =>
    (trip.returned * probeUsd * USD * 10n ** BigInt(decimals)) / (trip.bought * stable.amount)

  /**
   * The first stable is the unit, so its own price cannot be measured. If other stables are traded against it and none of
   * them is close to it, the unit has probably lost its peg. No price is then better than a wrong one.
   */
  const checkPeg = (chain: Chain.Chain, prices: ReadonlyArray<UsdPrice>) =>
    prices.length === 0 || prices.some((price) => within(price, USD))
      ? Effect.void
      : Effect.fail(unavailable(`the stables of ${chain.name} disagree`))

  const pricesOf = (
    tokens: ReadonlyArray<TokenInfo>,
    trips: ReadonlyArray<Option.Option<RoundTrip.Trip>>,
    stable: RoundTrip.Money
  ): ReadonlyArray<UsdPrice> =>
    Array.zip(tokens, trips).flatMap(([{ decimals }, trip]) =>
      Option.toArray(trip).map((sound) => priceOf(sound, decimals, stable))
    )

  return { checkPeg, priceOf, pricesOf, travel }
}

export const make = Effect.fnUntraced(function* (options: Options = {}) {
  const chains = yield* Chains
  const lifetime = Duration.fromInputUnsafe(options.cacheLifetime ?? Duration.seconds(15))
  const probeUsd = options.probeUsd ?? 100n
  const { checkPeg, priceOf, pricesOf, travel } = measurement(probeUsd, BigInt(options.toleranceBps ?? 500))

  const findAnchor = Effect.fn("UniswapV3Prices.findAnchor")(function* (chainId: ChainId) {
    const client = yield* Effect.mapError(chains.get(chainId), (error) => unavailable(error.message))
    const { chain } = client
    const [unit, ...others] = chain.stables.flatMap((address) => Option.toArray(Chain.token(chain, address)))
    if (chain.quoter === undefined || unit === undefined || unit.address !== chain.stables[0]) {
      return yield* unavailable(`${chain.name} has no quoter, or its first stable is not on its token list`)
    }
    const worth = probeUsd * 10n ** BigInt(unit.decimals)
    const stable = { token: unit.address, amount: worth, worth }
    const anchor: Anchor = { client, quoter: chain.quoter, stable, native: Option.none() }
    const [native = Option.none(), ...trips] = yield* travel(anchor, [
      chain.wrappedNative,
      ...others.map((other) => other.address)
    ])
    yield* checkPeg(chain, pricesOf(others, trips, stable))
    return {
      ...anchor,
      native: Option.map(native, ({ bought, returned }) => ({
        token: chain.wrappedNative,
        amount: bought,
        worth: returned
      }))
    }
  })

  const anchors = yield* Cache.makeWith(findAnchor, {
    capacity: Math.max(1, chains.all.length),
    timeToLive: (exit) => (Exit.isSuccess(exit) ? lifetime : Duration.zero)
  })

  const lookup: PriceCache.Lookup = Effect.fn("UniswapV3Prices.lookup")(
    function* (chainId, tokens) {
      const anchor = yield* Cache.get(anchors, chainId)
      const { client, native, stable } = anchor
      const prices = new Map<Address.Address, UsdPrice>()
      const traded: Array<PriceCache.PricedToken> = []
      for (const token of tokens) {
        const erc20 = Chain.erc20(client.chain, token.address)
        if (erc20 === stable.token) prices.set(token.address, USD)
        else if (erc20 !== client.chain.wrappedNative) traded.push(token)
        else {
          Option.map(native, ({ amount, worth }) =>
            prices.set(token.address, priceOf({ bought: amount, returned: worth }, token.decimals, stable))
          )
        }
      }
      const trips = yield* travel(
        anchor,
        traded.map((token) => token.address)
      )
      for (const [{ address, decimals }, trip] of Array.zip(traded, trips)) {
        Option.map(trip, (sound) => prices.set(address, priceOf(sound, decimals, stable)))
      }
      return prices
    },
    Effect.catchTag("ChainUnavailable", (error) => Effect.fail(unavailable(error.message)))
  )

  return yield* PriceCache.make(lookup, lifetime)
})

export const layer = (options?: Options) => Layer.effect(Prices, make(options))
