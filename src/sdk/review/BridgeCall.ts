/**
 * Decodes the bridge call of an order across chains. Such an order has no minimum of its own, since the delegate cannot see the
 * other chain: amount, token and recipient stand in `swapCalldata` alone.
 */
import { decodeFunctionData, encodeFunctionData, getAddress, padHex, parseAbi, sliceHex, zeroAddress } from "viem"
import type { Address } from "../model/Address.ts"
import type { Hex } from "../model/Hex.ts"

/** Across's `SpokePool.depositV3`, and `SpokePoolPeriphery.swapAndBridge`, which swaps and deposits the proceeds. */
const bridgeAbi = parseAbi([
  "function depositV3(address depositor, address recipient, address inputToken, address outputToken, uint256 inputAmount, uint256 outputAmount, uint256 destinationChainId, address exclusiveRelayer, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityParameter, bytes message) payable",
  "struct Fees { uint256 amount; address recipient; }",
  "struct Deposit { address inputToken; bytes32 outputToken; uint256 outputAmount; address depositor; bytes32 recipient; uint256 destinationChainId; bytes32 exclusiveRelayer; uint32 quoteTimestamp; uint32 fillDeadline; uint32 exclusivityParameter; bytes message; }",
  "struct SwapAndDeposit { Fees submissionFees; Deposit depositData; address swapToken; address exchange; uint8 transferType; uint256 swapTokenAmount; uint256 minExpectedInputTokenAmount; bytes routerCalldata; bool enableProportionalAdjustment; address spokePool; uint256 nonce; }",
  "function swapAndBridge(SwapAndDeposit swapAndDepositData) payable"
])

/** A deposit into the bridge, possibly after a swap. */
export interface BridgeCall {
  /** Receives the refund if nobody fills the deposit. */
  readonly depositor: Address
  readonly recipient: Address
  /** Token that leaves the owner. */
  readonly inputToken: Address
  readonly inputAmount: bigint
  readonly outputToken: Address
  /** Amount paid out. With {@link via} it is the least amount, which rises in proportion to the proceeds of the swap. */
  readonly outputAmount: bigint
  readonly destChainId: bigint
  /** Swap on the source chain before the deposit. Absent if the bridge takes the input token itself. */
  readonly via?: {
    /** Token that is deposited, and refunded if nobody fills the deposit. */
    readonly token: Address
    /** The periphery deposits at least this amount, or reverts. */
    readonly minAmount: bigint
    /** Contract that takes the deposit. No contract limits it. */
    readonly spokePool: Address
  }
}

const decode = (data: Hex) => decodeFunctionData({ abi: bridgeAbi, data })

type Decoded = ReturnType<typeof decode>
type Deposit = Extract<Decoded, { readonly functionName: "depositV3" }>["args"]
type SwapAndDeposit = Extract<Decoded, { readonly functionName: "swapAndBridge" }>["args"][0]

const readDeposit = (args: Deposit): BridgeCall | undefined =>
  // A message would make the bridge call the recipient, which the review does not show.
  args[11] !== "0x"
    ? undefined
    : {
        depositor: args[0],
        recipient: args[1],
        inputToken: args[2],
        outputToken: args[3],
        inputAmount: args[4],
        outputAmount: args[5],
        destChainId: args[6]
      }

/** The periphery takes addresses of the destination chain as 32-byte words, whose upper 12 bytes may be set. */
const isAddressWord = (word: Hex): boolean => padHex(sliceHex(word, 12), { size: 32 }) === word

const addressOf = (word: Hex): Address => getAddress(sliceHex(word, 12))

const readSwapAndDeposit = ({ depositData, ...data }: SwapAndDeposit): BridgeCall | undefined => {
  const isPlain =
    data.submissionFees.amount === 0n &&
    data.submissionFees.recipient === zeroAddress &&
    // 0: the exchange is approved for the input and pulls it.
    data.transferType === 0 &&
    // Otherwise the relayer would keep the proceeds above the least amount.
    data.enableProportionalAdjustment &&
    data.nonce === 0n &&
    depositData.message === "0x" &&
    [depositData.recipient, depositData.outputToken, depositData.exclusiveRelayer].every(isAddressWord)
  return isPlain
    ? {
        depositor: depositData.depositor,
        recipient: addressOf(depositData.recipient),
        inputToken: data.swapToken,
        outputToken: addressOf(depositData.outputToken),
        inputAmount: data.swapTokenAmount,
        outputAmount: depositData.outputAmount,
        destChainId: depositData.destinationChainId,
        via: {
          token: depositData.inputToken,
          minAmount: data.minExpectedInputTokenAmount,
          spokePool: data.spokePool
        }
      }
    : undefined
}

/**
 * Decodes the calldata of an order across chains. Returns undefined for anything but a plain deposit, or a plain swap and deposit.
 *
 * @example
 * const call = readBridgeCall(offer.order.swapCalldata)
 * if (call !== undefined) console.log(`${call.outputAmount} to ${call.recipient} on chain ${call.destChainId}`)
 */
export const readBridgeCall = (calldata: Hex): BridgeCall | undefined => {
  const data: Hex = `0x${calldata.slice(2).toLowerCase()}`
  try {
    const call = decode(data)
    // Surplus bytes would have a meaning that the review does not show.
    if (encodeFunctionData({ abi: bridgeAbi, ...call }) !== data) return undefined
    return call.functionName === "depositV3" ? readDeposit(call.args) : readSwapAndDeposit(call.args[0])
  } catch {
    return undefined
  }
}
