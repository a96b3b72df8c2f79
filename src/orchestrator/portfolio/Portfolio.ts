/** What an owner holds across chains, and what of it is worth sweeping. */
import { Clock, Context, Duration, Effect, Layer, Schema } from "effect"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import { accountCode } from "../../domain/Delegation.ts"
import * as Fees from "../../domain/Fees.ts"
import type {
  DelegationState,
  PortfolioToken,
  PortfolioView,
  PricesView,
  SweepableToken,
  SweepableView
} from "../../domain/Portfolio.ts"
import { ASSUMED_SWEEP_GAS } from "../../domain/RelayGas.ts"
import { type Tier } from "../../domain/Tier.ts"
import { NATIVE, type TokenInfo } from "../../domain/Token.ts"
import * as Usd from "../../domain/Usd.ts"
import { Balances, type TokenBalance } from "../../ports/orchestrator/Balances.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import { Prices } from "../../ports/orchestrator/Prices.ts"
import { type TokenProfile, TokenRisk } from "../../ports/orchestrator/TokenRisk.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"

/** A balance provider, price source or node did not answer (502, masked). */
export class PortfolioUnavailable extends Schema.TaggedError<PortfolioUnavailable>()("PortfolioUnavailable", {
  detail: Schema.String
}) {
  override get message(): string {
    return `portfolio unavailable: ${this.detail}`
  }
}

/** How long prices for display stand. Quotes ask for their own. */
const PRICES_LIFETIME = Duration.minutes(1)

/** How many tokens are screened by simulation at once. */
const SCREENING_CONCURRENCY = 8

/** A held token with what it is worth. */
interface Holding extends TokenBalance {
  readonly price: Fees.UsdPrice | undefined
}

/** What the estimate of a chain's sweeps rests on. */
interface ChainFacts {
  readonly client: ChainClient
  readonly delegation: typeof DelegationState.Type
  /** Wei per gas. */
  readonly gasPrice: bigint
  readonly nativeUsd: Fees.UsdPrice | undefined
}

export class Portfolio extends Context.Service<
  Portfolio,
  {
    readonly portfolio: (owner: Address.Address) => Effect.Effect<PortfolioView, PortfolioUnavailable>
    readonly sweepable: (owner: Address.Address) => Effect.Effect<SweepableView, PortfolioUnavailable>
    /** What listed tokens are worth; at most a minute old. */
    readonly prices: Effect.Effect<PricesView, PortfolioUnavailable>
  }
