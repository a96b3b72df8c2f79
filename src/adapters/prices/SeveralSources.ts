/**
 * {@link Prices} of several sources, which are asked at once. A source that fails is skipped. The price of a listed token is
 * reviewed against its last good one (domain/PriceReview). While a change waits for confirmation, or the sources differ, an alert stands.
 */
import { Clock, Effect, Layer, Option, Result } from "effect"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { UsdPrice } from "../../domain/Fees.ts"
import * as PriceReview from "../../domain/PriceReview.ts"
import * as Usd from "../../domain/Usd.ts"
import { Alerts } from "../../ports/shared/Alerts.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import { type Price, type PricedToken, Prices, PricesUnavailable } from "../../ports/orchestrator/Prices.ts"
import * as Chainlink from "./Chainlink.ts"
import * as CoinGecko from "./CoinGecko.ts"
import * as DefiLlama from "./DefiLlama.ts"
import * as KeptPrices from "./KeptPrices.ts"
import * as PoolMarkets from "./PoolMarkets.ts"
import * as SourceHealth from "./SourceHealth.ts"
import * as UniswapV3Prices from "./UniswapV3Prices.ts"

export interface Rules {
  /** Distance from the last good price of a listed token that needs confirmation, in basis points. */
  readonly maxDeviationBps: number
  /** Maximum age of the last good price. */
  readonly maxAgeMillis: number
  /** Number of sources that must agree on a price before it counts. Default: 1. */
  readonly minSources?: number
}

/** A level that lasts as long as the time-weighted readings reach back is no manipulation of a moment. */
const CONFIRM_MILLIS = 600_000

/** Asks all sources. Fails if each of them failed. */
const ask = Effect.fnUntraced(function* (
  sources: ReadonlyArray<Prices["Service"]>,
  chainId: ChainId,
  tokens: ReadonlyArray<PricedToken>
) {
  const outcomes = yield* Effect.forEach(sources, (source) => Effect.result(source.detailed(chainId, tokens)), {
    concurrency: "unbounded"
  })
  const answers = outcomes.flatMap((outcome) => (Result.isSuccess(outcome) ? [outcome.success] : []))
  const failures = outcomes.flatMap((outcome) => (Result.isFailure(outcome) ? [outcome.failure.detail] : []))
  return answers.length === 0 && tokens.length > 0
    ? yield* new PricesUnavailable({ detail: failures.join("; ") || "no source is configured" })
    : answers
})

/** Deviation of a listed token's price, which an alert is about. */
interface Deviation {
  /** True if the sources differ. False if one source alone leaves the last good price. */
  readonly isWild: boolean
  readonly price: UsdPrice
  readonly good: PriceReview.Kept | undefined
}

const deviationOf = (
  { candidate, good }: PriceReview.State,
  agreed: PriceReview.Agreement,
  last: PriceReview.Kept | undefined
): Deviation | undefined => {
  if (agreed.doubt === "wild" && agreed.price !== undefined) return { isWild: true, price: agreed.price, good: last }
  return candidate === undefined || good === undefined ? undefined : { isWild: false, price: candidate.price, good }
}

/** Makes `alert(chain, address, deviation)`, which raises the alert about a deviation, or clears it if there is none. */
const makeAlert = Effect.fnUntraced(function* ({ maxDeviationBps }: Rules) {
  const alerts = yield* Alerts
  /** True for alerts that this process has raised, false for those that it has cleared. An earlier process may have raised others. */
  const raised = new Map<string, boolean>()

  const messageOf = (subject: string, isWild: boolean): string =>
    isWild
      ? `Sources differ by more than ${maxDeviationBps / 100} % about the price of ${subject}. No new price is kept as the last good one until they agree. Check the pools and the other sources.`
      : `The price of ${subject} is more than ${maxDeviationBps / 100} % from its last good value, by one source alone. The last good value counts until a second source confirms the new one, or for ten minutes. Check the pools, and configure a second source.`

  return Effect.fnUntraced(function* (chain: Chain.Chain, address: Address.Address, deviation: Deviation | undefined) {
    const key = `price_deviates:${chain.id}:${address}`
    const isOpen = deviation !== undefined
    if (raised.get(key) === isOpen) return
    const symbol = Option.match(Chain.token(chain, address), { onNone: () => address, onSome: (token) => token.symbol })
    yield* isOpen
      ? alerts.raise({
          key,
          severity: "warning",
          kind: "price_deviates",
          message: messageOf(`${symbol} on ${chain.name}`, deviation.isWild),
          details: {
            chainId: chain.id,
            token: address,
            ...(deviation.good === undefined ? {} : { goodUsd: Usd.format(deviation.good.price) }),
            newUsd: Usd.format(deviation.price)
          }
        })
      : alerts.clear(key)
    raised.set(key, isOpen)
  })
})

