/**
 * Markets of tokens by the readings of their pools. A pool counts if it is old enough, has a mean or an earlier state, pays for a sale
 * of some size, and takes little for a small trade. A price is the median of the pools that count, weighted by their depth, if two thirds
 * of the weight agree.
 */
import { Array, Effect, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { UsdPrice } from "../../domain/Fees.ts"
import { minPoolAge } from "../../domain/PriceFacts.ts"
import * as PriceReadings from "../../domain/PriceReadings.ts"
import type { TokenInfo } from "../../domain/Token.ts"
import type { PricedToken } from "../../ports/orchestrator/Prices.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import * as EarlierPools from "./EarlierPools.ts"
import * as PoolAges from "./PoolAges.ts"
import * as RoundTrip from "./RoundTrip.ts"

/** Price of the first stable. */
export const USD: UsdPrice = 10n ** 18n

/** A token's market: its price and the pools behind it, the deepest first. */
export interface Market {
  readonly price: UsdPrice
  readonly pools: ReadonlyArray<RoundTrip.PoolTrip>
}

/** The contracts and tokens that price a chain's tokens, by its configuration. */
export interface Place {
  readonly client: ChainClient
  readonly quoter: Address.Address
  readonly unit: TokenInfo
  readonly stable: RoundTrip.Money
  readonly others: ReadonlyArray<TokenInfo>
}

/** The wrapped native currency as money, with its market. */
export interface Anchor {
  readonly native: Option.Option<Market>
  readonly amount: bigint
}

export interface Limits {
  readonly toleranceBps: number
  readonly minDepthUsd: bigint
}

/** Makes `marketOf`, which judges the pools of one token. */
const makeJudge = (options: Limits) => {
  const tolerance = BigInt(options.toleranceBps)
  const minDepth = options.minDepthUsd * USD

  /** The pools that are deep enough, with their prices. Money without a price gives none. */
  const deepPools = (
    trips: ReadonlyArray<RoundTrip.PoolTrip>,
    decimals: number,
    monies: ReadonlyMap<Address.Address, PriceReadings.PricedMoney & { readonly amount: bigint }>
  ) =>
    trips.flatMap((trip) => {
      const money = monies.get(trip.money)
      if (money === undefined || !PriceReadings.isSound(trip, money.amount, tolerance)) return []
      const weight = PriceReadings.weightOf(trip, money)
      const price = PriceReadings.priceOf(trip, decimals, money, options.toleranceBps)
      return weight >= minDepth ? [{ trip, weight, price }] : []
    })

  const marketOf = (pools: ReturnType<typeof deepPools>): Option.Option<Market> =>
    Option.map(Option.fromUndefinedOr(PriceReadings.agreedPrice(pools, tolerance)), (price) => ({
      price,
      pools: pools.toSorted((a, b) => (a.weight > b.weight ? -1 : 1)).map(({ trip }) => trip)
    }))

  return { deepPools, marketOf }
}

/** Makes `measure(place, known, tokens)`: markets of the tokens, and the anchor if it is not known. */
export const make = Effect.fnUntraced(function* (limits: Limits) {
  const matured = yield* PoolAges.make
  const steadying = yield* EarlierPools.make
  const { deepPools, marketOf } = makeJudge(limits)

  return Effect.fnUntraced(function* (
    { client, others, quoter, stable, unit }: Place,
    known: Anchor | undefined,
    tokens: ReadonlyArray<PricedToken>
  ) {
    const { chain } = client
    const journey: RoundTrip.Journey = {
      quoter,
      stable,
      native: { token: chain.wrappedNative, amount: known?.amount ?? 0n },
      stables: known === undefined ? others.map(({ address }) => address) : [],
      tokens: tokens.map(({ address }) => address)
    }
    const trips = yield* RoundTrip.travel(client, journey)
    const unitMoney = { usd: USD, decimals: unit.decimals, amount: stable.amount }
    const inStable = new Map([[stable.token, unitMoney]])
    const native = deepPools(trips.native, 18, inStable)
    const stables = Array.zip(others, trips.stables)
    // Without the ages and earlier states, it only decides which pools are deep enough for these to matter.
    const rough =
      known === undefined ? PriceReadings.weightedMedian(native) : Option.getOrUndefined(known.native)?.price
    const moniesAt = (usd: UsdPrice | undefined) =>
      usd === undefined
        ? inStable
        : new Map([...inStable, [chain.wrappedNative, { usd, decimals: 18, amount: trips.nativeAmount }] as const])
    const candidates = [
      native,
      ...stables.map(([{ decimals }, found]) => deepPools(found, decimals, inStable)),
      ...Array.zip(tokens, trips.tokens).map(([{ decimals }, found]) => deepPools(found, decimals, moniesAt(rough)))
    ]
    const deep = candidates.flat().map(({ trip }) => trip)
    const [old, steadied] = yield* Effect.all(
      [matured(client, trips.time, minPoolAge(chain), deep), steadying(client, journey, trips.time, deep)],
      { concurrency: "unbounded" }
    )
    const counting = (found: ReadonlyArray<RoundTrip.PoolTrip>) =>
      found.filter(({ pool }) => old.has(pool)).flatMap((trip) => Option.toArray(steadied(trip)))
    const judged = (found: ReadonlyArray<RoundTrip.PoolTrip>, decimals: number, monies: ReturnType<typeof moniesAt>) =>
      marketOf(deepPools(counting(found), decimals, monies))
    const anchor = known ?? { native: judged(trips.native, 18, inStable), amount: trips.nativeAmount }
    const monies = moniesAt(Option.getOrUndefined(anchor.native)?.price)
    const markets = Array.zip(tokens, trips.tokens).flatMap(([{ address, decimals }, found]) =>
      Option.toArray(judged(found, decimals, monies)).map((market) => [address, market] as const)
    )
    return { anchor, markets, stables: stables.map(([{ decimals }, found]) => judged(found, decimals, inStable)) }
  })
})
