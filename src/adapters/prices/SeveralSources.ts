/**
 * {@link Prices} of several sources, which are asked at once. A source that fails is skipped. The price of a listed token is
 * reviewed against its last good one (domain/PriceReview). While a change waits for confirmation, or the sources differ, an alert stands.
 */
import { Clock, Effect, Layer, Option, Result } from "effect"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import * as PriceDeviation from "../../domain/PriceDeviation.ts"
import * as PriceReview from "../../domain/PriceReview.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import { type Price, type PricedToken, Prices, PricesUnavailable } from "../../ports/orchestrator/Prices.ts"
import * as Chainlink from "./Chainlink.ts"
import * as CoinGecko from "./CoinGecko.ts"
import * as DefiLlama from "./DefiLlama.ts"
import * as KeptPrices from "./KeptPrices.ts"
import * as PriceAlerts from "./PriceAlerts.ts"
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

/** Makes `ask`, which asks all sources. It fails if each of them failed. */
const makeAsk = (sources: ReadonlyArray<Prices["Service"]>) => {
  /** Sources that have answered for a chain. Others may not serve it. */
  const serving = new Set<string>()
  return Effect.fnUntraced(function* (chainId: ChainId, tokens: ReadonlyArray<PricedToken>) {
    const outcomes = yield* Effect.forEach(sources, (source) => Effect.result(source.detailed(chainId, tokens)), {
      concurrency: "unbounded"
    })
    const answers = outcomes.flatMap((outcome) => (Result.isSuccess(outcome) ? [outcome.success] : []))
    const failures = outcomes.flatMap((outcome) => (Result.isFailure(outcome) ? [outcome.failure.detail] : []))
    if (answers.length === 0 && tokens.length > 0) {
      return yield* new PricesUnavailable({ detail: failures.join("; ") || "no source is configured" })
    }
    for (const [index, outcome] of outcomes.entries()) {
      if (Result.isSuccess(outcome)) serving.add(`${chainId} ${index}`)
    }
    const isComplete = outcomes.every(
      (outcome, index) => Result.isSuccess(outcome) || !serving.has(`${chainId} ${index}`)
    )
    return { answers, isComplete }
  })
}

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
  const chains = yield* Chains
  const kept = yield* KeptPrices.make
  const rules = { minSources: 1, ...given, confirmMillis: CONFIRM_MILLIS }
  const alerts = yield* PriceAlerts.make(rules)
  const ask = makeAsk(sources)
  /** Listed tokens only, so that it cannot grow. */
  const states = new Map<string, PriceReview.State>()
  /** The last prices of listed tokens that counted. */
  const lasts = new Map<string, PriceReview.Kept>()

  const reviewed = Effect.fnUntraced(function* (
    chain: Chain.Chain,
    { address }: PricedToken,
    found: ReadonlyArray<Price>,
    isComplete: boolean
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
      const reading = PriceDeviation.readingOf(agreed, state, { isComplete, maxDeviationBps: rules.maxDeviationBps })
      yield* alerts.note(chain, erc20, reading, last)
    }
    const shown = PriceReview.shown(review, agreed, { last: isListed ? last : undefined, nowMs })
    return shown === undefined ? [] : [[address, asPrice(shown, found, nowMs)] as const]
  })

  const combined = Prices.ofDetailed(
    Effect.fn("SeveralSources.detailed")(function* (chainId, tokens) {
      const { chain } = yield* Effect.mapError(
        chains.get(chainId),
        (error) => new PricesUnavailable({ detail: error.message })
      )
      const { answers, isComplete } = yield* ask(chainId, tokens)
      const prices = yield* Effect.forEach(tokens, (token) =>
        reviewed(
          chain,
          token,
          answers.flatMap((answer) => {
            const price = answer.get(token.address)
            return price === undefined ? [] : [price]
          }),
          isComplete
        )
      )
      return new Map<Address.Address, Price>(prices.flat())
    })
  )
  yield* alerts.reviewing((chainId, token) => combined.detailed(chainId, [token]))
  return combined
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