>()("sweep/orchestrator/Portfolio") {
  static readonly layer = Layer.effect(
    Portfolio,
    Effect.gen(function* () {
      const balances = yield* Balances
      const chains = yield* Chains
      const prices = yield* Prices
      const settings = yield* OrchestratorSettings
      const tokenRisk = yield* TokenRisk

      /** The chain's prices of the tokens, its native currency always among them. */
      const pricesOn = (chainId: ChainId, tokens: ReadonlyArray<Pick<TokenInfo, "address" | "decimals">>) =>
        prices.usd(chainId, [
          { address: NATIVE, decimals: 18 },
          ...tokens.flatMap(({ address, decimals }) => (address === NATIVE ? [] : [{ address, decimals }]))
        ])

      const holdings = Effect.fn("Portfolio.holdings")(function* (owner: Address.Address) {
        const held = yield* balances.of(owner)
        const byChain = Map.groupBy(held, ({ token }) => token.chainId)
        const known = yield* Effect.forEach(
          byChain,
          ([chainId, tokens]) =>
            Effect.map(
              pricesOn(
                chainId,
                tokens.map(({ token }) => token)
              ),
              (usd) => [chainId, usd] as const
            ),
          { concurrency: "unbounded" }
        )
        const usdByChain = new Map(known)
        return {
          usdByChain,
          held: held.map((balance): Holding => ({
            ...balance,
            price: usdByChain.get(balance.token.chainId)?.get(balance.token.address)
          }))
        }
      })

      const factsOf = Effect.fnUntraced(function* (
        chainId: ChainId,
        owner: Address.Address,
        usd: ReadonlyMap<Address.Address, Fees.UsdPrice>
      ) {
        const client = yield* chains.get(chainId)
        const [code, fees] = yield* Effect.all([client.code(owner), client.feesPerGas], { concurrency: 2 })
        return {
          client,
          delegation: delegationState(client, code),
          gasPrice: fees.baseFeePerGas + fees.maxPriorityFeePerGas,
          nativeUsd: usd.get(NATIVE)
        } satisfies ChainFacts
      })

      /**
       * What would be left of the whole balance after protocol and network fees; 0 when nothing would be. An estimate: a quote adds
       * what a rollup charges for the bytes of its transaction.
       */
      const netAmount = (facts: ChainFacts, { balance, price, token }: Holding, tier: Tier): bigint => {
        if (!isPriced(price) || !isPriced(facts.nativeUsd)) return 0n
        const fees =
          Fees.protocolFee(settings.fees, { amountIn: balance, tier, subscriptionActive: false }) +
          Fees.networkFee(settings.fees, {
            cost: ASSUMED_SWEEP_GAS * facts.gasPrice,
            nativeUsd: facts.nativeUsd,
            tokenUsd: price,
            tokenDecimals: token.decimals
          })
        return fees < balance ? balance - fees : 0n
      }

      const judge = Effect.fnUntraced(function* (facts: ChainFacts, owner: Address.Address, holding: Holding) {
        const { balance, price, token } = holding
        const profile: TokenProfile | undefined = yield* tokenRisk
          .screenInput({ chainId: token.chainId, token: token.address, owner, amount: balance })
          .pipe(Effect.catchTag("TokenDeclined", () => Effect.undefined))
        const tier = profile?.tier ?? Chain.listedTier(facts.client.chain, token.address)
        const net = netAmount(facts, holding, tier)
        const reason = ((): SweepableToken["reason"] => {
          if (facts.client.chain.supportsSetCode === false) return "no_set_code_support"
          if (facts.delegation === "contract") return "account_is_a_contract"
          if (profile === undefined) return "token_declined"
          if (!isPriced(price) || !isPriced(facts.nativeUsd)) return "no_price"
          return net === 0n ? "worth_less_than_fees" : null
        })()
        return {
          ...view(holding, tier),
          sweepable: reason === null,
          reason,
          delegation: facts.delegation,
          estimatedNetAmount: net,
          estimatedNetUsd: price === undefined ? null : Usd.format(Usd.valueOf(net, price, token.decimals))
        } satisfies SweepableToken
      })

      const tierOf = (token: TokenBalance["token"]) =>
        Effect.map(chains.get(token.chainId), ({ chain }) => Chain.listedTier(chain, token.address))

      const portfolio = Effect.fn("Portfolio.portfolio")(function* (owner: Address.Address) {
        const { held } = yield* holdings(owner)
        const tokens = yield* Effect.forEach(held, (holding) =>
          Effect.map(tierOf(holding.token), (tier) => view(holding, tier))
        )
        return { owner, tokens, totalUsd: total(held), updatedAtMs: yield* Clock.currentTimeMillis }
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
        return { owner, tokens, totalUsd: total(held), updatedAtMs: yield* Clock.currentTimeMillis }
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

/** A sweep's fees are computed from this price and the native currency's; see `Quoter`. */
const isPriced = (price: Fees.UsdPrice | undefined): price is Fees.UsdPrice => price !== undefined && price > 0n

const delegationState = ({ chain }: ChainClient, code: `0x${string}`): typeof DelegationState.Type => {
  const account = accountCode(code)
  switch (account._tag) {
    case "Plain":
      return "none"
    case "Contract":
      return "contract"
    case "Delegated":
      return account.delegate === chain.contracts.delegate ? "ours" : "other"
  }
}

const view = ({ balance, price, token }: Holding, tier: Tier): PortfolioToken => ({
  chainId: token.chainId,
  address: token.address,
  symbol: token.symbol,
  name: token.name,
  decimals: token.decimals,
  balance,
  priceUsd: price === undefined ? null : Usd.format(price),
  valueUsd: price === undefined ? null : Usd.format(Usd.valueOf(balance, price, token.decimals)),
  tier
})

const total = (held: ReadonlyArray<Holding>): string =>
  Usd.format(
    held.reduce(
      (sum, { balance, price, token }) =>
        price === undefined ? sum : sum + Usd.valueOf(balance, price, token.decimals),
      0n
    )
  )

const asUnavailable = <A, R>(effect: Effect.Effect<A, { readonly message: string }, R>) =>
  Effect.mapError(effect, (error) => new PortfolioUnavailable({ detail: error.message }))