const asPrice = (
  { atMs, counts, doubt, price }: PriceReview.Shown,
  found: ReadonlyArray<Price>,
  nowMs: number
): Price => {
  const isLive = atMs === nowMs && found.length > 0
  return {
    usd: price,
    readAtMs: isLive ? Math.min(...found.map(({ readAtMs }) => readAtMs)) : atMs,
    sources: isLive ? found.flatMap(({ sources: names }) => names) : ["last_good"],
    ...(doubt === undefined ? {} : { doubt }),
    ...(counts ? {} : { isForDisplay: true })
  }
}

/** Combines the sources. */
export const combine = Effect.fnUntraced(function* (sources: ReadonlyArray<Prices["Service"]>, given: Rules) {
  const alert = yield* makeAlert(given)
  const chains = yield* Chains
  const kept = yield* KeptPrices.make
  const rules = { minSources: 1, ...given, confirmMillis: CONFIRM_MILLIS }
  /** Listed tokens only, so that it cannot grow. */
  const states = new Map<string, PriceReview.State>()
  /** The last prices of listed tokens that counted. */
  const lasts = new Map<string, PriceReview.Kept>()

  const reviewed = Effect.fnUntraced(function* (
    chain: Chain.Chain,
    { address }: PricedToken,
    found: ReadonlyArray<Price>
  ) {
    const nowMs = yield* Clock.currentTimeMillis
    const erc20 = Chain.erc20(chain, address)
    const isListed = Option.isSome(Chain.token(chain, address)) || erc20 === chain.wrappedNative
    const key = `${chain.id} ${erc20}`
    const before = isListed ? yield* kept.latest(chain.id, erc20, states.get(key) ?? {}) : {}
    const preference = erc20 === chain.wrappedNative ? "high" : "low"
    const earlier = before.good ?? lasts.get(key)
    const near =
      earlier !== undefined && nowMs - earlier.atMs <= PriceReview.MAX_SHOWN_AGE_MILLIS ? earlier.price : undefined
    const agreed = PriceReview.agreement(
      found.map(({ usd }) => usd),
      { ...rules, preference, near }
    )
    const review = PriceReview.review(before, agreed.counted, { nowMs, preference, near, rules })
    const { state } = review
    const last = state.good ?? earlier
    if (isListed) {
      states.set(key, state)
      if (last !== undefined) lasts.set(key, last)
      if (state.good?.atMs === nowMs) yield* kept.note(chain.id, erc20, state.good)
      yield* Effect.ignore(alert(chain, erc20, deviationOf(state, agreed, last)), { log: "Warn" })
    }
    const shown = PriceReview.shown(review, agreed, { last: isListed ? last : undefined, nowMs })
    return shown === undefined ? [] : [[address, asPrice(shown, found, nowMs)] as const]
  })

  return Prices.ofDetailed(
    Effect.fn("SeveralSources.detailed")(function* (chainId, tokens) {
      const { chain } = yield* Effect.mapError(
        chains.get(chainId),
        (error) => new PricesUnavailable({ detail: error.message })
      )
      const answers = yield* ask(sources, chainId, tokens)
      const prices = yield* Effect.forEach(tokens, (token) =>
        reviewed(
          chain,
          token,
          answers.flatMap((answer) => {
            const price = answer.get(token.address)
            return price === undefined ? [] : [price]
          })
        )
      )
      return new Map<Address.Address, Price>(prices.flat())
    })
  )
})

/** Names of the sources that can have prices of a chain's tokens. `asked` says which services are asked. */
export const namesOf = (
  chain: Chain.Chain,
  asked: { readonly defiLlama: boolean; readonly coinGecko: boolean }
): ReadonlyArray<string> => [
  ...(PoolMarkets.serves(chain) ? [UniswapV3Prices.NAME] : []),
  ...(Chainlink.serves(chain) ? [Chainlink.NAME] : []),
  ...(asked.defiLlama && DefiLlama.serves(chain) ? [DefiLlama.NAME] : []),
  ...(asked.coinGecko && CoinGecko.serves(chain.id) ? [CoinGecko.NAME] : [])
]

/** The chain's pools and feeds, and DefiLlama and CoinGecko if they are asked for. */
export const layer = (
  options: Rules & { readonly defiLlama?: DefiLlama.Options; readonly coinGecko?: CoinGecko.Options }
) =>
  Layer.effect(
    Prices,
    Effect.gen(function* () {
      const { coinGecko, defiLlama } = options
      const sources = [
        SourceHealth.watched(UniswapV3Prices.NAME, yield* UniswapV3Prices.make()),
        SourceHealth.watched(Chainlink.NAME, yield* Chainlink.make()),
        ...(defiLlama === undefined ? [] : [SourceHealth.watched(DefiLlama.NAME, yield* DefiLlama.make(defiLlama))]),
        // Its requests are listed under its own name.
        ...(coinGecko === undefined ? [] : [CoinGecko.make(coinGecko)])
      ]
      return yield* combine(yield* Effect.all(sources), options)
    })
  )
