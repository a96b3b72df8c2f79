/** Lists the tokens that an owner holds across chains, and those of them that are worth sweeping. */
import { Clock, Context, Duration, Effect, Layer, Schema } from "effect"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { PortfolioView, PricesView, SweepableView } from "../../domain/Portfolio.ts"
import { NATIVE, type TokenInfo } from "../../domain/Token.ts"
import * as Usd from "../../domain/Usd.ts"
import { Balances } from "../../ports/orchestrator/Balances.ts"
import { Prices } from "../../ports/orchestrator/Prices.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import { type Holding, portfolioToken, totalUsd } from "./Holding.ts"
import * as Sweepability from "./Sweepability.ts"

/** A balance provider, price source or node did not answer (502, masked). */
export class PortfolioUnavailable extends Schema.TaggedError<PortfolioUnavailable>()("PortfolioUnavailable", {
  detail: Schema.String
}) {
  override get message(): string {
    return `portfolio unavailable: ${this.detail}`
  }
}

/** Lifetime of cached prices for display. Quotes request their own. */
const PRICES_LIFETIME = Duration.minutes(1)

/** Tokens that are screened concurrently. */
const SCREENING_CONCURRENCY = 8

export class Portfolio extends Context.Service<
  Portfolio,
  {
    readonly portfolio: (owner: Address.Address) => Effect.Effect<PortfolioView, PortfolioUnavailable>
    readonly sweepable: (owner: Address.Address) => Effect.Effect<SweepableView, PortfolioUnavailable>
    /** Prices of the listed tokens, at most a minute old. */
    readonly prices: Effect.Effect<PricesView, PortfolioUnavailable>
  }
>()("sweep/orchestrator/Portfolio") {
  static readonly layer = Layer.effect(
    Portfolio,
    Effect.gen(function* () {
      const chains = yield* Chains
      const pricesOn = yield* makePricesOn
      const holdings = yield* makeHoldings
      const { factsOf, judge } = yield* Sweepability.make

      const tierOf = ({ token }: Holding) =>
        Effect.map(chains.get(token.chainId), ({ chain }) => Chain.listedTier(chain, token.address))

      const portfolio = Effect.fn("Portfolio.portfolio")(function* (owner: Address.Address) {
        const { held } = yield* holdings(owner)
        const tokens = yield* Effect.forEach(held, (holding) =>
          Effect.map(tierOf(holding), (tier) => portfolioToken(holding, tier))
        )
        return { owner, tokens, totalUsd: totalUsd(held), updatedAtMs: yield* Clock.currentTimeMillis }
      }, asUnavailable)

      const sweepable = Effect.fn("Portfolio.sweepable")(function* (owner: Address.Address) {
        const { held, usdByChain } = yield* holdings(owner)
        const facts = new Map(
          yield* Effect.forEach(
            usdByChain,
            ([chainId, usd]) => Effect.map(factsOf(chainId, owner, usd), (known) => [chainId, known] as const),
            { concurrency: "unbounded" }
          )
        )
        const tokens = yield* Effect.forEach(
          held.flatMap((holding) => {
            const known = facts.get(holding.token.chainId)
            return known === undefined ? [] : [{ holding, known }]
          }),
          ({ holding, known }) => judge(known, owner, holding),
          { concurrency: SCREENING_CONCURRENCY }
        )
        return { owner, tokens, totalUsd: totalUsd(held), updatedAtMs: yield* Clock.currentTimeMillis }
      }, asUnavailable)

      const listedPrices = Effect.fn("Portfolio.prices")(function* () {
        const listed = yield* Effect.forEach(
          chains.all,
          ({ chain }) =>
            Effect.map(pricesOn(chain.id, chain.tokens), (known) =>
              Array.from(known, ([address, price]) => ({ chainId: chain.id, address, priceUsd: Usd.format(price) }))
            ),
          { concurrency: "unbounded" }
        )
        return { prices: listed.flat(), updatedAtMs: yield* Clock.currentTimeMillis }
      }, asUnavailable)
      const recentPrices = yield* Effect.cachedWithTTL(listedPrices(), (exit) =>
        exit._tag === "Success" ? PRICES_LIFETIME : Duration.zero
      )

      return Portfolio.of({ portfolio, sweepable, prices: recentPrices })
    })
  )
}

/** Makes `pricesOn(chainId, tokens)`: prices of the tokens and of the chain's native currency. */
const makePricesOn = Effect.gen(function* () {
  const prices = yield* Prices

  return (chainId: ChainId, tokens: ReadonlyArray<Pick<TokenInfo, "address" | "decimals">>) =>
    prices.usd(chainId, [
      { address: NATIVE, decimals: 18 },
      ...tokens.flatMap(({ address, decimals }) => (address === NATIVE ? [] : [{ address, decimals }]))
    ])
})

/** Makes `holdings(owner)`: the owner's balances, with the prices on each of their chains. */
const makeHoldings = Effect.gen(function* () {
  const balances = yield* Balances
  const pricesOn = yield* makePricesOn

  return Effect.fn("Portfolio.holdings")(function* (owner: Address.Address) {
    const held = yield* balances.of(owner)
    const byChain = Map.groupBy(held, ({ token }) => token.chainId)
    const known = yield* Effect.forEach(
      byChain,
      ([chainId, onChain]) => {
        const tokens = onChain.map(({ token }) => token)
        return Effect.map(pricesOn(chainId, tokens), (usd) => [chainId, usd] as const)
      },
      { concurrency: "unbounded" }
    )
    const usdByChain = new Map(known)
    const priceOf = (token: { readonly chainId: ChainId; readonly address: Address.Address }) =>
      usdByChain.get(token.chainId)?.get(token.address)
    return {
      usdByChain,
      held: held.map(({ balance, token }): Holding => ({ token, balance, price: priceOf(token) }))
    }
  })
})

const asUnavailable = <A, R>(effect: Effect.Effect<A, { readonly message: string }, R>) =>
  Effect.mapError(effect, (error) => new PortfolioUnavailable({ detail: error.message }))
