/**
 * What a cross-chain order calls: Across's SpokePool with a deposit or, for a token that the bridge does not carry to what is
 * wanted, its SpokePoolPeriphery, which swaps first and deposits what the swap yields. Pure.
 */
import { Option } from "effect"
import { decodeFunctionData, encodeFunctionData, padHex, sliceHex, zeroAddress } from "viem"
import * as Address from "../../domain/Address.ts"
import type { Chain } from "../../domain/Chain.ts"
import type { Hex } from "../../domain/Hex.ts"
import * as AcrossDeposit from "./AcrossDeposit.ts"
import { spokePoolPeripheryAbi } from "./spokePoolPeripheryAbi.ts"

/** A swap before the deposit. Whatever `exchange` is, the periphery deposits no less than the deposit's amount, or reverts. */
export interface AcrossSwap {
  readonly tokenIn: Address.Address
  readonly amountIn: bigint
  /** Approved for the input and called by the periphery's proxy, to which the output has to go. */
  readonly exchange: Address.Address
  readonly calldata: Hex
}

export interface AcrossCall {
  /** After a swap the least: what it yields beyond `inputAmount` raises `outputAmount` in proportion. */
  readonly deposit: AcrossDeposit.AcrossDeposit
  readonly swap?: AcrossSwap
}

type Contracts = Pick<Chain, "spokePool" | "spokePoolPeriphery">

/** `TransferType.Approval`: the exchange pulls its input. */
const BY_APPROVAL = 0

const word = (address: Address.Address): Hex => padHex(address, { size: 32 }).toLowerCase() as Hex

const unpadded = (padded: Hex): Address.Address => Address.of(sliceHex(padded, 12))

/** `SpokePoolPeriphery.swapAndBridge`. */
export const encodeSwap = (spokePool: Address.Address, deposit: AcrossDeposit.AcrossDeposit, swap: AcrossSwap): Hex =>
  encodeFunctionData({
    abi: spokePoolPeripheryAbi,
    functionName: "swapAndBridge",
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
          message: "0x"
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

/** viem throws where the calldata does not fit, and again where it held numbers that the contract would refuse. */
const decodeSwapExactly = Option.liftThrowable((spokePool: Address.Address, calldata: Hex): AcrossCall => {
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
    exclusivityParameter: depositData.exclusivityParameter
  }
  const swap = {
    tokenIn: Address.of(data.swapToken),
    amountIn: data.swapTokenAmount,
    exchange: Address.of(data.exchange),
    calldata: data.routerCalldata
  }
  if (encodeSwap(spokePool, deposit, swap) !== calldata) throw new Error("not canonical")
  return { deposit, swap }
})

/**
 * Reads a call back. None unless the calldata is byte for byte what `AcrossDeposit.encode` or {@link encodeSwap} writes for it:
 * so it holds no message, no fee, no other pool and no second meaning.
 */
export const decode = (
  { spokePool, spokePoolPeriphery }: Contracts,
  target: Address.Address,
  calldata: Hex
): Option.Option<AcrossCall> => {
  if (spokePool === undefined) return Option.none()
  if (target === spokePool) return Option.map(AcrossDeposit.decode(calldata), (deposit) => ({ deposit }))
  return target === spokePoolPeriphery
    ? decodeSwapExactly(spokePool, `0x${calldata.slice(2).toLowerCase()}`)
    : Option.none()
}

/** What is paid out when `inputAmount` is deposited, as the periphery computes it (`_swapAndBridge`): rounded down. */
export const outputAmount = (least: AcrossDeposit.AcrossDeposit, inputAmount: bigint): bigint =>
  (least.outputAmount * inputAmount) / least.inputAmount

/** The deposit that the call makes when `inputAmount` reaches the pool; none where it cannot be that amount. */
export const depositMade = (
  { deposit, swap }: AcrossCall,
  inputAmount: bigint
): Option.Option<AcrossDeposit.AcrossDeposit> => {
  if (inputAmount === deposit.inputAmount) return Option.some(deposit)
  return swap === undefined || inputAmount < deposit.inputAmount || deposit.inputAmount === 0n
    ? Option.none()
    : Option.some({ ...deposit, inputAmount, outputAmount: outputAmount(deposit, inputAmount) })
}
