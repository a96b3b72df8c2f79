/**
 * Codecs of the call of a cross-chain order. It calls Across's SpokePool with a deposit or, for a token that the bridge does
 * not carry, the SpokePoolPeriphery, which swaps first and deposits the output of the swap.
 */
import { Option } from "effect"
import { decodeFunctionData, encodeFunctionData, padHex, prepareEncodeFunctionData, sliceHex, zeroAddress } from "viem"
import * as Address from "../../domain/Address.ts"
import type { Chain } from "../../domain/Chain.ts"
import type { Hex } from "../../domain/Hex.ts"
import * as AcrossDeposit from "./AcrossDeposit.ts"
import { spokePoolPeripheryAbi } from "./spokePoolPeripheryAbi.ts"

/** A swap before the deposit. For any `exchange`, the periphery deposits at least the deposit's amount or reverts. */
export interface AcrossSwap {
  readonly tokenIn: Address.Address
  readonly amountIn: bigint
  /** Contract that the periphery's proxy approves for the input and calls. The output must go to the proxy. */
  readonly exchange: Address.Address
  readonly calldata: Hex
}

export interface AcrossCall {
  /** After a swap, the minimum: output of the swap above `inputAmount` raises `outputAmount` in proportion. */
  readonly deposit: AcrossDeposit.AcrossDeposit
  readonly swap?: AcrossSwap
}

/** A call with the pool that it deposits into. */
export interface SignedCall {
  readonly call: AcrossCall
  readonly spokePool: Address.Address
}

type Contracts = Pick<Chain, "spokePool" | "spokePoolPeriphery">

/** `TransferType.Approval`: the exchange pulls its input. */
const BY_APPROVAL = 0

const word = (address: Address.Address): Hex => padHex(address, { size: 32 }).toLowerCase() as Hex

const unpadded = (padded: Hex): Address.Address => Address.of(sliceHex(padded, 12))

// With its selector, which viem would hash for every call.
const SWAP_AND_BRIDGE = prepareEncodeFunctionData({ abi: spokePoolPeripheryAbi, functionName: "swapAndBridge" })

/** `SpokePoolPeriphery.swapAndBridge`. */
export const encodeSwap = (spokePool: Address.Address, deposit: AcrossDeposit.AcrossDeposit, swap: AcrossSwap): Hex =>
  encodeFunctionData({
    ...SWAP_AND_BRIDGE,
    args: [
      {
        submissionFees: { amount: 0n, recipient: zeroAddress },
        depositData: {
          inputToken: deposit.inputToken,
          outputToken: word(deposit.outputToken),
          outputAmount: deposit.outputAmount,
          depositor: deposit.depositor,
          recipient: word(deposit.recipient),
          destinationChainId: deposit.destinationChainId,
          exclusiveRelayer: word(deposit.exclusiveRelayer),
          quoteTimestamp: deposit.quoteTimestamp,
          fillDeadline: deposit.fillDeadline,
          exclusivityParameter: deposit.exclusivityParameter,
          message: AcrossDeposit.messageOf(deposit)
        },
        swapToken: swap.tokenIn,
        exchange: swap.exchange,
        transferType: BY_APPROVAL,
        swapTokenAmount: swap.amountIn,
        minExpectedInputTokenAmount: deposit.inputAmount,
        routerCalldata: swap.calldata,
        enableProportionalAdjustment: true,
        spokePool,
        nonce: 0n
      }
    ]
  })

/** viem throws if the calldata does not match, and if a number is out of the range that the contract accepts. */
const decodeSwapExactly = Option.liftThrowable((calldata: Hex): SignedCall => {
  const { args, functionName } = decodeFunctionData({ abi: spokePoolPeripheryAbi, data: calldata })
  if (functionName !== "swapAndBridge") throw new Error("another function")
  const [{ depositData, ...data }] = args
  const deposit = {
    depositor: Address.of(depositData.depositor),
    recipient: unpadded(depositData.recipient),
    inputToken: Address.of(depositData.inputToken),
    outputToken: unpadded(depositData.outputToken),
    inputAmount: data.minExpectedInputTokenAmount,
    outputAmount: depositData.outputAmount,
    destinationChainId: depositData.destinationChainId,
    exclusiveRelayer: unpadded(depositData.exclusiveRelayer),
    quoteTimestamp: depositData.quoteTimestamp,
    fillDeadline: depositData.fillDeadline,
    exclusivityParameter: depositData.exclusivityParameter,
    ...AcrossDeposit.withMessage(depositData.message)
  }
  const swap = {
    tokenIn: Address.of(data.swapToken),
    amountIn: data.swapTokenAmount,
    exchange: Address.of(data.exchange),
    calldata: data.routerCalldata
  }
  const spokePool = Address.of(data.spokePool)
  if (encodeSwap(spokePool, deposit, swap) !== calldata) throw new Error("not canonical")
  return { call: { deposit, swap }, spokePool }
})

/**
 * Decodes a call that was checked by {@link decode} when its order was accepted. The chain's contracts may have changed since. None
 * unless `AcrossDeposit.encode` or {@link encodeSwap} produces exactly the same bytes.
 */
export const decodeSigned = (target: Address.Address, calldata: Hex): Option.Option<SignedCall> => {
  const bytes: Hex = `0x${calldata.slice(2).toLowerCase()}`
  return bytes.startsWith(SWAP_AND_BRIDGE.functionName)
    ? decodeSwapExactly(bytes)
    : Option.map(AcrossDeposit.decode(bytes), (deposit) => ({ call: { deposit }, spokePool: target }))
}

/**
 * Decodes a call of the chain's contracts. None unless `AcrossDeposit.encode` or {@link encodeSwap} produces exactly the same bytes,
 * so the calldata has no message but a purchase, no fee, no other pool and no other interpretation.
 */
export const decode = (
  { spokePool, spokePoolPeriphery }: Contracts,
  target: Address.Address,
  calldata: Hex
): Option.Option<AcrossCall> =>
  decodeSigned(target, calldata).pipe(
    Option.filter(
      (signed) =>
        signed.spokePool === spokePool && target === (signed.call.swap === undefined ? spokePool : spokePoolPeriphery)
    ),
    Option.map(({ call }) => call)
  )

/** Output amount for a deposit of `inputAmount`, rounded down as the periphery computes it (`_swapAndBridge`). */
export const outputAmount = (least: AcrossDeposit.AcrossDeposit, inputAmount: bigint): bigint =>
  (least.outputAmount * inputAmount) / least.inputAmount

/** The deposit of the call if `inputAmount` reaches the pool. None if that amount is impossible. */
export const depositMade = (
  { deposit, swap }: AcrossCall,
  inputAmount: bigint
): Option.Option<AcrossDeposit.AcrossDeposit> => {
  if (inputAmount === deposit.inputAmount) return Option.some(deposit)
  return swap === undefined || inputAmount < deposit.inputAmount || deposit.inputAmount === 0n
    ? Option.none()
    : Option.some({ ...deposit, inputAmount, outputAmount: outputAmount(deposit, inputAmount) })
}
