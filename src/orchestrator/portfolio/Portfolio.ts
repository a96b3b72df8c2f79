/**
 * Lists the tokens that an owner holds across chains, and those of them that are worth sweeping. Chains that do not answer are
 * named and left out.
 */
import { Clock, Context, Duration, Effect, Layer, Schema } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { PortfolioView, PricesView, SweepableView } from "../../domain/Portfolio.ts"
import { NATIVE } from "../../domain/Token.ts"
import * as Usd from "../../domain/Usd.ts"
import { Prices } from "../../ports/orchestrator/Prices.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import * as Priority from "../../ports/shared/Priority.ts"
import * as PerChain from "../shared/PerChain.ts"
import { portfolioToken, totalUsd } from "./Holding.ts"
import { makeHoldingsOn, withNative } from "./Holdings.ts"
import * as Sweepability from "./Sweepability.ts"

/** No chain has a balance provider, price source and node that answer (502, masked). */
export class PortfolioUnavailable extends Schema.TaggedError<PortfolioUnavailable>()("PortfolioUnavailable", {
  detail: Schema.String
}) {
  override get message(): string {
    return `portfolio unavailable: ${this.detail}`
  }
}

/** Lifetime of cached prices for display. Quotes request their own. */
const PRICES_LIFETIME = Duration.minutes(1)

/** The same while a chain does not answer, so that not every request waits for it. */
const PARTIAL_PRICES_LIFETIME = Duration.seconds(5)

/** Tokens that are screened concurrently. */
const SCREENING_CONCURRENCY = 8

export class Portfolio extends Context.Service<
  Portfolio,
  {
    /** `asked` are tokens to look for on every chain that no list needs to have. */
    readonly portfolio: (
      owner: Address.Address,
      asked?: ReadonlyArray<Address.Address>
    ) => Effect.Effect<PortfolioView, PortfolioUnavailable>
    readonly sweepable: (
      owner: Address.Address,
      asked?: ReadonlyArray<Address.Address>
    ) => Effect.Effect<SweepableView, PortfolioUnavailable>
    /** Prices of the listed tokens, at most a minute old. */
    readonly prices: Effect.Effect<PricesView, PortfolioUnavailable>
  }
>()("sweep/orchestrator/Portfolio") {
  static readonly layer = Layer.effect(
    Portfolio,
    Effect.gen(function* () {
      const chains = yield* Chains
      const prices = yield* Prices
      const { portfolioOn, sweepableOn } = yield* makeReads

      /** Asks every chain, and fails if none answers. */
      const onEach = Effect.fnUntraced(function* <A>(
        ask: (client: ChainClient) => Effect.Effect<A, { readonly message: string }>,
        asked: typeof PerChain.askEach = PerChain.askEach
      ) {
        const { answers, unavailableChains } = yield* Priority.at("portfolio")(asked(chains.all, ask))
        if (answers.length === 0) return yield* new PortfolioUnavailable({ detail: "no chain answered" })
        return {
          answers,
          at: {
            updatedAtMs: yield* Clock.currentTimeMillis,
            ...(unavailableChains.length === 0 ? {} : { unavailableChains })
          }
        }
      })

      const portfolio = Effect.fn("Portfolio.portfolio")(function* (
        owner: Address.Address,
        asked: ReadonlyArray<Address.Address> = []
      ) {
        const { answers, at } = yield* onEach((client) => portfolioOn(client, owner, asked), PerChain.askAnswering)
        return {
          owner,
          tokens: answers.flatMap(({ tokens }) => tokens),
          totalUsd: totalUsd(answers.flatMap(({ held }) => held)),
          ...at
        }
      })

      const sweepable = Effect.fn("Portfolio.sweepable")(function* (
        owner: Address.Address,
        asked: ReadonlyArray<Address.Address> = []
      ) {
        const { answers, at } = yield* onEach((client) => sweepableOn(client, owner, asked), PerChain.askAnswering)
        return {
          owner,
          tokens: answers.flatMap(({ tokens }) => tokens),
          totalUsd: totalUsd(answers.flatMap(({ held }) => held)),
          ...at
        }
      })

      const listedPrices = Effect.fn("Portfolio.prices")(function* () {
        const { answers, at } = yield* onEach(({ chain }) =>
          Effect.map(prices.detailed(chain.id, withNative(chain.tokens)), (known) =>
            Array.from(known, ([address, price]) => ({ chainId: chain.id, address, price }))
          )
        )
        return {
          prices: answers.flat().map(({ address, chainId, price: { doubt, readAtMs, sources, usd } }) => ({
            chainId,
            address,
            priceUsd: Usd.format(usd),
            ageSeconds: Math.max(0, Math.round((at.updatedAtMs - readAtMs) / 1_000)),
            sources,
            ...(doubt === undefined ? {} : { doubtful: true })
          })),
          ...at
        }
      })
      const recentPrices = yield* Effect.cachedWithTTL(listedPrices(), (exit) => {
        if (exit._tag === "Failure") return Duration.zero
        return exit.value.unavailableChains === undefined ? PRICES_LIFETIME : PARTIAL_PRICES_LIFETIME
      })

      return Portfolio.of({ portfolio, sweepable, prices: recentPrices })
    })
  )
}

/** Makes `portfolioOn` and `sweepableOn`: the tokens of an owner on one chain. */
const makeReads = Effect.gen(function* () {
  const holdingsOn = yield* makeHoldingsOn
  const { factsOf, gasPriceOf, judge, tierOf, worthOf } = yield* Sweepability.make

  const portfolioOn = Effect.fnUntraced(function* (
    client: ChainClient,
    owner: Address.Address,
    asked: ReadonlyArray<Address.Address>
  ) {
    const { chain } = client
    const [{ held, usd }, gasPrice] = yield* Effect.all([holdingsOn(client, owner, asked), gasPriceOf(client)], {
      concurrency: 2
    })
    return {
      held,
      tokens: held.map((holding) => ({
        ...portfolioToken(holding, tierOf(chain, holding)),
        ...(gasPrice === undefined ? {} : worthOf(chain, { gasPrice, nativeUsd: usd.get(NATIVE) }, holding))
      }))
    }
  })

  const sweepableOn = Effect.fnUntraced(function* (
    client: ChainClient,
    owner: Address.Address,
    asked: ReadonlyArray<Address.Address>
  ) {
    const { held, usd } = yield* holdingsOn(client, owner, asked)
    if (held.length === 0) return { held, tokens: [] }
    const facts = yield* factsOf(client.chain.id, owner, usd)
    const tokens = yield* Effect.forEach(held, (holding) => judge(facts, owner, holding), {
      concurrency: SCREENING_CONCURRENCY
    })
    return { held, tokens }
  })

  return { portfolioOn, sweepableOn }
})
