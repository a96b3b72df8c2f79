/**
 * Swaps on Uniswap v3. QuoterV2 finds and prices them by eth_call, and SwapRouter02 makes them. It needs no service, so it
 * works on every chain with these contracts.
 */
import { Effect, Layer, Option } from "effect"
import { decodeFunctionResult, encodeFunctionData } from "viem"
import * as Address from "../../domain/Address.ts"
import { lessBps } from "../../domain/Amount.ts"
import * as Chain from "../../domain/Chain.ts"
import type { Hex } from "../../domain/Hex.ts"
import { isNative } from "../../domain/Token.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import {
  NoRoute,
  RoutingUnavailable,
  type SwapRequest,
  type SwapRoute,
  SwapVenue
} from "../../ports/orchestrator/SwapVenue.ts"
import * as Multicall3 from "../evm/codec/Multicall3.ts"
import { quoterV2Abi, swapRouter02Abi } from "./uniswapV3Abi.ts"
import * as Path from "./UniswapV3Path.ts"

export const PROVIDER = "uniswap-v3"

/** Number of hop tokens in addition to the wrapped native currency. Each adds 16 quotes to the call. */
const MAX_STABLE_HOPS = 2

/** Recipients with a special meaning to the router: its caller and itself (`Constants.MSG_SENDER`, `Constants.ADDRESS_THIS`). */
const MSG_SENDER = Address.of("0x0000000000000000000000000000000000000001")
const ADDRESS_THIS = Address.of("0x0000000000000000000000000000000000000002")

/** Gas of the router in addition to the quoter's figure for the pools: dispatch and transfer of the input. */
const ROUTER_GAS = 25_000n

/** Gas of unwrapping native currency and sending it, after a swap and without one. */
const UNWRAP_GAS = 20_000n
const PULL_AND_UNWRAP_GAS = 55_000n

interface Quoted {
  readonly path: Path.Path
  readonly amountOut: bigint
  readonly gas: bigint
}

interface Contracts {
  readonly router: Address.Address
  readonly quoter: Address.Address
}

const contractsOf = ({ quoter, swapRouter: router }: Chain.Chain): Option.Option<Contracts> =>
  router === undefined || quoter === undefined ? Option.none() : Option.some({ router, quoter })

const quoteCall = (path: Path.Path, tokenIn: Address.Address, tokenOut: Address.Address, amountIn: bigint): Hex =>
  path._tag === "Direct"
    ? encodeFunctionData({
        abi: quoterV2Abi,
        functionName: "quoteExactInputSingle",
        args: [{ tokenIn, tokenOut, amountIn, fee: path.fee, sqrtPriceLimitX96: 0n }]
      })
    : encodeFunctionData({
        abi: quoterV2Abi,
        functionName: "quoteExactInput",
        args: [Path.encode(tokenIn, path, tokenOut), amountIn]
      })

/** None for an answer that is not a quote, such as that of a quoter without code. */
const decodeQuote = Option.liftThrowable((path: Path.Path, data: Hex): Quoted => {
  const [amountOut, , , gas] =
    path._tag === "Direct"
      ? decodeFunctionResult({ abi: quoterV2Abi, functionName: "quoteExactInputSingle", data })
      : decodeFunctionResult({ abi: quoterV2Abi, functionName: "quoteExactInput", data })
  return { path, amountOut, gas }
})

/** The path with the highest output. Of equal ones, the first, which is the shortest. */
const best = Effect.fnUntraced(function* (
  client: ChainClient,
  quoter: Address.Address,
  tokenIn: Address.Address,
  tokenOut: Address.Address,
  amountIn: bigint
) {
  const { stables, wrappedNative } = client.chain
  const paths = Path.candidates(tokenIn, tokenOut, [wrappedNative, ...stables.slice(0, MAX_STABLE_HOPS)])
  const reads = paths.map((path) => ({ to: quoter, data: quoteCall(path, tokenIn, tokenOut, amountIn) }))
  const answers = yield* Multicall3.read(client, reads)
  return paths
    .flatMap((path, index) => {
      const answer = answers[index] ?? Option.none()
      return Option.toArray(Option.flatMap(answer, (data) => decodeQuote(path, data)))
    })
    .filter((quoted) => quoted.amountOut > 0n)
    .reduce<Option.Option<Quoted>>(
      (most, quoted) =>
        Option.exists(most, (other) => other.amountOut >= quoted.amountOut) ? most : Option.some(quoted),
      Option.none()
    )
})

interface Swap {
  readonly path: Path.Path
  readonly tokenIn: Address.Address
  readonly tokenOut: Address.Address
  readonly amountIn: bigint
  readonly minAmountOut: bigint
  readonly recipient: Address.Address
}

