/**
 * Decodes the bridge call of an order across chains. Such an order has no minimum of its own, since the delegate cannot see the
 * other chain: amount, token and recipient stand in `swapCalldata` alone.
 */
import type { DecodeFunctionDataReturnType } from "viem"
import { getAddress, padHex, parseAbi, sliceHex, zeroAddress } from "../core/Viem.ts"
import type { Address } from "../model/Address.ts"
import type { Hex } from "../model/Hex.ts"
import { decodeExactly } from "./Calldata.ts"

/**
 * Across's `SpokePool.depositV3`, and `SpokePoolPeriphery.swapAndBridge`, which swaps and deposits the proceeds. Members have no names,
 * which would make the client larger.
 */
const bridgeAbi = parseAbi([
  "function depositV3(address,address,address,address,uint256,uint256,uint256,address,uint32,uint32,uint32,bytes)",
  "function swapAndBridge(((uint256,address),(address,bytes32,uint256,address,bytes32,uint256,bytes32,uint32,uint32,uint32,bytes),address,address,uint8,uint256,uint256,bytes,bool,address,uint256))"
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
  /** UNIX seconds of the destination chain until which the deposit can be filled. The refund comes after that. */
  readonly fillDeadline: number
  /** Relayer that alone may fill at first. The zero address if any may. */
  readonly exclusiveRelayer: Address
  /** Seconds after the deposit, or UNIX seconds, until which only that relayer may fill. */
  readonly exclusivity: number
  /** Message that the recipient carries out, such as a swap on arrival. Absent if the recipient gets the output as it is. */
  readonly message?: Hex
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

type Decoded = DecodeFunctionDataReturnType<typeof bridgeAbi>
type Deposit = Extract<Decoded, { readonly functionName: "depositV3" }>["args"]
type SwapAndDeposit = Extract<Decoded, { readonly functionName: "swapAndBridge" }>["args"][0]

/** A message makes the bridge call the recipient. Calls with one are read only for a review that understands it. */
const withMessage = (message: Hex, call: BridgeCall, allowed: boolean): BridgeCall | undefined =>
  message === "0x" ? call : allowed ? { ...call, message } : undefined

const readDeposit = (
  [
    depositor,
    recipient,
    inputToken,
    outputToken,
    inputAmount,
    outputAmount,
    destChainId,
    exclusiveRelayer,
    _quoteTimestamp,
    fillDeadline,
    exclusivity,
    message
  ]: Deposit,
  allowed: boolean
): BridgeCall | undefined =>
  withMessage(
    message,
    {
      depositor,
      recipient,
      inputToken,
      outputToken,
      inputAmount,
      outputAmount,
      destChainId,
      exclusiveRelayer,
      fillDeadline,
      exclusivity
    },
    allowed
  )

/** The periphery takes addresses of the destination chain as 32-byte words, whose upper 12 bytes may be set. */
const isAddressWord = (word: Hex): boolean => padHex(sliceHex(word, 12), { size: 32 }) === word

const addressOf = (word: Hex): Address => getAddress(sliceHex(word, 12))

const readSwapAndDeposit = (
  [
    [fee, feeRecipient],
    deposit,
    swapToken,
    _exchange,
    transferType,
    swapAmount,
    minAmount,
    _routerCalldata,
    isProportional,
    spokePool,
    nonce
  ]: SwapAndDeposit,
  allowed: boolean
): BridgeCall | undefined => {
  const [
    token,
    outputToken,
    outputAmount,
    depositor,
    recipient,
    destChainId,
    relayer,
    _,
    fillDeadline,
    exclusivity,
    message
  ] = deposit
  const isPlain =
    fee === 0n &&
    feeRecipient === zeroAddress &&
    // 0: the exchange is approved for the input and pulls it.
    transferType === 0 &&
    // Otherwise the relayer would keep the proceeds above the least amount.
    isProportional &&
    nonce === 0n &&
    [recipient, outputToken, relayer].every(isAddressWord)
  return isPlain
    ? withMessage(
        message,
        {
          depositor,
          recipient: addressOf(recipient),
          inputToken: swapToken,
          outputToken: addressOf(outputToken),
          inputAmount: swapAmount,
          outputAmount,
          destChainId,
          exclusiveRelayer: addressOf(relayer),
          fillDeadline,
          exclusivity,
          via: { token, minAmount, spokePool }
        },
        allowed
      )
    : undefined
}

/**
 * Decodes the calldata of an order across chains. Returns undefined for anything but a plain deposit, or a plain swap and deposit. With
 * `messages`, either may have a message.
 *
 * @example
 * const call = readBridgeCall(offer.order.swapCalldata)
 * if (call !== undefined) console.log(`${call.outputAmount} to ${call.recipient} on chain ${call.destChainId}`)
 */
export const readBridgeCall = (calldata: Hex, messages = false): BridgeCall | undefined => {
  const call = decodeExactly(bridgeAbi, calldata)
  if (call === undefined) return undefined
  return call.functionName === "depositV3"
    ? readDeposit(call.args, messages)
    : readSwapAndDeposit(call.args[0], messages)
}
