/** The tokens that an owner holds on a chain, with their standing and their prices. */
import { Clock, Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import type { UsdPrice } from "../../domain/Fees.ts"
import { NATIVE, type TokenInfo } from "../../domain/Token.ts"
import * as SaleWorth from "../../domain/SaleWorth.ts"
import * as TokenStanding from "../../domain/TokenStanding.ts"
import { Balances } from "../../ports/orchestrator/Balances.ts"
import { type Price, type PricedToken, Prices } from "../../ports/orchestrator/Prices.ts"
import { type Sale, SaleEstimates } from "../../ports/orchestrator/SaleEstimates.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import type { Holding } from "./Holding.ts"

/** The tokens and the chain's native currency. */
export const withNative = (tokens: ReadonlyArray<PricedToken>): ReadonlyArray<PricedToken> => [
  { address: NATIVE, decimals: 18 },
  ...tokens.flatMap(({ address, decimals }) => (address === NATIVE ? [] : [{ address, decimals }]))
]

/** Largest number of unlisted tokens of a chain that are priced. Anybody can send a wallet any number of tokens. */
const MOST_PRICED = 30

/** Time that a portfolio waits for the estimates of a chain, and latest time for them within a read for users, in milliseconds. */
const ESTIMATES_LIMIT_MILLIS = 600
const READS_LIMIT_MILLIS = 1_200

/** One dollar. */
const USD: UsdPrice = 10n ** 18n

const ownTokens = (chain: Chain.Chain): ReadonlyArray<TokenInfo> =>
  Chain.token(chain, NATIVE).pipe((native) => (native._tag === "Some" ? [native.value, ...chain.tokens] : chain.tokens))

/** Tokens that are imitated on a chain: those of the operator's list, and of the lists of other chains. */
const majorsOn = (chain: Chain.Chain, all: ReadonlyArray<ChainClient>): TokenStanding.Majors =>
  TokenStanding.majorsOf(
    ownTokens(chain),
    all.flatMap((other) => (other.chain.id === chain.id ? [] : ownTokens(other.chain)))
  )

interface Held {
  readonly token: TokenInfo
  readonly balance: bigint
  readonly standing: TokenStanding.Standing | undefined
}

/** Balances to price and to estimate: not those that pose as others, whose price means nothing. */
const considered = (held: ReadonlyArray<Held>): ReadonlyArray<Held> => [
  ...held.filter(({ standing }) => standing === undefined),
  ...held.filter(({ standing }) => standing === "unlisted").slice(0, MOST_PRICED)
]

/** True if the chain's entry names the token as its money, or as an asset that bridges carry. It needs no buyer, and no estimate. */
const isNamed = ({ assets = {}, stables, wrappedNative }: Chain.Chain, token: Address.Address): boolean =>
  token === wrappedNative || stables.includes(token) || Object.values(assets).includes(token)

/** Stables that routes lead through, and that estimates are in. */
const stablesOf = ({ stables, tokens }: Chain.Chain): ReadonlyArray<TokenInfo> =>
  tokens.filter(({ address }) => stables.includes(address))

/**
 * Balances that need a buyer: not the native currency, which is wrapped, not the chain's main money, and not tokens that a bridge delivers as
 * they are.
 */
const salesOf = (chain: Chain.Chain, held: ReadonlyArray<Held>): ReadonlyArray<Sale> => {
  const bridged = new Set(chain.spokePool === undefined ? [] : Object.values(chain.assets ?? {}))
  const money = new Set([NATIVE, chain.wrappedNative, chain.stables[0]])
  return considered(held).flatMap(({ balance, standing, token: { address } }) =>
    money.has(address) || bridged.has(address)
      ? []
      : [{ token: address, amount: balance, isListed: standing === undefined }]
  )
}

/** Prices of the tokens that estimates are in. A stable without a price counts as one dollar, as it does for the prices of pools. */
const moniesOf = (
  chain: Chain.Chain,
  usd: ReadonlyMap<Address.Address, UsdPrice>
): ReadonlyMap<Address.Address, SaleWorth.Money> => {
  const native = usd.get(NATIVE)
  return new Map([
    ...(native === undefined ? [] : [[chain.wrappedNative, { usd: native, decimals: 18 }] as const]),
    ...stablesOf(chain).map(({ address, decimals }) => [address, { usd: usd.get(address) ?? USD, decimals }] as const)
  ])
}

/** Makes `holdingsOn(client, owner, asked)`: the owner's balances on a chain, with their prices and what they sell for. */
export const makeHoldingsOn = Effect.gen(function* () {
  const balances = yield* Balances
  const prices = yield* Prices
  const estimates = yield* SaleEstimates
  const { all } = yield* Chains
  const majors = new Map(all.map(({ chain }) => [chain.id, majorsOn(chain, all)]))

  /** Estimates that come in time. Without them the prices alone decide. */
  const estimatesOf = (chain: Chain.Chain, held: ReadonlyArray<Held>, elapsedMillis: number) => {
    const sales = salesOf(chain, held)
    const none = Effect.succeed<ReadonlyMap<Address.Address, SaleWorth.SaleEstimate>>(new Map())
    return sales.length === 0
      ? none
      : Effect.timeoutOrElse(estimates.of(chain.id, sales), {
          duration: Math.max(0, Math.min(ESTIMATES_LIMIT_MILLIS, READS_LIMIT_MILLIS - elapsedMillis)),
          orElse: () => none
        })
  }

  return Effect.fn("Portfolio.holdingsOn")(function* (
    { chain }: ChainClient,
    owner: Address.Address,
    asked: ReadonlyArray<Address.Address>
  ) {
    const begun = yield* Clock.currentTimeMillis
    const here = majors.get(chain.id) ?? majorsOn(chain, all)
    const held = (yield* balances.on(chain.id, owner, asked)).map(
      ({ balance, isSpam = false, token, voucher }): Held => ({
        token,
        balance,
        standing: TokenStanding.standingOf(
          { token, voucher: isNamed(chain, token.address) ? "operator" : (voucher ?? "operator"), isSpam },
          here
        )
      })
    )
    if (held.length === 0) return { usd: new Map<Address.Address, UsdPrice>(), held: [] }
    const elapsed = (yield* Clock.currentTimeMillis) - begun
    const [known, sold] = yield* Effect.all(
      [
        prices.detailed(chain.id, withNative(considered(held).map(({ token }) => token))),
        estimatesOf(chain, held, elapsed)
      ],
      { concurrency: 2 }
    )
    const usd = usdOf(known)
    const monies = moniesOf(chain, usd)
    return {
      usd,
      held: held.map((each) => holdingOf(each, { known, usd, monies, estimate: sold.get(each.token.address) }))
    }
  })
})

/** The prices that decide. */
const usdOf = (known: ReadonlyMap<Address.Address, Price>): ReadonlyMap<Address.Address, UsdPrice> =>
  new Map(Array.from(known).flatMap(([address, price]) => (price.isForDisplay === true ? [] : [[address, price.usd]])))

const holdingOf = (
  { balance, standing, token }: Held,
  facts: {
    readonly known: ReadonlyMap<Address.Address, Price>
    readonly usd: ReadonlyMap<Address.Address, UsdPrice>
    readonly monies: ReadonlyMap<Address.Address, SaleWorth.Money>
    readonly estimate: SaleWorth.SaleEstimate | undefined
  }
): Holding => {
  const { estimate } = facts
  const isPriced = !TokenStanding.isMarked(standing)
  return {
    token,
    balance,
    standing,
    price: isPriced ? facts.usd.get(token.address) : undefined,
    shown: isPriced ? facts.known.get(token.address) : undefined,
    hasRoute: estimate === undefined ? undefined : estimate._tag === "Paid",
    proceedsUsd: estimate?._tag === "Paid" ? SaleWorth.proceedsUsd(estimate.outputs, facts.monies) : undefined
  }
}
