/**
 * Swaps on Uniswap v4. V4Quoter finds and prices them by eth_call, and this project's UniswapV4Router makes them: Uniswap's own router needs
 * Permit2 and runs any commands, so the guard cannot list it.
 *
 * Calldata: `exactInput` 0x8f89178e of `contracts/src/UniswapV4Router.sol`.
 */
import { Clock, Effect, Option } from "effect"
import { prepareEncodeFunctionData, encodeFunctionData, toFunctionSelector } from "viem"
import * as Address from "../../domain/Address.ts"
import { type Hex, size } from "../../domain/Hex.ts"
import { isNative } from "../../domain/Token.ts"
import type * as Venue from "../../domain/Venue.ts"
import type { SwapRequest, SwapRoute } from "../../ports/orchestrator/SwapVenue.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { uniswapV4Router } from "../evm/abi/routers.generated.ts"
import * as Words from "../evm/codec/Words.ts"
import * as Curves from "./Curves.ts"
import * as OnChainVenue from "./OnChainVenue.ts"
import * as Path from "./UniswapV4Path.ts"
import type * as Pools from "./UniswapV4Pools.ts"

export interface Contracts {
  readonly provider: string
  readonly router: Address.Address
  readonly quoter: Address.Address
  readonly poolManager: Address.Address
  /** Pools beside the usual ones. */
  readonly pools: ReadonlyArray<Venue.PoolKey>
}

/** Gas in addition to the quoter's figure for the pools: the router, the PoolManager's lock, and the transfers of input and output. */
const ROUTER_GAS = 75_000n

/** Gas of changing native currency to its wrapped form, or back. */
const WRAP_GAS = 25_000n

const EXACT_INPUT = prepareEncodeFunctionData({ abi: uniswapV4Router.abi, functionName: "exactInput" })

const QUOTE = toFunctionSelector("quoteExactInput((address,(address,uint24,int24,address,bytes)[],uint128))")

/** A pool as the quoter takes it: currency, fee, tick spacing, hook, and no data for the hook. */
const hopWords = ({ pool, to }: Path.Hop): string =>
  Words.ofAddress(to) +
  Words.ofNumber(pool.fee) +
  Words.ofNumber(pool.tickSpacing) +
  Words.ofAddress(pool.hooks) +
  Words.ofNumber(5 * Words.WORD) +
  Words.ofNumber(0)

/** Function that makes the quoter's calldata for an amount along a path, by hand: a market is read at many paths and amounts. */
export const quoteCall = (path: Path.Path): ((amountIn: bigint) => Hex) => {
  const before = QUOTE + Words.ofNumber(Words.WORD) + Words.ofAddress(path[0].from) + Words.ofNumber(3 * Words.WORD)
  // The list without the offset of its only argument.
  const after = Words.ofList(path.map(hopWords)).slice(2 * Words.WORD)
  return (amountIn) => `${before}${Words.ofNumber(amountIn)}${after}` as Hex
}

/** Output and gas. None for an answer that is no quote, such as that of a quoter without code. */
const decodeQuote = (amountIn: bigint, data: Hex): Option.Option<Curves.Sample> => {
  if (size(data) < 2 * Words.WORD) return Option.none()
  const { wordAt } = Words.reader(data)
  return Option.some({ amountIn, amountOut: wordAt(0), gas: wordAt(Words.WORD) })
}

const swapping = (
  { provider, router }: Contracts,
  request: SwapRequest,
  { amountOut, gas, path }: Curves.Quoted<Path.Path>
): SwapRoute => {
  const { amountIn, deadline, recipient, slippageBps, tokenIn } = request
  const minAmountOut = OnChainVenue.leastOf(amountOut, slippageBps)
  const unwrapsInput = path[0].from === Path.NATIVE
  const paid = path.at(-1)?.to
  const tokenOut = isNative(request.tokenOut) ? Path.NATIVE : request.tokenOut
  const changes = (unwrapsInput ? 1 : 0) + (paid === tokenOut ? 0 : 1)
  const hops = path.map(({ pool: { fee, hooks, tickSpacing }, to: currency }) => ({
    currency,
    fee,
    tickSpacing,
    hooks
  }))
  return {
    provider,
    target: router,
    calldata: encodeFunctionData({
      ...EXACT_INPUT,
      args: [{ tokenIn, tokenOut, recipient, amountIn, minAmountOut, deadline, unwrapsInput, hops }]
    }),
    amountOut,
    minAmountOut,
    gas: gas + ROUTER_GAS + BigInt(changes) * WRAP_GAS,
    // Only the wrapped native currency passes through the router.
    passing: changes
  }
}

/** The pools of a PoolManager, by the router for them. */
export const exchange = (
  contracts: Contracts,
  known: Pools.Pools,
  wrappedNative: Address.Address
): OnChainVenue.Exchange => {
  const { poolManager, pools, quoter, router } = contracts
  const facts = { pools, wrappedNative }
  const viewOf = ({ chain }: Pick<ChainClient, "chain">, pair: Curves.Pair, nowMillis: number) => {
    const hops = Curves.hopsOf({ chain }, pair)
    return { hops, view: known.view({ chainId: chain.id, poolManager }, Path.poolsFor(pair, hops, facts), nowMillis) }
  }
  return {
    router,
    reserved: [Address.zero, poolManager],
    mayTrade: (chain, pair, nowMillis) => {
      const { hops, view } = viewOf({ chain }, pair, nowMillis)
      return Path.candidates(pair, hops, facts, view.mayExist).length > 0
    },
    read: Effect.fnUntraced(function* (client, pair, amounts) {
      const { hops, view } = viewOf(client, pair, yield* Clock.currentTimeMillis)
      const market = yield* Curves.readOpen(client, { quoter, lookUp: known.lookUp }, view, amounts, () =>
        Path.candidates(pair, hops, facts, view.exists).map((path) => ({
          path,
          callOf: quoteCall(path),
          sampleOf: decodeQuote
        }))
      )
      return OnChainVenue.reading(market, (terms, priced) => swapping(contracts, terms, priced))
    }),
    poolReads: (pair) =>
      Path.candidates(pair, [], facts).map((path) => ({
        to: quoter,
        callOf: quoteCall(path),
        amountOf: (data) => Option.map(decodeQuote(0n, data), ({ amountOut }) => amountOut)
      }))
  }
}
