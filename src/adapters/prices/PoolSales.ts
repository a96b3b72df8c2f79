/**
 * Sales of fees in the deepest pools of Uniswap v3 that count for prices, over at most two pools. Fees are sold later, and together, and a
 * pool that counts may be small. So a sale counts for its share of a sale of all that the seller holds of the token and is to be paid
 * beside it.
 *
 * The rehearsal of the sale asks for the output of that larger one as well, with what the seller held last. A larger sale never pays less,
 * so the answer bounds the share from below for any other amount, too. In a deep pool the bound is nearly all of the sale. Where it is not,
 * the output of the whole amount is asked for.
 *
 * A sale counts for little more than at the mean prices of the pools, so that a trade just before a quote makes no fee worth more.
 */
import { Effect, Option } from "effect"
import { concatHex, encodeFunctionData, numberToHex, prepareEncodeFunctionData } from "viem"
import type * as Address from "../../domain/Address.ts"
import { BPS } from "../../domain/Amount.ts"
import type * as Chain from "../../domain/Chain.ts"
import { type Hex, size } from "../../domain/Hex.ts"
import * as PriceReadings from "../../domain/PriceReadings.ts"
import { NATIVE } from "../../domain/Token.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import * as LatestMap from "../../domain/LatestMap.ts"
import * as Words from "../evm/codec/Words.ts"
import { quoterV2Abi, swapRouter02Abi } from "../swap/uniswapV3Abi.ts"
import { PoolMarkets } from "./PoolMarkets.ts"
import type { Market } from "./PoolMeasuring.ts"
import * as SaleRehearsal from "./SaleRehearsal.ts"

/** Any number of decimals, since pools trade smallest units. */
const DECIMALS = 18

/** Part of a sale that its share must reach for the pool to count as deep, in basis points. */
const DEEP_BPS = 9_500n

/**
 * Part of the proceeds at the mean prices that the sale itself must reach for that, in basis points. A pool that runs out pays for a part of
 * the amount, and does not revert.
 */
const PAID_BPS = 9_000n

/** Proceeds above those at the mean prices of the pools that still count, in basis points. A pool may be moved just before the sale. */
const ABOVE_MEAN_BPS = 500n

/** More than pools take at once. A token may report any balance. */
const MOST = 2n ** 128n

/** Tokens of which the seller's last holding is remembered. */
const HELD_TOKENS = 10_000

/** Result of a sale in the pools. */
export interface PoolSale {
  /** Wei that the sale counts for. */
  readonly wei: bigint
  /** True if it pays nearly as much as the mean prices say, and all that is to be sold with it takes nearly nothing from it. */
  readonly isDeep: boolean
}

const NO_SALE: PoolSale = { wei: 0n, isDeep: false }

/** A sale of the token for the money of the pool, or of the money for the token. */
interface Hop {
  readonly fee: number
  readonly tokenOut: Address.Address
  /** Output of an amount at the pool's mean price. */
  readonly atMean: (amount: bigint) => bigint
}

const deepestOf = (market: Market | undefined) => Option.fromUndefinedOr(market?.pools[0])

/** Hops from the token to the wrapped native currency, over the deepest pools that count. None without them. */
const hopsOf = (chain: Chain.Chain, token: Market | undefined, native: Market | undefined) =>
  Option.gen(function* () {
    const pool = yield* deepestOf(token)
    const first: Hop = {
      fee: pool.fee,
      tokenOut: pool.money,
      atMean: (amount) => PriceReadings.moneyAtMean(pool, amount)
    }
    if (first.tokenOut === chain.wrappedNative) return [first]
    const second = yield* deepestOf(native)
    return [
      first,
      {
        fee: second.fee,
        tokenOut: chain.wrappedNative,
        atMean: (money: bigint) => PriceReadings.amountAtMean(second, money)
      }
    ]
  })

/** Wei for an amount at the mean prices of the pools. */
const atMeanOf = (hops: ReadonlyArray<Hop>, amount: bigint): bigint =>
  hops.reduce((sold, { atMean }) => atMean(sold), amount)

const pathOf = (token: Address.Address, hops: ReadonlyArray<Hop>): Hex =>
  concatHex([token, ...hops.flatMap(({ fee, tokenOut }) => [numberToHex(fee, { size: 3 }), tokenOut])])

// With their selectors, which viem would hash for every call.
const EXACT_INPUT = prepareEncodeFunctionData({ abi: swapRouter02Abi, functionName: "exactInput" })
const QUOTE = prepareEncodeFunctionData({ abi: quoterV2Abi, functionName: "quoteExactInput" })

