/**
 * Description of a replayable market: tokens of uneven liquidity, ordinary and hostile, and the pools that they have on the exchanges of
 * two chains. A pure function of its seed: the same options always give the same market.
 */
import type { ChainFacts } from "../../catalog/Facts.ts"
import { ARBITRUM } from "../../catalog/Arbitrum.ts"
import { BASE } from "../../catalog/Base.ts"
import { BNB_CHAIN } from "../../catalog/BnbChain.ts"
import { ETHEREUM } from "../../catalog/Ethereum.ts"
import { OPTIMISM } from "../../catalog/Optimism.ts"
import { POLYGON } from "../../catalog/Polygon.ts"
import * as Venue from "../../domain/Venue.ts"
import * as Draws from "./Draws.ts"

/** Kinds of tokens, in the order of contracts/src/dev/MarketToken.sol, which says how each treats its holders. */
export const TOKEN_KINDS = ["plain", "silent", "taxed", "rebasing", "paused", "blocked", "robbing", "watchful"] as const
export type TokenKind = (typeof TOKEN_KINDS)[number]

/** Kinds that can be bought and not sold. No quote may sell one. */
export const HONEYPOTS: ReadonlySet<TokenKind> = new Set(["blocked", "robbing", "watchful"])

/** Answers to `symbol()` and `name()`. */
export type SymbolForm = "string" | "bytes32" | "nothing"

/** Tokens of the local network that pools pair others with. */
export const MONEY = ["WETH", "USDC", "USDT", "DAI"] as const
export type Money = (typeof MONEY)[number]

/** An exchange of a catalogue, without its addresses. */
export interface VenueShape {
  readonly name: string
  readonly family: Venue.VenueFamily
  /** Fees, or tick spacings of `slipstream`. Empty for the families without kinds of pools. */
  readonly kinds: ReadonlyArray<number>
  readonly hasDeadlineInSwap: boolean
}

/** An exchange that only services know which are asked over HTTP. */
export const DARK = "dark"

export interface MarketPool {
  /** Name of the venue, or {@link DARK}. */
  readonly venue: string
  /** The other token. */
  readonly money: Money
  /** Fee or tick spacing; 0 for pairs. */
  readonly kind: number
  /** US dollars on each side. */
  readonly usd: number
}

export interface MarketToken {
  /** Unique in the market. */
  readonly symbol: string
  readonly form: SymbolForm
  readonly decimals: number
  readonly kind: TokenKind
  /** Share of each transfer that a taxed token burns, in basis points. 0 for others. */
  readonly taxBps: number
  /** Price of a whole token in US dollars, scaled by 10^18. */
  readonly usd: bigint
  /** True if it is on the chain's token list. */
  readonly isListed: boolean
  /** True if sources of prices over HTTP know it. */
  readonly isPriced: boolean
  /** The amount that is swept, in the smallest unit. At least 1. */
  readonly amount: bigint
  /** US dollars of the amount. */
  readonly amountUsd: number
  /** Token that it is swept into. */
  readonly into: "USDC" | "ETH"
  readonly pools: ReadonlyArray<MarketPool>
}

export interface MarketChain {
  /** Name of the local chain. */
  readonly name: string
  /** Name of the catalogue that it is shaped like. */
  readonly shape: ShapeName
  readonly venues: ReadonlyArray<VenueShape>
  readonly tokens: ReadonlyArray<MarketToken>
}

export interface Market {
  readonly seed: number
  readonly chains: ReadonlyArray<MarketChain>
}

const CATALOGUES = {
  base: BASE,
  bnb: BNB_CHAIN,
  ethereum: ETHEREUM,
  optimism: OPTIMISM,
  polygon: POLYGON,
  arbitrum: ARBITRUM
} as const satisfies Readonly<Record<string, ChainFacts>>

export type ShapeName = keyof typeof CATALOGUES
export const SHAPES = Object.keys(CATALOGUES).filter((name): name is ShapeName => name in CATALOGUES)

