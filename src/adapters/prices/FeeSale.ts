/**
 * {@link FeeValue} by prices for listed tokens, and by a rehearsed sale for others: the holder transfers the fee to the fee recipient,
 * which sells it for the wrapped native currency, on Uniswap v3, or else on an exchange of the chains file. Only pools that count for prices
 * are used (VenueSales.ts for other exchanges), so a pool that was made for the occasion, or that is too thin to sell many fees to, makes a
 * fee worth nothing. The rest of the sweep is not rehearsed before the sale, and the haircut covers how much it moves the price.
 */
import { Effect, Layer, Option } from "effect"
import { concatHex, decodeFunctionResult, encodeFunctionData, erc20Abi, numberToHex } from "viem"
import type * as Address from "../../domain/Address.ts"
import { BPS } from "../../domain/Amount.ts"
import * as Chain from "../../domain/Chain.ts"
import type { Hex } from "../../domain/Hex.ts"
import { NATIVE } from "../../domain/Token.ts"
import { FeeValue } from "../../ports/orchestrator/FeeValue.ts"
import { Prices } from "../../ports/orchestrator/Prices.ts"
import { RelayerKeys } from "../../ports/orchestrator/RelayerKeys.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import type { SimulatedStep } from "../../ports/shared/Simulation.ts"
import { swapRouter02Abi } from "../swap/uniswapV3Abi.ts"
import { PoolMarkets } from "./PoolMarkets.ts"
import type { Market } from "./PoolMeasuring.ts"
import * as VenueSales from "./VenueSales.ts"

/** Gas of a step. A token that needs more for a transfer is not worth its fee. */
const STEP_GAS = 1_000_000n

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

/** Calldata of a sale of the amount by `seller`, along the hops. */
const saleCall = (token: Address.Address, amountIn: bigint, seller: Address.Address, hops: ReadonlyArray<Hop>): Hex =>
  encodeFunctionData({
    abi: swapRouter02Abi,
    functionName: "exactInput",
    args: [
      {
        path: concatHex([token, ...hops.flatMap(({ fee, tokenOut }) => [numberToHex(fee, { size: 3 }), tokenOut])]),
        recipient: seller,
        amountIn,
        amountOutMinimum: 0n
      }
    ]
  })

const decodeBalance = Option.liftThrowable((data: Hex) =>
  decodeFunctionResult({ abi: erc20Abi, functionName: "balanceOf", data })
)

/** Makes `rehearse(client, sale)`: wei that the fee recipient gets for the amount by the call; 0 if a step fails. */
const makeRehearse = Effect.gen(function* () {
  const keys = yield* RelayerKeys

  return Effect.fnUntraced(function* (
    { chain, simulate }: ChainClient,
    sale: {
      readonly token: Address.Address
      readonly amount: bigint
      readonly holder: Address.Address
      readonly router: Address.Address
      readonly calldata: Hex
    }
  ) {
    const { amount, calldata, holder, router, token } = sale
    const seller = chain.feeRecipient
    const balance = {
      from: seller,
      to: chain.wrappedNative,
      data: encodeFunctionData({ abi: erc20Abi, functionName: "balanceOf", args: [seller] })
    }
    const steps: ReadonlyArray<SimulatedStep> = [
      balance,
      ...(holder === seller
        ? []
        : [
            {
              from: holder,
              to: token,
              data: encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [seller, amount] })
            }
          ]),
      {
        from: seller,
        to: token,
        data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [router, amount] })
      },
      { from: seller, to: router, data: calldata },
      balance
    ].map((step) => ({ ...step, gas: STEP_GAS }))
    const [origin] = keys.lanes(chain.id)
    const outcomes = yield* simulate(steps, origin === undefined ? {} : { within: { origin, block: "other" } })
    const balanceAt = (index: number) =>
      Option.flatMap(Option.fromUndefinedOr(outcomes.at(index)), ({ returnData }) => decodeBalance(returnData))
    const [before, after] = [balanceAt(0), balanceAt(-1)]
    if (outcomes.length < steps.length || !outcomes.every(({ success }) => success)) return 0n
    return Option.isSome(before) && Option.isSome(after) && after.value > before.value ? after.value - before.value : 0n
  })
})

const make = Effect.fnUntraced(function* (haircutBps: number, minDepthUsd: bigint) {
  const markets = yield* PoolMarkets
  const prices = yield* Prices
  const rehearse = yield* makeRehearse
  const findSale = yield* VenueSales.make(minDepthUsd)

  const byPrice = Effect.fnUntraced(function* (
    chain: Chain.Chain,
    token: Address.Address,
    decimals: number,
    amount: bigint
  ) {
    const known = yield* prices.usd(chain.id, [
      { address: NATIVE, decimals: 18 },
      { address: token, decimals }
    ])
    const [native, usd] = [known.get(NATIVE), known.get(token)]
    return native === undefined || usd === undefined || native === 0n
      ? 0n
      : (amount * usd * 10n ** 18n) / (native * 10n ** BigInt(decimals))
  })

  const bySale = Effect.fnUntraced(function* (
    client: ChainClient,
    token: Address.Address,
    amount: bigint,
    holder: Address.Address
  ) {
    const { chain } = client
    const seller = chain.feeRecipient
    // The same tokens as a quote reads, so that a quote waits for nothing more.
    const found = yield* markets.recent(chain.id, [
      { address: token, decimals: DECIMALS },
      { address: NATIVE, decimals: 18 }
    ])
    const hops = hopsOf(chain, found.get(token), found.get(NATIVE))
    const call =
      Option.isSome(hops) && chain.swapRouter !== undefined
        ? Option.some({ router: chain.swapRouter, calldata: saleCall(token, amount, seller, hops.value) })
        : Option.map(yield* findSale(client, { token, amount, seller }), ({ calldata, target }) => ({
            router: target,
            calldata
          }))
    if (Option.isNone(call)) return 0n
    const got = yield* rehearse(client, { token, amount, holder, ...call.value })
    return (got * (BPS - BigInt(haircutBps))) / BPS
  })

  const realisable: FeeValue["Service"]["realisable"] = Effect.fn("FeeSale.realisable")(function* (
    client,
    token,
    amount,
    holder = client.chain.feeRecipient
  ) {
    const { chain } = client
    if (amount === 0n) return 0n
    if (Chain.erc20(chain, token) === chain.wrappedNative) return amount
    const listed = Chain.token(chain, token)
    return Option.isSome(listed)
      ? yield* byPrice(chain, token, listed.value.decimals, amount)
      : yield* bySale(client, token, amount, holder)
  })

  return FeeValue.of({ realisable })
})

/** Dollars that an exchange must pay at nearly the same price. */
const MIN_DEPTH_USD = 200n

/**
 * `haircutBps`: part of a sale's proceeds that does not count, in basis points. `minDepthUsd`: dollars that an exchange beside Uniswap v3 must
 * pay at nearly the same price. Default: 200.
 */
export const layer = (haircutBps: number, minDepthUsd: bigint = MIN_DEPTH_USD) =>
  Layer.effect(FeeValue, make(haircutBps, minDepthUsd))
