/**
 * What a bridge call promises. An order across chains has no minimum of its own (the delegate cannot see the other chain), so
 * what arrives, where and whose it is stand in `swapCalldata` alone: the review reads it, and does not take anyone's word.
 */
import { decodeFunctionData, encodeFunctionData, getAddress, padHex, parseAbi, sliceHex, zeroAddress } from "viem"
import type { Address, Hex } from "./types.ts"

/** Across's `SpokePool.depositV3`, and its `SpokePoolPeriphery.swapAndBridge`, which swaps and deposits what that yields. */
const bridgeAbi = parseAbi([
  "function depositV3(address depositor, address recipient, address inputToken, address outputToken, uint256 inputAmount, uint256 outputAmount, uint256 destinationChainId, address exclusiveRelayer, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityParameter, bytes message) payable",
  "struct Fees { uint256 amount; address recipient; }",
  "struct Deposit { address inputToken; bytes32 outputToken; uint256 outputAmount; address depositor; bytes32 recipient; uint256 destinationChainId; bytes32 exclusiveRelayer; uint32 quoteTimestamp; uint32 fillDeadline; uint32 exclusivityParameter; bytes message; }",
  "struct SwapAndDeposit { Fees submissionFees; Deposit depositData; address swapToken; address exchange; uint8 transferType; uint256 swapTokenAmount; uint256 minExpectedInputTokenAmount; bytes routerCalldata; bool enableProportionalAdjustment; address spokePool; uint256 nonce; }",
  "function swapAndBridge(SwapAndDeposit swapAndDepositData) payable"
])

export interface BridgeCall {
  /** Gets the tokens back if nobody fills the deposit. */
  readonly depositor: Address
  readonly recipient: Address
  /** What leaves the owner. */
  readonly inputToken: Address
  readonly inputAmount: bigint
  readonly outputToken: Address
  /** What is paid out; with {@link via} the least, which rises in proportion to what the swap yields. */
  readonly outputAmount: bigint
  readonly destChainId: bigint
  /** What the input is swapped into first, on the source chain; absent where the bridge takes the input itself. */
  readonly via?: {
    /** What is deposited, and comes back if nobody fills. */
    readonly token: Address
    /** The periphery deposits at least this, or reverts. */
    readonly minAmount: bigint
    /** Where it is deposited. The caller's choice, which no contract limits. */
    readonly spokePool: Address
  }
}

const decode = (data: Hex) => decodeFunctionData({ abi: bridgeAbi, data })

type Decoded = ReturnType<typeof decode>
type Deposit = Extract<Decoded, { readonly functionName: "depositV3" }>["args"]
type SwapAndDeposit = Extract<Decoded, { readonly functionName: "swapAndBridge" }>["args"][0]

const readDeposit = (args: Deposit): BridgeCall | undefined =>
  // A message would give the call a meaning that is not shown.
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

/** Addresses of the destination chain are words there, and might be no addresses. */
const isAddressWord = (word: Hex): boolean => padHex(sliceHex(word, 12), { size: 32 }) === word

const addressOf = (word: Hex): Address => getAddress(sliceHex(word, 12))

const readSwapAndDeposit = ({ depositData, ...data }: SwapAndDeposit): BridgeCall | undefined => {
  const isPlain =
    data.submissionFees.amount === 0n &&
    data.submissionFees.recipient === zeroAddress &&
    // The exchange is approved for the input and pulls it.
    data.transferType === 0 &&
    // Otherwise what the swap yields beyond its least would be the relayer's.
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

/** The deposit that the calldata makes; undefined for anything that is not exactly such a call. */
export const readBridgeCall = (calldata: Hex): BridgeCall | undefined => {
  const data: Hex = `0x${calldata.slice(2).toLowerCase()}`
  try {
    const call = decode(data)
    // Bytes that the arguments do not account for would have a meaning that is not shown.
    if (encodeFunctionData({ abi: bridgeAbi, ...call }) !== data) return undefined
    return call.functionName === "depositV3" ? readDeposit(call.args) : readSwapAndDeposit(call.args[0])
  } catch {
    return undefined
  }
}