const swapCall = ({ amountIn, minAmountOut: amountOutMinimum, path, recipient, tokenIn, tokenOut }: Swap): Hex =>
  path._tag === "Direct"
    ? encodeFunctionData({
        abi: swapRouter02Abi,
        functionName: "exactInputSingle",
        args: [{ tokenIn, tokenOut, fee: path.fee, recipient, amountIn, amountOutMinimum, sqrtPriceLimitX96: 0n }]
      })
    : encodeFunctionData({
        abi: swapRouter02Abi,
        functionName: "exactInput",
        args: [{ path: Path.encode(tokenIn, path, tokenOut), recipient, amountIn, amountOutMinimum }]
      })

const unwrapCall = (minAmountOut: bigint, recipient: Address.Address): Hex =>
  encodeFunctionData({ abi: swapRouter02Abi, functionName: "unwrapWETH9", args: [minAmountOut, recipient] })

/** Adds a deadline, which the swap functions do not have. */
const withDeadline = (deadline: bigint, calls: ReadonlyArray<Hex>): Hex =>
  encodeFunctionData({ abi: swapRouter02Abi, functionName: "multicall", args: [deadline, calls] })

/** From the wrapped native currency to the native one, no swap is needed: the router unwraps it one to one. */
const unwrapping = (router: Address.Address, request: SwapRequest): SwapRoute => ({
  provider: PROVIDER,
  target: router,
  calldata: withDeadline(request.deadline, [
    encodeFunctionData({ abi: swapRouter02Abi, functionName: "pull", args: [request.tokenIn, request.amountIn] }),
    unwrapCall(request.amountIn, request.recipient)
  ]),
  amountOut: request.amountIn,
  minAmountOut: request.amountIn,
  gas: PULL_AND_UNWRAP_GAS,
  passing: 1
})

const swapping = (
  router: Address.Address,
  request: SwapRequest,
  tokenOut: Address.Address,
  quoted: Quoted
): SwapRoute => {
  const { amountIn, deadline, recipient, slippageBps, tokenIn } = request
  const least = lessBps(quoted.amountOut, slippageBps)
  // The delegate rejects an order whose minimum output is 0.
  const minAmountOut = least > 0n ? least : 1n
  const swap = { path: quoted.path, tokenIn, tokenOut, amountIn, minAmountOut }
  const native = isNative(request.tokenOut)
  const calls = native
    ? [swapCall({ ...swap, recipient: ADDRESS_THIS }), unwrapCall(minAmountOut, recipient)]
    : [swapCall({ ...swap, recipient })]
  return {
    provider: PROVIDER,
    target: router,
    calldata: withDeadline(deadline, calls),
    amountOut: quoted.amountOut,
    minAmountOut,
    gas: quoted.gas + ROUTER_GAS + (native ? UNWRAP_GAS : 0n),
    passing: (quoted.path._tag === "Via" ? 1 : 0) + (native ? 1 : 0)
  }
}

/** The reason why the router cannot serve the request. Undefined if it can. */
const objection = (router: Address.Address, { amountIn, recipient }: SwapRequest): string | undefined => {
  // For the router, an amount of 0 means its whole balance.
  if (amountIn <= 0n) return "the amount is zero"
  return recipient === MSG_SENDER || recipient === ADDRESS_THIS || recipient === router
    ? `the router does not deliver to ${recipient}`
    : undefined
}

export const layer = Layer.effect(
  SwapVenue,
  Effect.gen(function* () {
    const chains = yield* Chains

    const route = Effect.fn("UniswapV3.route")(
      function* (request: SwapRequest) {
        const client = yield* chains.get(request.chainId)
        const { router, quoter } = yield* Effect.mapError(
          Effect.fromOption(contractsOf(client.chain)),
          () => new NoRoute({ detail: `Uniswap v3 is not configured on ${client.chain.name}` })
        )
        const objected = objection(router, request)
        if (objected !== undefined) return yield* new NoRoute({ detail: objected })
        const tokenOut = Chain.erc20(client.chain, request.tokenOut)
        if (request.tokenIn === tokenOut) {
          if (isNative(request.tokenOut)) return unwrapping(router, request)
          return yield* new NoRoute({ detail: "input and output are the same token" })
        }
        const quoted = yield* best(client, quoter, request.tokenIn, tokenOut, request.amountIn)
        if (Option.isNone(quoted)) {
          return yield* new NoRoute({ detail: `no liquid pool from ${request.tokenIn} to ${request.tokenOut}` })
        }
        return swapping(router, request, tokenOut, quoted.value)
      },
      Effect.catchTags({
        UnsupportedChain: (error) => Effect.fail(new NoRoute({ detail: error.message })),
        ChainUnavailable: (error) => Effect.fail(new RoutingUnavailable({ provider: PROVIDER, detail: error.message }))
      })
    )

    return SwapVenue.of({ route })
  })
)
