/**
 * The market of one local chain as transactions, planned before the chain runs: all addresses follow from their senders. Multicall3 opens
 * the pools and keeps their shares, so that a token takes two transactions.
 */
import { Array } from "effect"
import {
  encodeAbiParameters,
  encodeDeployData,
  encodeFunctionData,
  erc20Abi,
  type Hex,
  maxUint256,
  parseEther,
  stringToHex
} from "viem"
import type * as Address from "../../domain/Address.ts"
import type { Chain } from "../../domain/Chain.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { TokenInfo } from "../../domain/Token.ts"
import * as Accounts from "../Accounts.ts"
import { callAll, MULTICALL3 } from "../Essentials.ts"
import { Script } from "../Script.ts"
import * as Tokens from "../Tokens.ts"
import * as Uniswap from "../Uniswap.ts"
import type { Artifacts } from "./Artifacts.ts"
import { marketToken } from "./contracts.generated.ts"
import {
  amountOf,
  type MarketChain,
  type MarketToken,
  MONEY,
  type Money,
  takesMoney,
  TOKEN_KINDS,
  type VenueShape
} from "./Market.ts"
import * as Venues from "./Venues.ts"

/** A token of the market with its address. */
export interface Placed extends MarketToken {
  readonly address: Address.Address
}

export interface Plan {
  readonly site: Venues.Site
  readonly tokens: ReadonlyArray<Placed>
  readonly money: Tokens.Tokens
  /** Runs before the guard is deployed, which lists only contracts with code. */
  readonly venues: Script
  /** Run after the local network's own tokens exist. Each is one block. */
  readonly pools: ReadonlyArray<Script>
  /** Targets that the guard lists from the start. */
  readonly routers: ReadonlyArray<Address.Address>
  /** Fields of the chain. Its list of tokens gets longer. */
  readonly chain: Pick<Chain, "venues" | "targets" | "priceSlug">
  readonly listed: ReadonlyArray<TokenInfo>
}

/** Tokens whose pools are opened in one block. */
const TOKENS_A_BLOCK = 40

/** Sweeps of its amount that each of the holders can make. */
const SWEEPS = 40n

/** Dollars on a side of the pools between the local network's own tokens, on all venues but the first. */
const MONEY_USD = 2_000_000

const MONEY_PAIRS: ReadonlyArray<readonly [Money, Money]> = [
  ["WETH", "USDC"],
  ["WETH", "USDT"],
  ["WETH", "DAI"],
  ["USDC", "USDT"],
  ["DAI", "USDC"]
]

/** Pairs of money that a venue has pools of. */
const pairsOn = (shape: VenueShape) => MONEY_PAIRS.filter((pair) => pair.every((money) => takesMoney(shape, money)))

const ERC20_CALL = { abi: erc20Abi, functionName: "approve" } as const

const approve = (target: Address.Address, spender: Address.Address): Venues.Call => ({
  target,
  callData: encodeFunctionData({ ...ERC20_CALL, args: [spender, maxUint256] })
})

const mint = (target: Address.Address, to: Address.Address, amount: bigint): Venues.Call => ({
  target,
  callData: Tokens.mint(to, amount)
})

const pricesOfMoney = (symbol: Money): bigint => Tokens.TOKENS[symbol].usd * 10n ** 18n

const moneySide = (money: Tokens.Tokens, symbol: Money, usd: number): Venues.Side => {
  const { decimals } = Tokens.TOKENS[symbol]
  return { token: money[symbol], amount: amountOf({ usd: pricesOfMoney(symbol), decimals }, usd), decimals }
}

/** Answer of the token to `symbol()` and `name()`. */
export const textOf = ({ form, symbol }: Pick<MarketToken, "form" | "symbol">): Hex => {
  switch (form) {
    case "string":
      return encodeAbiParameters([{ type: "string" }], [symbol])
    case "bytes32":
      return stringToHex(symbol, { size: 32 })
    case "nothing":
      return "0x"
  }
}

const creationOf = (token: MarketToken): Hex =>
  encodeDeployData({
    abi: marketToken.abi,
    bytecode: marketToken.creationCode,
    args: [TOKEN_KINDS.indexOf(token.kind), token.decimals, BigInt(token.taxBps), textOf(token)]
  })

const arm = (target: Address.Address): Venues.Call => ({
  target,
  callData: encodeFunctionData({ abi: marketToken.abi, functionName: "arm" })
})

/** Fee or tick spacing of the pools of the local network's own tokens: the one of a twentieth to a third of a percent. */
const middleKind = (kinds: ReadonlyArray<number>): number => kinds[1] ?? kinds[0] ?? 0

const withoutValue = (calls: ReadonlyArray<Venues.Call>) => calls.map((call) => ({ ...call, value: 0n }))

