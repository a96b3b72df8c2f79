/** The tokens that an owner holds on a chain, with their standing and their prices. */
import { Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import * as Chain from "../../domain/Chain.ts"
import type { UsdPrice } from "../../domain/Fees.ts"
import { NATIVE, type TokenInfo } from "../../domain/Token.ts"
import * as TokenStanding from "../../domain/TokenStanding.ts"
import { Balances } from "../../ports/orchestrator/Balances.ts"
import { type Price, type PricedToken, Prices } from "../../ports/orchestrator/Prices.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import type { Holding } from "./Holding.ts"

/** The tokens and the chain's native currency. */
export const withNative = (tokens: ReadonlyArray<PricedToken>): ReadonlyArray<PricedToken> => [
  { address: NATIVE, decimals: 18 },
  ...tokens.flatMap(({ address, decimals }) => (address === NATIVE ? [] : [{ address, decimals }]))
]

/** Largest number of unlisted tokens of a chain that are priced. Anybody can send a wallet any number of tokens. */
const MOST_PRICED = 30

const ownTokens = (chain: Chain.Chain): ReadonlyArray<TokenInfo> =>
  Chain.token(chain, NATIVE).pipe((native) => (native._tag === "Some" ? [native.value, ...chain.tokens] : chain.tokens))

/** Tokens that are imitated on a chain: those of the operator's list, and of the lists of other chains. */
const majorsOn = (chain: Chain.Chain, all: ReadonlyArray<ChainClient>): TokenStanding.Majors =>
  TokenStanding.majorsOf(
    ownTokens(chain),
    all.flatMap((other) => (other.chain.id === chain.id ? [] : ownTokens(other.chain)))
  )

/** Tokens to price: not those that pose as others, whose price means nothing. */
const priced = (
  held: ReadonlyArray<{ readonly token: TokenInfo; readonly standing: TokenStanding.Standing | undefined }>
): ReadonlyArray<TokenInfo> => {
  const others = held.filter(({ standing }) => standing === "unlisted").slice(0, MOST_PRICED)
  return [...held.filter(({ standing }) => standing === undefined), ...others].map(({ token }) => token)
}

/** Makes `holdingsOn(client, owner, asked)`: the owner's balances on a chain, with their prices. */
export const makeHoldingsOn = Effect.gen(function* () {
  const balances = yield* Balances
  const prices = yield* Prices
  const { all } = yield* Chains
  const majors = new Map(all.map(({ chain }) => [chain.id, majorsOn(chain, all)]))

  return Effect.fn("Portfolio.holdingsOn")(function* (
    { chain }: ChainClient,
    owner: Address.Address,
    asked: ReadonlyArray<Address.Address>
  ) {
    const here = majors.get(chain.id) ?? majorsOn(chain, all)
    const held = (yield* balances.on(chain.id, owner, asked)).map(({ balance, isSpam = false, token, voucher }) => ({
      token,
      balance,
      standing: TokenStanding.standingOf({ token, voucher: voucher ?? "operator", isSpam }, here)
    }))
    const known =
      held.length === 0 ? new Map<Address.Address, Price>() : yield* prices.detailed(chain.id, withNative(priced(held)))
    const usd = new Map<Address.Address, UsdPrice>()
    for (const [address, price] of known) if (price.isForDisplay !== true) usd.set(address, price.usd)
    return {
      usd,
      held: held.map(({ balance, standing, token }): Holding => {
        const isPriced = !TokenStanding.isMarked(standing)
        return {
          token,
          balance,
          standing,
          price: isPriced ? usd.get(token.address) : undefined,
          shown: isPriced ? known.get(token.address) : undefined
        }
      })
    }
  })
})
