/**
 * Swaps on Uniswap v3. QuoterV2 finds and prices them by eth_call, and SwapRouter02 makes them. It needs no service, so it
 * works on every chain with these contracts. PancakeSwap v3 has the same functions in its SmartRouter.
 *
 * Calldata: `multicall(uint256,bytes[])` 0x5ae401dc with up to three swaps, `exactInputSingle` 0x04e45aaf or `exactInput` 0xb858183f. For native
 * output the swap pays the router, and `unwrapWETH9(uint256,address)` 0x49404b7c pays the recipient. From the wrapped native currency to the
 * native one: `pull(address,uint256)` 0xf2d5d56b and `unwrapWETH9`. The other way, the delegate has wrapped the input already: `pull` and
 * `sweepToken(address,uint256,address)` 0xdf2ab5bb.
 */
import { Effect, Layer, Option } from "effect"
import { encodeFunctionData, prepareEncodeFunctionData } from "viem"
import * as Address from "../../domain/Address.ts"
import type * as Chain from "../../domain/Chain.ts"
import type { Hex } from "../../domain/Hex.ts"
import { isNative } from "../../domain/Token.ts"
import * as Venue from "../../domain/Venue.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import { type SwapRequest, type SwapRoute, SwapVenue } from "../../ports/orchestrator/SwapVenue.ts"
import type { Candidate } from "../../domain/RouteChoice.ts"
import * as RouteSplit from "../../domain/RouteSplit.ts"
import * as Curves from "./Curves.ts"
import * as GasWorths from "./GasWorths.ts"
import * as OnChainVenue from "./OnChainVenue.ts"
import { swapRouter02Abi } from "./uniswapV3Abi.ts"
import * as Market from "./UniswapV3Market.ts"
import * as Path from "./UniswapV3Path.ts"
import * as PoolMemory from "./PoolMemory.ts"
import * as Splits from "./UniswapV3Splits.ts"

export const PROVIDER = Venue.FIRST

/** Recipients with a special meaning to the router: its caller and itself (`Constants.MSG_SENDER`, `Constants.ADDRESS_THIS`). */
const MSG_SENDER = Address.of("0x0000000000000000000000000000000000000001")
const ADDRESS_THIS = Address.of("0x0000000000000000000000000000000000000002")

/** Gas of the router in addition to the quoter's figure for the pools: dispatch and transfer of the input. */
const ROUTER_GAS = 25_000n

/** Gas of unwrapping native currency and sending it, after a swap and without one. */
const UNWRAP_GAS = 20_000n
const PULL_AND_UNWRAP_GAS = 55_000n

/** Gas of taking a token and passing it on. */
const PULL_AND_PASS_GAS = 45_000n

export interface Contracts {
  readonly provider: string
  readonly router: Address.Address
  readonly quoter: Address.Address
  readonly kinds: Path.Kinds
}

/** The exchange that `swapRouter` and `quoter` of a chain make. */
const first = ({ quoter, swapRouter: router }: Chain.Chain): Option.Option<Contracts> =>
  router === undefined || quoter === undefined
    ? Option.none()
    : Option.some({ provider: PROVIDER, router, quoter, kinds: Path.FEE_TIERS })

// With their selectors, which viem would hash for every call.
const EXACT_INPUT = prepareEncodeFunctionData({ abi: swapRouter02Abi, functionName: "exactInput" })
const EXACT_INPUT_SINGLE = prepareEncodeFunctionData({ abi: swapRouter02Abi, functionName: "exactInputSingle" })
const MULTICALL = prepareEncodeFunctionData({ abi: swapRouter02Abi, functionName: "multicall" })
const UNWRAP = prepareEncodeFunctionData({ abi: swapRouter02Abi, functionName: "unwrapWETH9" })
const PULL = prepareEncodeFunctionData({ abi: swapRouter02Abi, functionName: "pull" })
const PASS_ON = prepareEncodeFunctionData({ abi: swapRouter02Abi, functionName: "sweepToken" })

