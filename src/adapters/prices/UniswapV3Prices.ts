/**
 * {@link Prices} from the chain's Uniswap v3 pools, without any other service. A token's price is its price in the chain's
 * first stable, directly or through the wrapped native currency. That stable counts as one dollar.
 */
import { Array, Clock, Duration, Effect, Layer, Option } from "effect"
import * as Address from "../../domain/Address.ts"
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
  readonly stable: RoundTrip.Money
  /** The wrapped native currency, priced in the stable. None if the two have no sound market. */
  readonly native: Option.Option<RoundTrip.Money>
}

/** The contracts and tokens that price a chain's tokens, by its configuration. */
interface Place {
  readonly client: ChainClient
  readonly quoter: Address.Address
  readonly stable: RoundTrip.Money
  readonly others: ReadonlyArray<TokenInfo>
}

/** Tokens of one call. Each takes up to 16 quotes, and public nodes limit the gas of a call. */
const TOKENS_PER_CALL = 4

/** Calls in flight at once. */
const CONCURRENCY = 4

const unavailable = (detail: string) => new PricesUnavailable({ detail: `Uniswap v3: ${detail}` })

/** Measures prices by round trips of `probeUsd` dollars that may lose or gain `tolerance` basis points. */
const measurement = (probeUsd: bigint, tolerance: bigint) => {
  const within = (value: bigint, reference: bigint): boolean => {
    const distance = value > reference ? value - reference : reference - value
    return distance * BPS <= reference * tolerance
  }

  /** Trips that end close to their starting value. The others give no price. */
  const sound = (trip: Option.Option<RoundTrip.Trip>, stable: RoundTrip.Money) =>
    Option.filter(trip, ({ returned }) => within(returned, stable.worth))

  /** Sound trips of some tokens, and of the anchor if it is not known. */
  const travel = Effect.fnUntraced(function* (
    { client, others, quoter, stable }: Place,
    known: Anchor | undefined,
    tokens: ReadonlyArray<Address.Address>
  ) {
    const { wrappedNative } = client.chain
    const unmeasured = { token: known === undefined ? wrappedNative : Address.zero, amount: 0n, worth: 0n }
    const trips = yield* RoundTrip.travel(client, {
      quoter,
      stable,
      native: Option.getOrElse(known?.native ?? Option.none(), () => unmeasured),
      toleranceBps: tolerance,
      stables: known === undefined ? others.map(({ address }) => address) : [],
      tokens
    })
    return {
      native: Option.map(sound(trips.native, stable), ({ bought, returned }) => ({
        token: wrappedNative,
        amount: bought,
        worth: returned
      })),
      stables: trips.stables.map((trip) => sound(trip, stable)),
      tokens: trips.tokens.map((trip) => sound(trip, stable))
    }
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

/** Reads the chain's configuration. Fails with {@link PricesUnavailable} if it has no quoter or no unit. */
const placeOf = (chains: Chains["Service"], probeUsd: bigint) =>
  Effect.fnUntraced(function* (chainId: ChainId) {
    const client = yield* Effect.mapError(chains.get(chainId), (error) => unavailable(error.message))
    const { chain } = client
    const [unit, ...others] = chain.stables.flatMap((address) => Option.toArray(Chain.token(chain, address)))
    if (chain.quoter === undefined || unit === undefined || unit.address !== chain.stables[0]) {
      return yield* unavailable(`${chain.name} has no quoter, or its first stable is not on its token list`)
    }
    const worth = probeUsd * 10n ** BigInt(unit.decimals)
    return { client, quoter: chain.quoter, stable: { token: unit.address, amount: worth, worth }, others }
  })

export const make = Effect.fnUntraced(function* (options: Options = {}) {
  const chains = yield* Chains
  const lifetime = Duration.fromInputUnsafe(options.cacheLifetime ?? Duration.seconds(15))
  const probeUsd = options.probeUsd ?? 100n
  const { checkPeg, priceOf, pricesOf, travel } = measurement(probeUsd, BigInt(options.toleranceBps ?? 500))
  const findPlace = placeOf(chains, probeUsd)
  const anchors = new Map<ChainId, { readonly anchor: Anchor; readonly expiresAtMs: number }>()

  const lookup: PriceCache.Lookup = Effect.fn("UniswapV3Prices.lookup")(
    function* (chainId, tokens) {
      const place = yield* findPlace(chainId)
      const { chain } = place.client
      const { others, stable } = place
      const isTraded = ({ address }: PriceCache.PricedToken) =>
        ![stable.token, chain.wrappedNative].includes(Chain.erc20(chain, address))
      const [first = [], ...later] = Array.chunksOf(tokens.filter(isTraded), TOKENS_PER_CALL)

      /** Prices of some tokens by their trips. */
      const measured = Effect.fnUntraced(function* (
        anchor: Anchor | undefined,
        traded: ReadonlyArray<PriceCache.PricedToken>
      ) {
        const trips = yield* travel(
          place,
          anchor,
          traded.map(({ address }) => address)
        )
        const prices = Array.zip(traded, trips.tokens).flatMap(([{ address, decimals }, trip]) =>
          Option.toArray(trip).map((sound) => [address, priceOf(sound, decimals, stable)] as const)
        )
        return { ...trips, prices }
      })

      const nowMs = yield* Clock.currentTimeMillis
      const kept = anchors.get(chainId)
      const known = kept !== undefined && nowMs < kept.expiresAtMs ? kept.anchor : undefined
      // The anchor is measured in the call of the first tokens, so that a price takes one round trip.
      const start = known !== undefined && first.length === 0 ? undefined : yield* measured(known, first)
      if (known === undefined && start !== undefined) yield* checkPeg(chain, pricesOf(others, start.stables, stable))
      const anchor = known ?? { stable, native: start?.native ?? Option.none() }
      if (known === undefined) anchors.set(chainId, { anchor, expiresAtMs: nowMs + Duration.toMillis(lifetime) })

      const rest = yield* Effect.forEach(later, (traded) => measured(anchor, traded), { concurrency: CONCURRENCY })
      const prices = new Map([...(start === undefined ? [] : [start]), ...rest].flatMap((each) => each.prices))
      for (const { address, decimals } of tokens) {
        const erc20 = Chain.erc20(chain, address)
        if (erc20 === stable.token) prices.set(address, USD)
        else if (erc20 === chain.wrappedNative) {
          Option.map(anchor.native, ({ amount, worth }) =>
            prices.set(address, priceOf({ bought: amount, returned: worth }, decimals, stable))
          )
        }
      }
      return prices
    },
    Effect.catchTag("ChainUnavailable", (error) => Effect.fail(unavailable(error.message)))
  )

  return yield* PriceCache.make(lookup, lifetime)
})

export const layer = (options?: Options) => Layer.effect(Prices, make(options))