export interface Options {
  /** Tokens on both chains together. */
  readonly tokens: number
  readonly seed: number
  /** The catalogues that the chains are shaped like. */
  readonly shapes: readonly [ShapeName, ShapeName]
}

export const DEFAULTS: Options = { tokens: 400, seed: 1, shapes: ["base", "bnb"] }

/** Families that the market has contracts for. */
const FAMILIES: ReadonlySet<string> = new Set(["uniswap-v2", "uniswap-v3", "uniswap-v4", "solidly", "slipstream"])

/** Fees, or tick spacings of `slipstream`, of a venue of a catalogue. */
const kindsOf = ({
  family,
  feeTiers,
  tickSpacings
}: Pick<Venue.Venue, "family" | "feeTiers" | "tickSpacings">): ReadonlyArray<number> => {
  switch (family) {
    case "uniswap-v3":
      return feeTiers ?? Venue.DEFAULT_FEE_TIERS
    case "uniswap-v4":
      return Venue.V4_POOL_KINDS.map(({ fee }) => fee)
    case "slipstream":
      return tickSpacings ?? Venue.DEFAULT_TICK_SPACINGS
    default:
      return []
  }
}

/** Exchanges of a catalogue. The first is that of its `swapRouter`. */
export const venuesOf = (shape: ShapeName): ReadonlyArray<VenueShape> => {
  const { venues = [] }: ChainFacts = CATALOGUES[shape]
  return [
    { name: Venue.FIRST, family: "uniswap-v3", kinds: Venue.DEFAULT_FEE_TIERS, hasDeadlineInSwap: false },
    ...venues
      .filter(({ family }) => FAMILIES.has(family))
      .map((venue): VenueShape => {
        const { family, hasDeadlineInSwap = false, name } = venue
        return { name, family, kinds: kindsOf(venue), hasDeadlineInSwap }
      })
  ]
}

/** True if the venue's pools take tokens of the kind. The contract that opens those of Uniswap v4 needs an answer to each transfer. */
const takesKind = ({ family }: VenueShape, kind: TokenKind): boolean => {
  if (kind === "taxed" || kind === "rebasing") return family === "uniswap-v2" || family === "solidly"
  return kind !== "silent" || family !== "uniswap-v4"
}

/** True if the venue has pools with the money. Transfers of USDT answer nothing. */
export const takesMoney = ({ family }: VenueShape, money: Money): boolean => money !== "USDT" || family !== "uniswap-v4"

const KIND_WEIGHTS: ReadonlyArray<readonly [TokenKind, number]> = [
  ["plain", 66],
  ["silent", 6],
  ["taxed", 8],
  ["rebasing", 5],
  ["paused", 4],
  ["blocked", 4],
  ["robbing", 4],
  ["watchful", 3]
]

const DECIMALS: ReadonlyArray<readonly [number, number]> = [
  [18, 60],
  [6, 10],
  [8, 8],
  [9, 8],
  [0, 7],
  [24, 7]
]

const FORMS: ReadonlyArray<readonly [SymbolForm, number]> = [
  ["string", 80],
  ["bytes32", 15],
  ["nothing", 5]
]

const MONEY_WEIGHTS: ReadonlyArray<readonly [Money, number]> = [
  ["WETH", 50],
  ["USDC", 30],
  ["USDT", 12],
  ["DAI", 8]
]

const POOL_COUNTS: ReadonlyArray<readonly [number, number]> = [
  [0, 2],
  [1, 50],
  [2, 30],
  [3, 18]
]

/** A token whose pools are all on an exchange that the service does not know. */
const DARK_SHARE = 0.03

const DOLLAR = 10n ** 18n

/** Largest price in US dollars of a token with few decimals: an amount must have a few units. */
const MAX_USD = 1_000
const MAX_INDIVISIBLE_USD = 20

/** Smallest price in US dollars of a token with many decimals: reserves of Uniswap v2 have 112 bits. */
const MIN_USD = 1e-6
const MIN_USD_OF_MANY_DECIMALS = 1

/** Dollars on a side of a pool. */
const DEPTH = { least: 300, most: 3_000_000 }

/** Dollars that are swept. */
const SWEPT = { least: 20, most: 600 }

