/**
 * Swaps on Uniswap v3. QuoterV2 finds and prices them by eth_call, and SwapRouter02 makes them. It needs no service, so it
 * works on every chain with these contracts.
 */
import { Effect, Layer, Option } from "effect"
import { encodeFunctionData, prepareEncodeFunctionData } from "viem"
import * as Address from "../../domain/Address.ts"
import { lessBps } from "../../domain/Amount.ts"
import * as Chain from "../../domain/Chain.ts"
import type { Hex } from "../../domain/Hex.ts"
import { isNative } from "../../domain/Token.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import {
  NoRoute,
  RoutingUnavailable,
  type SwapPair,
  type SwapRequest,
  type SwapRoute,
  SwapVenue
} from "../../ports/orchestrator/SwapVenue.ts"
import { swapRouter02Abi } from "./uniswapV3Abi.ts"
import * as Market from "./UniswapV3Market.ts"
import * as Path from "./UniswapV3Path.ts"
import * as Pools from "./UniswapV3Pools.ts"

export const PROVIDER = "uniswap-v3"

/** Recipients with a special meaning to the router: its caller and itself (`Constants.MSG_SENDER`, `Constants.ADDRESS_THIS`). */
const MSG_SENDER = Address.of("0x0000000000000000000000000000000000000001")
const ADDRESS_THIS = Address.of("0x0000000000000000000000000000000000000002")

/** Gas of the router in addition to the quoter's figure for the pools: dispatch and transfer of the input. */
const ROUTER_GAS = 25_000n

/** Gas of unwrapping native currency and sending it, after a swap and without one. */
const UNWRAP_GAS = 20_000n
const PULL_AND_UNWRAP_GAS = 55_000n

interface Contracts {
  readonly router: Address.Address
  readonly quoter: Address.Address
}

const contractsOf = ({ quoter, swapRouter: router }: Chain.Chain): Option.Option<Contracts> =>
  router === undefined || quoter === undefined ? Option.none() : Option.some({ router, quoter })

// With their selectors, which viem would hash for every call.
const EXACT_INPUT = prepareEncodeFunctionData({ abi: swapRouter02Abi, functionName: "exactInput" })
const EXACT_INPUT_SINGLE = prepareEncodeFunctionData({ abi: swapRouter02Abi, functionName: "exactInputSingle" })
const MULTICALL = prepareEncodeFunctionData({ abi: swapRouter02Abi, functionName: "multicall" })

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
        ...EXACT_INPUT_SINGLE,
        args: [{ tokenIn, tokenOut, fee: path.fee, recipient, amountIn, amountOutMinimum, sqrtPriceLimitX96: 0n }]
      })
    : encodeFunctionData({
        ...EXACT_INPUT,
        args: [{ path: Path.encode(tokenIn, path, tokenOut), recipient, amountIn, amountOutMinimum }]
      })

const unwrapCall = (minAmountOut: bigint, recipient: Address.Address): Hex =>
  encodeFunctionData({ abi: swapRouter02Abi, functionName: "unwrapWETH9", args: [minAmountOut, recipient] })

/** Adds a deadline, which the swap functions do not have. */
const withDeadline = (deadline: bigint, calls: ReadonlyArray<Hex>): Hex =>
  encodeFunctionData({ ...MULTICALL, args: [deadline, calls] })

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
  quoted: Market.Quoted
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

/** The contracts and the output token of a pair. */
const open = Effect.fnUntraced(function* (chains: Chains["Service"], pair: SwapPair) {
  const client = yield* chains.get(pair.chainId)
  const { quoter, router } = yield* Effect.mapError(
    Effect.fromOption(contractsOf(client.chain)),
    () => new NoRoute({ detail: `Uniswap v3 is not configured on ${client.chain.name}` })
  )
  return { client, quoter, router, tokenOut: Chain.erc20(client.chain, pair.tokenOut) }
})

export const layer = Layer.effect(
  SwapVenue,
  Effect.gen(function* () {
    const chains = yield* Chains
    const pools = Pools.make()

    /** Reads the pair's market at these amounts. Returns the function that makes a route of an amount between them. */
    const marketOf = Effect.fn("UniswapV3.market")(
      function* (pair: SwapPair, amounts: ReadonlyArray<bigint>) {
        const { client, quoter, router, tokenOut } = yield* open(chains, pair)
        const isSame = pair.tokenIn === tokenOut
        const market =
          isSame || amounts.length === 0
            ? []
            : yield* Market.read(client, { pools, quoter }, { tokenIn: pair.tokenIn, tokenOut }, amounts)
        return (request: SwapRequest): Effect.Effect<SwapRoute, NoRoute> => {
          const objected = objection(router, request)
          if (objected !== undefined) return Effect.fail(new NoRoute({ detail: objected }))
          if (isSame && isNative(request.tokenOut)) return Effect.succeed(unwrapping(router, request))
          if (isSame) return Effect.fail(new NoRoute({ detail: "input and output are the same token" }))
          return Option.match(Market.best(market, request.amountIn), {
            onNone: () =>
              Effect.fail(new NoRoute({ detail: `no liquid pool from ${request.tokenIn} to ${request.tokenOut}` })),
            onSome: (quoted) => Effect.succeed(swapping(router, request, tokenOut, quoted))
          })
        }
      },
      Effect.catchTags({
        UnsupportedChain: (error) => Effect.fail(new NoRoute({ detail: error.message })),
        ChainUnavailable: (error) => Effect.fail(new RoutingUnavailable({ provider: PROVIDER, detail: error.message }))
      })
    )

    const route: SwapVenue["Service"]["route"] = (request) =>
      Effect.flatMap(marketOf(request, request.amountIn > 0n ? [request.amountIn] : []), (routeOf) => routeOf(request))

    const prepare: SwapVenue["Service"]["prepare"] = Effect.fnUntraced(function* (pair) {
      const read = yield* Effect.result(marketOf(pair, Market.samples(pair.amountIn)))
      return (terms) => {
        const request = { ...terms, ...pair, amountIn: terms.amountIn }
        return Effect.fromResult(read).pipe(
          Effect.flatMap((routeOf) => routeOf(request)),
          // Below what was read, as when fees take most of the amount, the market may have one all the same.
          Effect.catchTag("NoRoute", () => route(request))
        )
      }
    })

    return SwapVenue.of({ route, prepare })
  })
)