/** Gives Multicall3 the local network's own tokens, lets every opener take them, and opens the pools between them. */
const openMoney = (script: Script, site: Venues.Site, money: Tokens.Tokens): void => {
  const { USDC, DAI, USDT, WETH } = money
  const plenty = 10n ** 12n
  callAll(script, "money of the market", [
    { target: WETH, callData: "0xd0e30db0", value: parseEther("10000000") },
    ...withoutValue([
      mint(USDC, MULTICALL3, Tokens.units("USDC", plenty)),
      mint(USDT, MULTICALL3, Tokens.units("USDT", plenty)),
      mint(DAI, MULTICALL3, Tokens.units("DAI", plenty)),
      ...site.exchanges.flatMap(({ opener }) => MONEY.map((symbol) => approve(money[symbol], opener)))
    ])
  ])
  // The local network has opened those of the first venue.
  for (const { open, shape } of site.exchanges.slice(1)) {
    for (const chunk of Array.chunksOf(pairsOn(shape), 2)) {
      const calls = chunk.flatMap(([a, b]) =>
        open(middleKind(shape.kinds), [moneySide(money, a, MONEY_USD), moneySide(money, b, MONEY_USD)], MULTICALL3)
      )
      callAll(script, `pools of money on ${shape.name}`, withoutValue(calls))
    }
  }
}

/** Opens the pools of a token, and gives it to the holders. */
const openToken = (
  script: Script,
  site: Venues.Site,
  money: Tokens.Tokens,
  token: Placed,
  holders: ReadonlyArray<Address.Address>
): void => {
  const { address, decimals, pools, usd } = token
  const opened = pools.flatMap((pool) => {
    const exchange = site.exchanges.find(({ shape }) => shape.name === pool.venue)
    return exchange === undefined ? [] : [{ pool, exchange }]
  })
  const sideOf = (dollars: number): Venues.Side => ({
    token: address,
    amount: amountOf({ usd, decimals }, dollars),
    decimals
  })
  const supply = opened.reduce((sum, { pool }) => sum + sideOf(pool.usd).amount, 0n)
  const openers = [...new Set(opened.map(({ exchange }) => exchange.opener))]
  callAll(
    script,
    `pools of ${token.symbol} (${pools.map(({ kind, money: other, venue }) => `${venue} ${other} ${kind}`).join(", ")})`,
    withoutValue([
      // A little more, since balances that grow are rounded down.
      mint(address, MULTICALL3, supply + 10n),
      ...openers.map((opener) => approve(address, opener)),
      ...opened.flatMap(({ exchange, pool }) =>
        exchange.open(pool.kind, [sideOf(pool.usd), moneySide(money, pool.money, pool.usd)], MULTICALL3)
      ),
      ...holders.map((holder) => mint(address, holder, token.amount * SWEEPS)),
      arm(address)
    ])
  )
}

/** Pools of the local network's own tokens, and of the market's, that are used in one transaction. */
const POOLS_A_CALL = 60

/** Uses every new pool once, in a block of its own. */
const usePools = (script: Script, site: Venues.Site, money: Tokens.Tokens, tokens: ReadonlyArray<Placed>): void => {
  const between = site.exchanges
    .slice(1)
    .flatMap(({ shape, use }) =>
      pairsOn(shape).flatMap(([a, b]) => use([moneySide(money, a, 1), moneySide(money, b, 1)]))
    )
  const others = tokens.flatMap(({ address, decimals, pools }) =>
    pools.flatMap((pool) => {
      const side = { token: address, amount: 0n, decimals }
      return (
        site.exchanges.find(({ shape }) => shape.name === pool.venue)?.use([side, moneySide(money, pool.money, 1)]) ??
        []
      )
    })
  )
  for (const calls of Array.chunksOf([...between, ...others], POOLS_A_CALL)) {
    callAll(script, "use the pools", withoutValue(calls))
  }
}

/** Plans the market of a chain. `chain`: id and name of the local chain. */
export const make = (
  market: MarketChain,
  chain: { readonly id: ChainId; readonly name: string },
  artifacts: Artifacts,
  holders: ReadonlyArray<Address.Address>
): Plan => {
  // The first contracts of the network's own script, whose addresses follow from their order.
  const network = new Script(Accounts.deployer(chain.name).address)
  const money = Tokens.deploy(network, artifacts)
  const uniswap = Uniswap.deploy(network, artifacts, money)
  const venues = new Script(Accounts.marketMaker(chain.name, 0))
  const site = Venues.deploy(venues, artifacts, money, uniswap, market)
  const first = new Script(Accounts.marketMaker(chain.name, 1))
  openMoney(first, site, money)
  const placed: Array<Placed> = []
  const scripts = Array.chunksOf(market.tokens, TOKENS_A_BLOCK).map((tokens, index) => {
    const script = new Script(Accounts.marketMaker(chain.name, 2 + index))
    for (const token of tokens) {
      const address = script.deploy(token.symbol, creationOf(token))
      placed.push({ ...token, address })
      openToken(script, site, money, { ...token, address }, holders)
    }
    return script
  })
  const last = new Script(Accounts.marketMaker(chain.name, 2 + scripts.length))
  usePools(last, site, money, placed)
  const declared = site.exchanges.flatMap((exchange) => exchange.declared ?? [])
  return {
    site,
    tokens: placed,
    money,
    venues,
    pools: [first, ...scripts, last],
    routers: [...declared.map(({ router }) => router), ...site.targets.map(({ address }) => address)],
    chain: { venues: declared, targets: site.targets, priceSlug: chain.name },
    listed: placed
      .filter(({ isListed }) => isListed)
      .map(({ address, decimals, symbol }) => ({ chainId: chain.id, address, symbol, name: symbol, decimals }))
  }
}