interface Swap extends Curves.Pair {
  readonly path: Path.Path
  readonly amountIn: bigint
  readonly minAmountOut: bigint
  readonly recipient: Address.Address
}

const swapCall = ({ amountIn, minAmountOut: amountOutMinimum, path, recipient, tokenIn, tokenOut }: Swap): Hex =>
  path._tag === "Direct"
    ? encodeFunctionData({
        ...EXACT_INPUT_SINGLE,
        args: [{ tokenIn, tokenOut, fee: path.fee, recipient, amountIn, amountOutMinimum, sqrtPriceLimitX96: 0n }]
      })
    : encodeFunctionData({
        ...EXACT_INPUT,
        args: [{ path: Path.encode(tokenIn, path, tokenOut), recipient, amountIn, amountOutMinimum }]
      })

const unwrapCall = (minAmountOut: bigint, recipient: Address.Address): Hex =>
  encodeFunctionData({ ...UNWRAP, args: [minAmountOut, recipient] })

/** Adds a deadline, which the swap functions do not have. */
const withDeadline = (deadline: bigint, calls: ReadonlyArray<Hex>): Hex =>
  encodeFunctionData({ ...MULTICALL, args: [deadline, calls] })

const passOnCall = ({ amountIn, recipient, tokenIn }: SwapRequest): Hex =>
  encodeFunctionData({ ...PASS_ON, args: [tokenIn, amountIn, recipient] })

/** From one form of the native currency to the other, no swap is needed: the router takes the wrapped form, and unwraps it or passes it on. */
const changingForm = ({ provider, router }: Contracts, request: SwapRequest): SwapRoute => {
  const { amountIn, deadline, recipient, tokenIn, tokenOut } = request
  const native = isNative(tokenOut)
  return {
    provider,
    target: router,
    calldata: withDeadline(deadline, [
      encodeFunctionData({ ...PULL, args: [tokenIn, amountIn] }),
      native ? unwrapCall(amountIn, recipient) : passOnCall(request)
    ]),
    amountOut: amountIn,
    minAmountOut: amountIn,
    gas: native ? PULL_AND_UNWRAP_GAS : PULL_AND_PASS_GAS,
    passing: 1
  }
}

/** Spreads a minimum over the parts by what they pay, rounded up, so that the call itself reverts below the whole minimum. */
const minimaOf = (parts: ReadonlyArray<Candidate>, least: bigint): ReadonlyArray<bigint> => {
  const total = parts.reduce((sum, { amountOut }) => sum + amountOut, 0n)
  return parts.map(({ amountOut }) => (least * amountOut + total - 1n) / total)
}

/** Several swaps in one call, each of a part of the amount. `amountOut` is what they are expected to pay together. */
const dividing = (
  { provider, router }: Pick<Contracts, "provider" | "router">,
  request: SwapRequest,
  tokenOut: Address.Address,
  parts: ReadonlyArray<RouteSplit.Part<Path.Path>>,
  amountOut: bigint
): SwapRoute => {
  const { deadline, recipient, slippageBps, tokenIn } = request
  const least = OnChainVenue.leastOf(amountOut, slippageBps)
  const native = isNative(request.tokenOut)
  const minima = minimaOf(parts, least)
  const swaps = parts.map(({ amountIn, path }, index) =>
    swapCall({
      path,
      tokenIn,
      tokenOut,
      amountIn,
      minAmountOut: minima[index] ?? least,
      recipient: native ? ADDRESS_THIS : recipient
    })
  )
  const { gas } = RouteSplit.totalOf(parts, Splits.PART_GAS)
  return {
    provider,
    target: router,
    calldata: withDeadline(deadline, native ? [...swaps, unwrapCall(least, recipient)] : swaps),
    amountOut,
    minAmountOut: least,
    gas: gas + ROUTER_GAS + (native ? UNWRAP_GAS : 0n),
    passing: parts.filter(({ path }) => path._tag === "Via").length + (native ? 1 : 0),
    remade: (expected) =>
      dividing(
        { provider, router },
        { ...request, slippageBps: expected.slippageBps },
        tokenOut,
        parts,
        expected.amountOut
      )
  }
}

