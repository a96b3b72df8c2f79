/** Answers of 0x, KyberSwap and LI.FI in the shapes of their documentation, for a route of the market. */
import { encodeFunctionData, parseAbi } from "viem"
import * as Address from "../../domain/Address.ts"
import type { Hex } from "../../domain/Hex.ts"
import { isNative } from "../../domain/Token.ts"
import { marketAggregator } from "./contracts.generated.ts"
import { type Fault, type Terms, told } from "./Faults.ts"
import { encodeHop, encodeHops, type Hop } from "./Routes.ts"
import * as Shapes from "./ServiceShapes.ts"

export interface Offer extends Terms {
  /** Account that swaps. */
  readonly sender: Address.Address
  readonly hops: ReadonlyArray<Hop>
}

const GAS = 350_000
const { abi } = marketAggregator

/** The offer as the answer tells it. The calls stay the same but for the changed term. */
const tell = (offer: Offer, fault: Fault | undefined): Offer => ({
  ...offer,
  ...told(offer, fault?._tag === "Lie" ? fault.about : undefined)
})

export const zeroX = (honest: Offer, fault: Fault | undefined) => {
  const offer = tell(honest, fault)
  const { amountIn, hops, minAmountOut, recipient, tokenIn, tokenOut } = offer
  const settling = encodeFunctionData({
    abi,
    functionName: "execute",
    args: [{ recipient, buyToken: tokenOut, minAmountOut }, hops.map(encodeHop), `0x${"07".repeat(32)}`]
  })
  const data = encodeFunctionData({
    abi,
    functionName: "exec",
    args: [honest.target, tokenIn, amountIn, honest.target, settling]
  })
  return Shapes.zeroX({ ...offer, gas: GAS, data })
}

export const kyberRoutes = (offer: Terms) => Shapes.kyberRoutes({ ...offer, gas: GAS })

export const kyberBuilt = (honest: Offer, fault: Fault | undefined) => {
  const offer = tell(honest, fault)
  const { amountIn, hops, minAmountOut, recipient, spender, tokenIn, tokenOut } = offer
  const data = encodeFunctionData({
    abi,
    functionName: "swap",
    args: [
      {
        callTarget: honest.target,
        approveTarget: spender,
        targetData: encodeHops(hops),
        desc: {
          srcToken: tokenIn,
          dstToken: tokenOut,
          srcReceivers: [honest.target],
          srcAmounts: [amountIn],
          feeReceivers: [],
          feeAmounts: [],
          dstReceiver: recipient,
          amount: amountIn,
          minReturnAmount: minAmountOut,
          flags: 0x204n,
          permit: "0x"
        },
        clientData: "0x"
      }
    ]
  })
  return Shapes.kyberBuilt({ ...offer, gas: GAS, data })
}

const liFiAbi = parseAbi([
  "function swapTokensSingleV3ERC20ToERC20(bytes32,string,string,address,uint256,(address,address,address,address,uint256,bytes,bool))",
  "function swapTokensSingleV3ERC20ToNative(bytes32,string,string,address,uint256,(address,address,address,address,uint256,bytes,bool))"
])

const liFiCall = (honest: Offer, { amountIn, hops, minAmountOut, recipient, spender, tokenIn, tokenOut }: Offer): Hex =>
  encodeFunctionData({
    abi: liFiAbi,
    functionName: isNative(tokenOut) ? "swapTokensSingleV3ERC20ToNative" : "swapTokensSingleV3ERC20ToERC20",
    args: [
      `0x${"09".repeat(32)}`,
      "app",
      "0x0",
      recipient,
      minAmountOut,
      [
        honest.target,
        spender,
        tokenIn,
        isNative(tokenOut) ? Address.zero : tokenOut,
        amountIn,
        encodeHops(hops),
        true
      ] as const
    ]
  })

export const liFi = (honest: Offer, fault: Fault | undefined) => {
  const offer = tell(honest, fault)
  return Shapes.liFi({ ...offer, gas: GAS, data: liFiCall(honest, offer) })
}
