/**
 * Swaps on Uniswap v3, found and priced on chain alone: QuoterV2 by eth_call, SwapRouter02 for the swap. No service has to be
 * asked, so it works wherever the contracts are.
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

/** Hops beside the wrapped native currency: each adds 16 quotes to the call. */
const MAX_STABLE_HOPS = 2

/** The router takes these recipients to mean its caller and itself (`Constants.MSG_SENDER`, `Constants.ADDRESS_THIS`). */
const MSG_SENDER = Address.of("0x0000000000000000000000000000000000000001")
const ADDRESS_THIS = Address.of("0x0000000000000000000000000000000000000002")

/** What the router adds to the quoter's figure for the pools: its own dispatch and the transfer of the input. */
const ROUTER_GAS = 25_000n

/** Withdrawing from the wrapped native token and sending the proceeds on, after a swap and by itself. */
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

/** None for an answer that is no quote, such as that of a quoter without code. */
const decodeQuote = Option.liftThrowable((path: Path.Path, data: Hex): Quoted => {
  const [amountOut, , , gas] =
    path._tag === "Direct"
      ? decodeFunctionResult({ abi: quoterV2Abi, functionName: "quoteExactInputSingle", data })
      : decodeFunctionResult({ abi: quoterV2Abi, functionName: "quoteExactInput", data })
  return { path, amountOut, gas }
})

/** The path that gives most; the earlier, shorter one where two give the same. */
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

/** The swap functions know no deadline of their own. */
const withDeadline = (deadline: bigint, calls: ReadonlyArray<Hex>): Hex =>
  encodeFunctionData({ abi: swapRouter02Abi, functionName: "multicall", args: [deadline, calls] })

/** The wrapped native currency to the native one is no swap: the router withdraws it, one to one. */
const unwrapping = (router: Address.Address, request: SwapRequest): SwapRoute => ({
  provider: PROVIDER,
  target: router,
  calldata: withDeadline(request.deadline, [
    encodeFunctionData({ abi: swapRouter02Abi, functionName: "pull", args: [request.tokenIn, request.amountIn] }),
    unwrapCall(request.amountIn, request.recipient)
  ]),
  amountOut: request.amountIn,
  minAmountOut: request.amountIn,
  gas: PULL_AND_UNWRAP_GAS
})

const swapping = (
  router: Address.Address,
  request: SwapRequest,
  tokenOut: Address.Address,
  quoted: Quoted
): SwapRoute => {
  const { amountIn, deadline, recipient, slippageBps, tokenIn } = request
  const least = lessBps(quoted.amountOut, slippageBps)
  // The delegate refuses an order that may deliver nothing.
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
    gas: quoted.gas + ROUTER_GAS + (native ? UNWRAP_GAS : 0n)
  }
}

/** Why the request cannot be put to the router at all; undefined when it can. */
const objection = (router: Address.Address, { amountIn, recipient }: SwapRequest): string | undefined => {
  // To the router an amount of 0 means all it holds.
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