const swapping = (
  { provider, router }: Contracts,
  request: SwapRequest,
  tokenOut: Address.Address,
  quoted: Curves.Quoted<Path.Path>
): SwapRoute => {
  const { amountIn, deadline, recipient, slippageBps, tokenIn } = request
  const minAmountOut = OnChainVenue.leastOf(quoted.amountOut, slippageBps)
  const swap = { path: quoted.path, tokenIn, tokenOut, amountIn, minAmountOut }
  const native = isNative(request.tokenOut)
  const calls = native
    ? [swapCall({ ...swap, recipient: ADDRESS_THIS }), unwrapCall(minAmountOut, recipient)]
    : [swapCall({ ...swap, recipient })]
  return {
    provider,
    target: router,
    calldata: withDeadline(deadline, calls),
    amountOut: quoted.amountOut,
    minAmountOut,
    gas: quoted.gas + ROUTER_GAS + (native ? UNWRAP_GAS : 0n),
    passing: (quoted.path._tag === "Via" ? 1 : 0) + (native ? 1 : 0)
  }
}

/** Knowledge that exchanges share. */
export interface Known {
  readonly memory: PoolMemory.PoolMemory
  /** Without the price of gas, no amount is divided. */
  readonly worths: GasWorths.GasWorths
}

/** An exchange with the functions of QuoterV2 and SwapRouter02. */
export const exchange = (contracts: Contracts, { memory, worths }: Known): OnChainVenue.Exchange => ({
  router: contracts.router,
  reserved: [MSG_SENDER, ADDRESS_THIS],
  changeForm: (request) => changingForm(contracts, request),
  mayTrade: (chain, pair, nowMillis) => Market.mayTrade({ chain }, { ...contracts, memory }, pair, nowMillis),
  read: Effect.fnUntraced(function* (client, pair, amounts) {
    const market = yield* Market.read(client, { ...contracts, memory }, pair, amounts)
    const largest = amounts.at(-1) ?? 0n
    const divide =
      pair.divisible === true ? yield* Splits.read(client, contracts, pair, market, { largest, worths }) : () => []
    const routeOf = (request: SwapRequest) =>
      Option.map(Curves.best(market, request.amountIn), (quoted): SwapRoute => {
        const singleOf = (path: Curves.Quoted<Path.Path>) =>
          OnChainVenue.remakable(request, path, (terms, priced) => swapping(contracts, terms, pair.tokenOut, priced))
        const single = singleOf(quoted)
        const next = OnChainVenue.behind(market, request, singleOf)
        const parts = divide(request.amountIn, quoted)
        if (parts.length === 0) return OnChainVenue.withAlternatives(single, next)
        const { amountOut } = RouteSplit.totalOf(parts, Splits.PART_GAS)
        const { impactBps } = quoted
        return {
          ...dividing(contracts, request, pair.tokenOut, parts, amountOut),
          // They pay more than the best path alone, so they take less from its price.
          ...(impactBps === undefined ? {} : { impactBps }),
          alternatives: [single, ...next]
        }
      })
    return { isEmpty: market.length === 0, routeOf }
  }),
  poolReads: (pair) => Market.poolReads(contracts, pair)
})

/** The exchange that a chain names in `swapRouter` and `quoter`. None if it names none. */
export const firstOn =
  (known: Known) =>
  (chain: Chain.Chain): Option.Option<OnChainVenue.Exchange> =>
    Option.map(first(chain), (contracts) => exchange(contracts, known))

/** The exchange that a chain names in `swapRouter` and `quoter`, alone. */
export const make = Effect.gen(function* () {
  const known = { memory: PoolMemory.make(), worths: yield* GasWorths.make }
  return OnChainVenue.make(yield* Chains, PROVIDER, firstOn(known))
})

export const layer = Layer.effect(SwapVenue, make)
