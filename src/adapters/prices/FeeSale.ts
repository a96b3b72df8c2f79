/**
 * {@link FeeValue} by prices for listed tokens, and by a rehearsed sale for others: the holder transfers the fee to the fee recipient,
 * which sells what arrives for the wrapped native currency, in the deepest pools of Uniswap v3 that count for prices, or else on an
 * exchange of the chains file (VenueSales.ts). A pool that was made for the occasion makes a fee worth nothing. The rest of the sweep is
 * not rehearsed before the sale, and the haircut covers how much it moves the price. Listed tokens that no source of prices knows are
 * valued by a sale, too.
 */
import { Effect, Layer, Option } from "effect"
import { concatHex, encodeFunctionData, numberToHex, prepareEncodeFunctionData } from "viem"
import type * as Address from "../../domain/Address.ts"
import { BPS } from "../../domain/Amount.ts"
import * as Chain from "../../domain/Chain.ts"
import type { Hex } from "../../domain/Hex.ts"
import { NATIVE } from "../../domain/Token.ts"
import { FeeValue, type UnpaidFee } from "../../ports/orchestrator/FeeValue.ts"
import { Prices } from "../../ports/orchestrator/Prices.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { swapRouter02Abi } from "../swap/uniswapV3Abi.ts"
import { PoolMarkets } from "./PoolMarkets.ts"
import type { Market } from "./PoolMeasuring.ts"
import * as SaleRehearsal from "./SaleRehearsal.ts"
import * as VenueSales from "./VenueSales.ts"

/** The fee recipient has the fee already. */
const NOTHING = Effect.succeed(0n)

/** Any number of decimals, since pools trade smallest units. */
const DECIMALS = 18

interface Hop {
  readonly fee: number
  readonly tokenOut: Address.Address
}

const hopOf = ({ pools: [deepest] }: Market): Option.Option<Hop> =>
  Option.map(Option.fromUndefinedOr(deepest), ({ fee, money }) => ({ fee, tokenOut: money }))

/** Hops from the token to the wrapped native currency, over the deepest pools that count. None without them. */
const hopsOf = (chain: Chain.Chain, token: Market | undefined, native: Market | undefined) =>
  Option.gen(function* () {
    const first = yield* hopOf(yield* Option.fromUndefinedOr(token))
    if (first.tokenOut === chain.wrappedNative) return [first]
    const second = yield* hopOf(yield* Option.fromUndefinedOr(native))
    return [first, { fee: second.fee, tokenOut: chain.wrappedNative }]
  })

// With its selector, which viem would hash for every call.
const EXACT_INPUT = prepareEncodeFunctionData({ abi: swapRouter02Abi, functionName: "exactInput" })

/** Calldata of a sale of the amount by `seller`, along the hops. */
const saleCall = (token: Address.Address, amountIn: bigint, seller: Address.Address, hops: ReadonlyArray<Hop>): Hex =>
  encodeFunctionData({
    ...EXACT_INPUT,
    args: [
      {
        path: concatHex([token, ...hops.flatMap(({ fee, tokenOut }) => [numberToHex(fee, { size: 3 }), tokenOut])]),
        recipient: seller,
        amountIn,
        amountOutMinimum: 0n
      }
    ]
  })

const make = Effect.fnUntraced(function* (haircutBps: number) {
  const markets = yield* PoolMarkets
  const prices = yield* Prices
  const worthOf = yield* SaleRehearsal.make
  const findSale = yield* VenueSales.make

  /** Wei by prices that count. None if no source has a price of the token. */
  const byPrice = Effect.fnUntraced(function* (
    chain: Chain.Chain,
    token: Address.Address,
    decimals: number,
    amount: bigint
  ) {
    const known = yield* prices.detailed(chain.id, [
      { address: NATIVE, decimals: 18 },
      { address: token, decimals }
    ])
    if (!known.has(token)) return Option.none<bigint>()
    const [native = 0n, usd = 0n] = [NATIVE, token].map((address) => {
      const price = known.get(address)
      return price?.isForDisplay === true ? 0n : price?.usd
    })
    return Option.some(native === 0n ? 0n : (amount * usd * 10n ** 18n) / (native * 10n ** BigInt(decimals)))
  })

  const bySale = Effect.fnUntraced(function* (
    client: ChainClient,
    token: Address.Address,
    amount: bigint,
    unpaid: UnpaidFee | undefined
  ) {
    const { chain } = client
    const { feeRecipient: seller, swapRouter: router } = chain
    const { beside = NOTHING, holder = seller } = unpaid ?? {}
    // The same tokens as a quote reads, so that a quote waits for nothing more.
    const found = yield* markets.recent(chain.id, [
      { address: token, decimals: DECIMALS },
      { address: NATIVE, decimals: 18 }
    ])
    const hops = hopsOf(chain, found.get(token), found.get(NATIVE))
    const onUniswap =
      Option.isSome(hops) && router !== undefined
        ? yield* worthOf(client, { token, amount, holder }, (sold) =>
            Effect.succeedSome({ router, calldata: saleCall(token, sold, seller, hops.value) })
          )
        : 0n
    // Uniswap v3 does not sell tokens with a fee on transfer, whatever pools they have there.
    const got =
      onUniswap > 0n
        ? onUniswap
        : yield* worthOf(client, { token, amount, holder }, (sold) =>
            findSale(client, { token, amount: sold, seller, isHeld: holder === seller, beside })
          )
    return (got * (BPS - BigInt(haircutBps))) / BPS
  })

  const realisable: FeeValue["Service"]["realisable"] = Effect.fn("FeeSale.realisable")(
    function* (client, token, amount, unpaid) {
      const { chain } = client
      if (amount === 0n) return 0n
      if (Chain.erc20(chain, token) === chain.wrappedNative) return amount
      const listed = Chain.token(chain, token)
      const priced = Option.isSome(listed) ? yield* byPrice(chain, token, listed.value.decimals, amount) : Option.none()
      return Option.isSome(priced) ? priced.value : yield* bySale(client, token, amount, unpaid)
    }
  )

  return FeeValue.of({ realisable })
})

/** `haircutBps`: part of a sale's proceeds that does not count, in basis points. */
export const layer = (haircutBps: number) => Layer.effect(FeeValue, make(haircutBps))