const saleCall = (path: Hex, amountIn: bigint, recipient: Address.Address): Hex =>
  encodeFunctionData({ ...EXACT_INPUT, args: [{ path, recipient, amountIn, amountOutMinimum: 0n }] })

const quoteCall = (path: Hex, amountIn: bigint): Hex => encodeFunctionData({ ...QUOTE, args: [path, amountIn] })

/** Output of a quote; 0 if the answer is none, such as that of a quoter without code. */
const quoted = (answer: Option.Option<Hex>): bigint =>
  Option.match(answer, {
    onNone: () => 0n,
    onSome: (data) => (size(data) < Words.WORD ? 0n : Words.reader(data).wordAt(0))
  })

const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)
const most = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/**
 * Least wei that a sale counts for as a part of a larger one of `whole`. `output`: what a sale of `asked` pays, which may be less or more
 * than `whole`.
 */
export const shareOf = (
  { sold, wei }: Pick<SaleRehearsal.Rehearsed, "sold" | "wei">,
  whole: bigint,
  { asked, output }: { readonly asked: bigint; readonly output: bigint }
): bigint =>
  // The whole does not pay less than this sale alone either.
  least(wei, most((output * sold) / most(asked, whole), (wei * sold) / whole))

/** Makes `sell(client, fee, beside)`. `beside`: amount that others are to pay in the token, in the smallest unit. */
export const make = Effect.gen(function* () {
  const markets = yield* PoolMarkets
  const rehearse = yield* SaleRehearsal.make
  const holdings = LatestMap.make<string, bigint>(HELD_TOKENS)

  /** Path of the sale, with the contracts that sell and quote along it. None if no pools count. */
  const wayOf = Effect.fnUntraced(function* (chain: Chain.Chain, token: Address.Address) {
    // The same tokens as a quote reads, so that a quote waits for nothing more.
    const found = yield* markets.recent(chain.id, [
      { address: token, decimals: DECIMALS },
      { address: NATIVE, decimals: 18 }
    ])
    const hops = hopsOf(chain, found.get(token), found.get(NATIVE))
    const { quoter, swapRouter: router } = chain
    return Option.isNone(hops) || router === undefined || quoter === undefined
      ? Option.none()
      : Option.some({ hops: hops.value, path: pathOf(token, hops.value), quoter, router })
  })

  return Effect.fn("PoolSales.sell")(function* (
    client: ChainClient,
    fee: SaleRehearsal.Fee,
    beside: Effect.Effect<bigint, StoreUnavailable>
  ) {
    const { chain } = client
    const way = yield* wayOf(chain, fee.token)
    if (Option.isNone(way)) return NO_SALE
    const { hops, path, quoter, router } = way.value
    const promised = yield* beside
    const key = `${chain.id} ${fee.token}`
    const others = promised + (holdings.get(key) ?? 0n)
    const askedWith = (sold: bigint) => least(MOST, sold + others)
    const sale = yield* rehearse(client, fee, (sold) =>
      Effect.succeedSome({
        router,
        calldata: saleCall(path, sold, chain.feeRecipient),
        question: { to: quoter, data: quoteCall(path, askedWith(sold)) }
      })
    )
    if (sale.wei === 0n) return NO_SALE
    const whole = sale.sold + promised + sale.held
    const mean = atMeanOf(hops, sale.sold)
    const isPaid = sale.wei * BPS >= mean * PAID_BPS
    const isNearlyAll = (wei: bigint): boolean => wei * BPS >= sale.wei * DEEP_BPS
    const counted = least(sale.wei, (mean * (BPS + ABOVE_MEAN_BPS)) / BPS)
    const resultOf = (wei: bigint): PoolSale => ({
      wei: (wei * counted) / sale.wei,
      isDeep: isPaid && isNearlyAll(wei)
    })
    const asked = askedWith(sale.sold)
    const likely = shareOf(sale, whole, { asked, output: quoted(sale.answer) })
    holdings.set(key, sale.held)
    const exact = least(MOST, whole)
    if (isNearlyAll(likely) || asked === exact) return resultOf(likely)
    const answer = yield* Effect.option(client.call({ to: quoter, data: quoteCall(path, exact), block: "latest" }))
    return resultOf(most(likely, shareOf(sale, whole, { asked: exact, output: quoted(answer) })))
  })
})
