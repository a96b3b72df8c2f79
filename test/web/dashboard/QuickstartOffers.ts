/** Offers to the quickstart's code: honest ones, and those that only the code can refuse. */
import { encodeFunctionData, type Hex, parseAbi } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { singleByFeeAbi, singleByTickSpacingAbi } from "../../../src/adapters/swap/DeadlinedRouter.ts"
import { solidlyRouterAbi, uniswapV2RouterAbi } from "../../../src/adapters/swap/PairRouters.ts"
import { swapRouter02Abi } from "../../../src/adapters/swap/uniswapV3Abi.ts"
import { uniswapV4Router } from "../../../src/adapters/evm/abi/routers.generated.ts"
import type { DeploymentView } from "../../../src/api/builder/DeploymentApi.ts"
import type { Builder } from "../../../src/domain/Builder.ts"
import type { VenueFamily } from "../../../src/domain/Venue.ts"

const address = (digit: string) => `0x${digit.repeat(40)}` as const
export const OTHER = address("9")
export const DELEGATE = address("d")
const THIRD = address("3")
export const key = generatePrivateKey()
export const owner = privateKeyToAccount(key).address

export const builder = { id: "bld_1", payoutAddress: address("b") } as Builder

/** A router of each family. Some of the family `uniswap-v3` take a deadline in each swap. */
const ROUTERS = {
  "uniswap-v3": address("5"),
  "uniswap-v2": address("6"),
  solidly: address("7"),
  slipstream: address("8"),
  "uniswap-v4": address("a")
} satisfies Readonly<Record<VenueFamily, Hex>>

export const deployment = (url: string, domainName?: string): DeploymentView =>
  ({
    chains: [
      {
        id: 8453,
        name: "base",
        nativeSymbol: "ETH",
        delegate: DELEGATE,
        routers: Object.entries(ROUTERS).map(([family, router]) => ({ address: router, family })),
        tokens: [
          { chainId: 8453, address: address("2"), symbol: "USDC", name: "USD Coin", decimals: 6 },
          { chainId: 8453, address: address("1"), symbol: "DAI", name: "Dai", decimals: 18 }
        ]
      }
    ],
    orchestratorUrl: url,
    selfSignup: true,
    ...(domainName === undefined ? {} : { domainName }),
    consoleAccess: "admin_token"
  }) as unknown as DeploymentView

/** All of it but the fees, for the owner. */
const terms = {
  tokenIn: address("1"),
  tokenOut: address("2"),
  recipient: owner,
  amountIn: 25n * 10n ** 18n - 10n ** 16n - 100n,
  amountOutMinimum: 24_500_000n,
  sqrtPriceLimitX96: 0n
}
const deadline = 2_000_000_000n

const single = (change: Partial<Record<keyof typeof terms, unknown>> = {}): Hex =>
  encodeFunctionData({
    abi: swapRouter02Abi,
    functionName: "exactInputSingle",
    args: [{ ...terms, fee: 500, ...change } as typeof terms & { readonly fee: number }]
  })

const routed = (...calls: ReadonlyArray<Hex>): Hex =>
  encodeFunctionData({ abi: swapRouter02Abi, functionName: "multicall", args: [deadline, calls] })

const order = () => ({
  owner: owner as string,
  tokenIn: address("1") as string,
  amountIn: `${25n * 10n ** 18n}`,
  feeAmount: `${10n ** 16n}`,
  builder: builder.payoutAddress as string,
  builderFee: "100",
  tokenOut: address("2") as string,
  minAmountOut: "24500000",
  destination: owner as string,
  swapTarget: ROUTERS["uniswap-v3"] as string,
  swapCalldata: routed(single()) as string,
  deadline: `${Math.floor(Date.now() / 1000) + 700}`,
  nonce: "7",
  destChainId: "8453"
})

type Order = ReturnType<typeof order>

export interface Offer {
  readonly order: Order
  readonly quote: { readonly builderId: string; readonly sourceChainId: number; readonly settlementAddress: string }
}

export const honest = (): Offer => ({
  order: order(),
  quote: { builderId: builder.id, sourceChainId: 8453, settlementAddress: DELEGATE }
})

const withOrder = (change: Partial<Order>): Offer => ({ ...honest(), order: { ...order(), ...change } })
const withQuote = (change: Partial<Offer["quote"]>): Offer => ({
  ...honest(),
  quote: { ...honest().quote, ...change }
})

/** A router, and its call for one swap through one pool. */
const call = (family: VenueFamily, swapCalldata: Hex): Offer => withOrder({ swapTarget: ROUTERS[family], swapCalldata })

const pairArgs = [terms.amountIn, terms.amountOutMinimum] as const
const TO_TOKENS = "swapExactTokensForTokensSupportingFeeOnTransferTokens"

