/** Calls of SwapRouter02 as the service itself makes them for orders on Base, in markets that have one path to each result. */
import { Effect, Option } from "effect"
import { decodeFunctionData, encodeFunctionResult, multicall3Abi, type Hex } from "viem"
import * as OnChainVenue from "../../src/adapters/swap/OnChainVenue.ts"
import * as PoolMemory from "../../src/adapters/swap/PoolMemory.ts"
import * as UniswapV3 from "../../src/adapters/swap/UniswapV3.ts"
import { quoterV2Abi } from "../../src/adapters/swap/uniswapV3Abi.ts"
import * as UniswapV3Path from "../../src/adapters/swap/UniswapV3Path.ts"
import * as Address from "../../src/domain/Address.ts"
import { NATIVE } from "../../src/domain/Token.ts"
import { KNOWN_BRIDGES, type SweepRequest } from "../../src/sdk/index.ts"
import { address, chain, client } from "../support/FakeChain.ts"
import { NOW_MS, owner, request, ROUTER } from "./Offers.ts"

export const WETH = Address.of(KNOWN_BRIDGES[8453]?.tokens["WETH"] ?? ROUTER)

const [HOP, QUOTER] = [address(0xd1), address(0xc1)]

/** Paths of a market: direct pools by their fees, or one path through a hop. Each pays half for an amount as deep as it is. */
type Market = ReadonlyArray<number> | "hop"

/** The only path through the hop. */
const VIA = { _tag: "Via", token: HOP, fees: [500, 500] } as const

const DEPTH = 100_000_000n

const paid = (amountIn: bigint): bigint => (amountIn * 10n ** 9n * DEPTH) / (DEPTH + amountIn)

const quoted = (market: Market, data: Hex): Hex | undefined => {
  const read = () => {
    try {
      return decodeFunctionData({ abi: quoterV2Abi, data })
    } catch {
      // It asks for the factory.
      return undefined
    }
  }
  const call = read()
  if (call?.functionName === "quoteExactInputSingle") {
    const { amountIn, fee } = call.args[0]
    return market === "hop" || !market.includes(fee)
      ? undefined
      : encodeFunctionResult({
          abi: quoterV2Abi,
          functionName: call.functionName,
          result: [paid(amountIn), 0n, 0, 80_000n]
        })
  }
  if (call?.functionName !== "quoteExactInput" || market !== "hop") return undefined
  const tokens = [call.args[0].slice(0, 42), `0x${call.args[0].slice(-40)}`] as [Address.Address, Address.Address]
  if (call.args[0] !== UniswapV3Path.encode(tokens[0], VIA, tokens[1]).toLowerCase()) return undefined
  return encodeFunctionResult({
    abi: quoterV2Abi,
    functionName: call.functionName,
    result: [paid(call.args[1]), [], [], 160_000n]
  })
}

const venueOf = (market: Market) => {
  const only = client({
    chain: { ...chain, id: 8453, wrappedNative: WETH, stables: [HOP], swapRouter: Address.of(ROUTER), quoter: QUOTER },
    call: ({ data }) =>
      Effect.sync(() => {
        const { args } = decodeFunctionData({ abi: multicall3Abi, data })
        const reads = args?.[0] as ReadonlyArray<{ readonly callData: Hex }>
        const result = reads.map(({ callData }) => {
          const returnData = quoted(market, callData)
          return { success: returnData !== undefined, returnData: returnData ?? "0x" }
        })
        return encodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", result })
      })
  })
  const contracts = {
    provider: "uniswap-v3",
    router: Address.of(ROUTER),
    quoter: QUOTER,
    kinds: UniswapV3Path.FEE_TIERS
  }
  const worth = { gasPrice: 1n, nativeUsd: 1n, outUsd: 1n, outDecimals: 18 }
  const known = { memory: PoolMemory.make(), worths: () => Effect.succeedSome(worth) }
  return OnChainVenue.make({ all: [only], get: () => Effect.succeed(only) }, contracts.provider, () =>
    Option.some(UniswapV3.exchange(contracts, known))
  )
}

/** Orders of the service, by the functions that their call runs. */
const ORDERS: ReadonlyArray<readonly [functions: string, asked: SweepRequest, market: Market]> = [
  ["exactInputSingle", request, [500]],
  ["exactInput", request, "hop"],
  ["exactInputSingle, exactInputSingle", request, [500, 3_000]],
  ["exactInputSingle, exactInputSingle, exactInputSingle", request, [500, 3_000, 10_000]],
  ["exactInputSingle, unwrapWETH9", { ...request, tokenOut: NATIVE }, [500]],
  ["exactInput, unwrapWETH9", { ...request, tokenOut: NATIVE }, "hop"],
  ["exactInputSingle, exactInputSingle, unwrapWETH9", { ...request, tokenOut: NATIVE }, [500, 3_000]],
  ["pull, unwrapWETH9", { ...request, tokenIn: WETH, tokenOut: NATIVE }, []],
  ["pull, sweepToken", { ...request, tokenIn: NATIVE, tokenOut: WETH }, []],
  ["exactInputSingle (native input)", { ...request, tokenIn: NATIVE, tokenOut: request.tokenIn }, [500]]
]

export interface ServiceCall {
  /** Functions that the call runs. */
  readonly name: string
  readonly asked: SweepRequest
  readonly calldata: Hex
}

/** An order takes its fees before the swap, here 125,000 units. The delegate wraps native input. */
export const serviceCalls: Effect.Effect<ReadonlyArray<ServiceCall>> = Effect.forEach(ORDERS, ([name, asked, market]) =>
  Effect.map(
    venueOf(market).route({
      chainId: 8453,
      tokenIn: asked.tokenIn === NATIVE ? WETH : Address.of(asked.tokenIn),
      tokenOut: Address.of(asked.tokenOut),
      amountIn: asked.amountIn - 125_000n,
      sender: Address.of(owner.address),
      recipient: Address.of(asked.destination ?? owner.address),
      slippageBps: 50,
      deadline: BigInt(NOW_MS / 1000 + 720),
      divisible: true
    }),
    ({ calldata }): ServiceCall => ({ name, asked, calldata })
  )
).pipe(Effect.orDie)
