/** Reads a swap on SwapRouter02 from its calldata. The bridge makes it on the destination, where no contract of ours checks it. */
import { Option } from "effect"
import { type Hex as ViemHex, sliceHex } from "viem"
import * as Address from "../../domain/Address.ts"
import type { Hex } from "../../domain/Hex.ts"
import * as ExactCalldata from "../swap/ExactCalldata.ts"
import { swapRouter02Abi } from "../swap/uniswapV3Abi.ts"

/** The router itself, as a recipient (`Constants.ADDRESS_THIS`). */
const ROUTER = Address.of("0x0000000000000000000000000000000000000002")

/** Bytes of an address, and of a fee and the next address. */
const HEAD = 20
const HOP = 23

/** One swap of an exact amount, which pays one account. */
export interface RouterSwap {
  readonly tokenIn: Address.Address
  readonly amountIn: bigint
  /** ERC-20. The wrapped native token if the router unwraps it. */
  readonly tokenOut: Address.Address
  readonly minAmountOut: bigint
  readonly recipient: Address.Address
  /** True if the router pays out native currency. */
  readonly unwraps: boolean
  /** UNIX seconds. */
  readonly deadline: bigint
}

type Step = Omit<RouterSwap, "unwraps" | "deadline">

const endsOf = (path: ViemHex): readonly [Address.Address, Address.Address] | undefined => {
  const size = (path.length - 2) / 2
  return size > HEAD && (size - HEAD) % HOP === 0
    ? [Address.of(sliceHex(path, 0, HEAD)), Address.of(sliceHex(path, size - HEAD))]
    : undefined
}

const stepOf = (data: ViemHex): Step | undefined => {
  const call = ExactCalldata.decode(swapRouter02Abi, data)
  switch (call?.functionName) {
    case "exactInputSingle": {
      const [{ amountIn, amountOutMinimum, recipient, sqrtPriceLimitX96, tokenIn, tokenOut }] = call.args
      // With a limit the router may swap a part only.
      if (sqrtPriceLimitX96 !== 0n) return undefined
      return {
        tokenIn: Address.of(tokenIn),
        amountIn,
        tokenOut: Address.of(tokenOut),
        minAmountOut: amountOutMinimum,
        recipient: Address.of(recipient)
      }
    }
    case "exactInput": {
      const [{ amountIn, amountOutMinimum, path, recipient }] = call.args
      const ends = endsOf(path)
      if (ends === undefined) return undefined
      const [tokenIn, tokenOut] = ends
      return { tokenIn, amountIn, tokenOut, minAmountOut: amountOutMinimum, recipient: Address.of(recipient) }
    }
    default:
      return undefined
  }
}

/** None for anything but one swap of an exact amount, with at most the unwrapping of its output. */
export const read = (calldata: Hex): Option.Option<RouterSwap> => {
  const call = ExactCalldata.decode(swapRouter02Abi, calldata)
  if (call?.functionName !== "multicall") return Option.none()
  const [deadline, [first, second, ...others]] = call.args
  const swap = first === undefined ? undefined : stepOf(first)
  if (swap === undefined || others.length > 0) return Option.none()
  const toRouter = swap.recipient === ROUTER
  if (second === undefined) return toRouter ? Option.none() : Option.some({ ...swap, unwraps: false, deadline })
  const unwrapping = ExactCalldata.decode(swapRouter02Abi, second)
  if (!toRouter || unwrapping?.functionName !== "unwrapWETH9") return Option.none()
  const [minAmountOut, recipient] = unwrapping.args
  return Option.some({ ...swap, minAmountOut, recipient: Address.of(recipient), unwraps: true, deadline })
}