/** Part of the deepest pool that a sweep sells at most. */
const MAX_SHARE = 0.1

const poolOf = (draw: Draws.Draws, venues: ReadonlyArray<VenueShape>): MarketPool => {
  const venue = draw.one(venues)
  return {
    venue: venue.name,
    money: draw.weighted(MONEY_WEIGHTS.filter(([money]) => takesMoney(venue, money))),
    kind: venue.kinds.length === 0 ? 0 : draw.one(venue.kinds),
    usd: Math.round(draw.logarithmic(DEPTH.least, DEPTH.most))
  }
}

/** The pools without those of a place that an earlier one has. */
const distinct = (pools: ReadonlyArray<MarketPool>): ReadonlyArray<MarketPool> =>
  pools.filter(
    ({ kind, money, venue }, index) =>
      pools.findIndex((other) => other.venue === venue && other.money === money && other.kind === kind) === index
  )

const poolsOf = (draw: Draws.Draws, kind: TokenKind, venues: ReadonlyArray<VenueShape>): ReadonlyArray<MarketPool> => {
  const usable = venues.filter((venue) => takesKind(venue, kind))
  const isDark = draw.fraction() < DARK_SHARE
  const count = draw.weighted(POOL_COUNTS)
  const pools = distinct(Array.from({ length: count }, () => poolOf(draw, usable)))
  return isDark ? distinct(pools.map((pool) => ({ ...pool, venue: DARK, kind: 0 }))) : pools
}

const tokenOf = (draw: Draws.Draws, number: number, venues: ReadonlyArray<VenueShape>): MarketToken => {
  const kind = draw.weighted(KIND_WEIGHTS)
  const decimals = draw.weighted(DECIMALS)
  const least = decimals > 18 ? MIN_USD_OF_MANY_DECIMALS : decimals < 6 ? 0.01 : MIN_USD
  const price = draw.logarithmic(least, decimals === 0 ? MAX_INDIVISIBLE_USD : MAX_USD)
  const usd = BigInt(Math.round(price * 1e12)) * 10n ** 6n
  const pools = poolsOf(draw, kind, venues)
  const deepest = Math.max(SWEPT.least / MAX_SHARE, ...pools.map((pool) => pool.usd))
  const amountUsd = Math.min(draw.logarithmic(SWEPT.least, SWEPT.most), deepest * MAX_SHARE)
  return {
    symbol: `M${number}`,
    form: draw.weighted(FORMS),
    decimals,
    kind,
    taxBps: kind === "taxed" ? 50 + Math.floor(draw.fraction() * 450) : 0,
    usd,
    isListed: draw.fraction() < 0.3,
    isPriced: draw.fraction() < 0.9,
    amount: amountOf({ usd, decimals }, amountUsd),
    amountUsd,
    into: draw.fraction() < 0.75 ? "USDC" : "ETH",
    pools
  }
}

/** Amount of a token that is worth so many US dollars, in the smallest unit. At least 1. */
export const amountOf = ({ decimals, usd }: Pick<MarketToken, "decimals" | "usd">, dollars: number): bigint => {
  const amount = (BigInt(Math.round(dollars * 1e6)) * DOLLAR * 10n ** BigInt(decimals)) / (usd * 1_000_000n)
  return amount > 0n ? amount : 1n
}

/** Names of the local chains, as the network has them. */
const CHAIN_NAMES = ["alpha", "beta"] as const

/** Every token is on one chain; they alternate. */
export const make = ({ seed, shapes, tokens }: Options = DEFAULTS): Market => ({
  seed,
  chains: CHAIN_NAMES.map((name, place) => {
    const shape = shapes[place] ?? shapes[0]
    const venues = venuesOf(shape)
    const numbers = Array.from({ length: tokens }, (_, number) => number).filter((number) => number % 2 === place)
    return {
      name,
      shape,
      venues,
      // Each token has draws of its own, so that a smaller market is the beginning of a larger one.
      tokens: numbers.map((number) => tokenOf(Draws.of(seed, number), number, venues))
    }
  })
})