/** Calls as the service makes them, by router. */
export const CALLS: ReadonlyArray<readonly [name: string, offer: Offer]> = [
  [
    "SushiSwap v3",
    call(
      "uniswap-v3",
      encodeFunctionData({
        abi: singleByFeeAbi,
        functionName: "exactInputSingle",
        args: [{ ...terms, fee: 500, deadline }]
      })
    )
  ],
  [
    "Slipstream",
    call(
      "slipstream",
      encodeFunctionData({
        abi: singleByTickSpacingAbi,
        functionName: "exactInputSingle",
        args: [{ ...terms, tickSpacing: 1, deadline }]
      })
    )
  ],
  [
    "Uniswap v2",
    call(
      "uniswap-v2",
      encodeFunctionData({
        abi: uniswapV2RouterAbi,
        functionName: TO_TOKENS,
        args: [...pairArgs, [terms.tokenIn, terms.tokenOut], owner, deadline]
      })
    )
  ],
  [
    "Solidly",
    call(
      "solidly",
      encodeFunctionData({
        abi: solidlyRouterAbi,
        functionName: TO_TOKENS,
        args: [
          ...pairArgs,
          [{ from: terms.tokenIn, to: terms.tokenOut, stable: true, factory: OTHER }],
          owner,
          deadline
        ]
      })
    )
  ],
  [
    "Uniswap v4",
    call(
      "uniswap-v4",
      encodeFunctionData({
        abi: uniswapV4Router.abi,
        functionName: "exactInput",
        args: [
          {
            tokenIn: terms.tokenIn,
            tokenOut: terms.tokenOut,
            recipient: owner,
            amountIn: terms.amountIn,
            minAmountOut: terms.amountOutMinimum,
            deadline,
            unwrapsInput: false,
            hops: [{ currency: terms.tokenOut, fee: 100, tickSpacing: 1, hooks: OTHER }]
          }
        ]
      })
    )
  ]
]

const spending = encodeFunctionData({
  abi: parseAbi(["function pull(address token, uint256 value)"]),
  functionName: "pull",
  args: [THIRD, 10n ** 30n]
})

export const ATTACKS: ReadonlyArray<readonly [name: string, offer: Offer]> = [
  ["another owner", withOrder({ owner: OTHER })],
  ["another token", withOrder({ tokenIn: OTHER })],
  ["another amount", withOrder({ amountIn: `${2n * 10n ** 18n}` })],
  ["a fee beyond a tenth", withOrder({ feeAmount: `${3n * 10n ** 18n}` })],
  ["another builder", withOrder({ builder: OTHER })],
  ["another output", withOrder({ tokenOut: OTHER })],
  ["no minimum", withOrder({ minAmountOut: "0" })],
  ["a minimum of next to nothing", withOrder({ minAmountOut: "1" })],
  ["another destination", withOrder({ destination: OTHER })],
  ["another chain", withOrder({ destChainId: "1" })],
  ["a far deadline", withOrder({ deadline: `${Math.floor(Date.now() / 1000) + 90_000}` })],
  ["an unknown target", withOrder({ swapTarget: OTHER })],
  ["a call of another router", withOrder({ swapTarget: ROUTERS.solidly })],
  ["a call that cannot be read", withOrder({ swapCalldata: "0x1234" })],
  ["a call that is not there", withOrder({ swapCalldata: "0x" })],
  [
    "a second swap, of another token to a stranger",
    withOrder({ swapCalldata: routed(single(), single({ tokenIn: THIRD, recipient: OTHER })) })
  ],
  ["a call that takes what the router was allowed before", withOrder({ swapCalldata: routed(single(), spending) })],
  ["such a call alone", withOrder({ swapCalldata: routed(spending) })],
  ["such a call without a deadline", withOrder({ swapCalldata: spending })],
  ["a swap of another token", withOrder({ swapCalldata: routed(single({ tokenIn: THIRD })) })],
  ["a swap into another token", withOrder({ swapCalldata: routed(single({ tokenOut: THIRD })) })],
  ["a swap for a stranger", withOrder({ swapCalldata: routed(single({ recipient: OTHER })) })],
  ["a swap of another amount", withOrder({ swapCalldata: routed(single({ amountIn: 1n })) })],
  ["a swap with a price limit", withOrder({ swapCalldata: routed(single({ sqrtPriceLimitX96: 1n })) })],
  ["surplus bytes after the call", withOrder({ swapCalldata: `${routed(single())}00` })],
  ["surplus bytes after the swap", withOrder({ swapCalldata: routed(`${single()}00`) })],
  ["another attribution", withQuote({ builderId: "bld_2" })],
  ["another source chain", withQuote({ sourceChainId: 1 })],
  ["another delegate", withQuote({ settlementAddress: OTHER })]
]
