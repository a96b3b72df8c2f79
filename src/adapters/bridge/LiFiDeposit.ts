/**
 * Reads bridge calls of LI.FI's diamond. Only the call that makes one deposit into Across is read, without a swap and without a message:
 * it is turned into the deposit that it makes, so that Across's own checks and proofs hold for it.
 */
import { Option } from "effect"
import { encodeFunctionData, getAbiItem, padHex, parseAbi, toFunctionSelector } from "viem"
import * as Address from "../../domain/Address.ts"
import type { Hex } from "../../domain/Hex.ts"
import * as ExactCalldata from "../swap/ExactCalldata.ts"
import type { AcrossDeposit } from "./AcrossDeposit.ts"

/** `AcrossFacetV4` of lifinance/contracts, version 1.0.0. */
const abi = parseAbi([
  "struct BridgeData { bytes32 transactionId; string bridge; string integrator; address referrer; address sendingAssetId; address receiver; uint256 minAmount; uint256 destinationChainId; bool hasSourceSwaps; bool hasDestinationCall; }",
  "struct AcrossV4Data { bytes32 receiverAddress; bytes32 refundAddress; bytes32 sendingAssetId; bytes32 receivingAssetId; uint256 outputAmount; uint128 outputAmountMultiplier; bytes32 exclusiveRelayer; uint32 quoteTimestamp; uint32 fillDeadline; uint32 exclusivityParameter; bytes message; }",
  "function startBridgeTokensViaAcrossV4(BridgeData bridgeData, AcrossV4Data acrossData) payable"
])

/** Bytes in which such a call begins. */
export const SELECTOR: Hex = toFunctionSelector(getAbiItem({ abi, name: "startBridgeTokensViaAcrossV4" }))

const word = (address: Address.Address): Hex => padHex(address, { size: 32 })

/** The address in a word. None if the word is more than an address. */
const addressIn = (value: Hex): Option.Option<Address.Address> =>
  /^0x0{24}/.test(value) ? Option.some(Address.of(`0x${value.slice(26)}`)) : Option.none()

/** The deposit of a call. None for any other calldata. */
export const decode = (calldata: Hex): Option.Option<AcrossDeposit> => {
  const call = ExactCalldata.decode(abi, calldata)
  if (call === undefined) return Option.none()
  const [bridge, across] = call.args
  if (bridge.hasSourceSwaps || bridge.hasDestinationCall || across.message !== "0x") return Option.none()
  const addresses = Option.all({
    recipient: addressIn(across.receiverAddress),
    depositor: addressIn(across.refundAddress),
    inputToken: addressIn(across.sendingAssetId),
    outputToken: addressIn(across.receivingAssetId),
    exclusiveRelayer: addressIn(across.exclusiveRelayer)
  })
  return addresses.pipe(
    // The diamond reverts if its two recipients differ.
    Option.filter(({ recipient }) => recipient === Address.of(bridge.receiver) && !Address.isZero(recipient)),
    // It takes one token and deposits the other, which may be a token that it still has of somebody else.
    Option.filter(({ inputToken }) => inputToken === Address.of(bridge.sendingAssetId)),
    Option.map(({ depositor, exclusiveRelayer, inputToken, outputToken, recipient }) => ({
      depositor,
      recipient,
      inputToken,
      outputToken,
      inputAmount: bridge.minAmount,
      outputAmount: across.outputAmount,
      destinationChainId: bridge.destinationChainId,
      exclusiveRelayer,
      quoteTimestamp: across.quoteTimestamp,
      fillDeadline: across.fillDeadline,
      exclusivityParameter: across.exclusivityParameter
    }))
  )
}

/** Members of a call that do not change its deposit. */
export interface CallNames {
  readonly transactionId: Hex
  readonly integrator: string
}

/** The call that makes a deposit, as LI.FI returns it. For stubs. */
export const encode = (
  deposit: AcrossDeposit,
  { integrator, transactionId }: CallNames,
  flags: {
    readonly hasSourceSwaps?: boolean
    readonly hasDestinationCall?: boolean
    readonly message?: Hex
    /** Token that the diamond deposits. Default: the one that it takes. */
    readonly deposited?: Address.Address
  } = {}
): Hex =>
  encodeFunctionData({
    abi,
    functionName: "startBridgeTokensViaAcrossV4",
    args: [
      {
        transactionId,
        bridge: "across",
        integrator,
        referrer: Address.zero,
        sendingAssetId: deposit.inputToken,
        receiver: deposit.recipient,
        minAmount: deposit.inputAmount,
        destinationChainId: deposit.destinationChainId,
        hasSourceSwaps: flags.hasSourceSwaps ?? false,
        hasDestinationCall: flags.hasDestinationCall ?? false
      },
      {
        receiverAddress: word(deposit.recipient),
        refundAddress: word(deposit.depositor),
        sendingAssetId: word(flags.deposited ?? deposit.inputToken),
        receivingAssetId: word(deposit.outputToken),
        outputAmount: deposit.outputAmount,
        outputAmountMultiplier: 10n ** 30n,
        exclusiveRelayer: word(deposit.exclusiveRelayer),
        quoteTimestamp: deposit.quoteTimestamp,
        fillDeadline: deposit.fillDeadline,
        exclusivityParameter: deposit.exclusivityParameter,
        message: flags.message ?? "0x"
      }
    ]
  })
