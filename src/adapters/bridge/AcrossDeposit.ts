/** Codecs of an Across deposit: its calldata, the event that records it, and the fill of it. */
import { Option } from "effect"
import {
  decodeEventLog,
  decodeFunctionData,
  encodeAbiParameters,
  encodeEventTopics,
  encodeFunctionData,
  keccak256,
  numberToHex,
  padHex,
  prepareEncodeFunctionData,
  zeroHash
} from "viem"
import * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Hash, Hex } from "../../domain/Hex.ts"
import type { Log } from "../../ports/shared/Chains.ts"
import * as AcrossPurchase from "./AcrossPurchase.ts"
import { relayDataAbi, spokePoolAbi } from "./spokePoolAbi.ts"

/** Arguments of `SpokePool.depositV3`. */
export interface AcrossDeposit {
  readonly depositor: Address.Address
  readonly recipient: Address.Address
  readonly inputToken: Address.Address
  readonly outputToken: Address.Address
  readonly inputAmount: bigint
  readonly outputAmount: bigint
  readonly destinationChainId: bigint
  /** The zero address if any relayer may fill immediately. */
  readonly exclusiveRelayer: Address.Address
  /** UNIX seconds on the source chain. Must be recent when the deposit is included. */
  readonly quoteTimestamp: number
  /** UNIX seconds on the destination chain. No relayer can fill later. */
  readonly fillDeadline: number
  /** Seconds after the deposit in which only the exclusive relayer may fill. */
  readonly exclusivityParameter: number
  /** Swap on arrival (AcrossPurchase). Default: no message. */
  readonly message?: Hex
}

/** The message of a deposit, which is empty by default. */
export const messageOf = ({ message = "0x" }: Pick<AcrossDeposit, "message">): Hex => message

/** The message as a member of a deposit. Throws for a message that is not a purchase. */
export const withMessage = (message: Hex): Pick<AcrossDeposit, "message"> => {
  if (message === "0x") return {}
  if (Option.isNone(AcrossPurchase.decode(message))) throw new Error("another message")
  return { message }
}

/**
 * Maximum exclusivity of one relayer in seconds. The contract also accepts a point in time far in the future, which would
 * lock the owner's tokens until the deadline.
 */
export const MAX_EXCLUSIVITY_SECONDS = 120

/** True if both relayer and exclusivity are absent, or both are set and the exclusivity is short. */
export const isExclusivityBounded = (relayer: Address.Address, seconds: number): boolean =>
  Address.isZero(relayer) ? seconds === 0 : seconds > 0 && seconds <= MAX_EXCLUSIVITY_SECONDS

// With its selector, which viem would hash for every call.
const DEPOSIT = prepareEncodeFunctionData({ abi: spokePoolAbi, functionName: "depositV3" })

export const encode = (deposit: AcrossDeposit): Hex =>
  encodeFunctionData({
    ...DEPOSIT,
    args: [
      deposit.depositor,
      deposit.recipient,
      deposit.inputToken,
      deposit.outputToken,
      deposit.inputAmount,
      deposit.outputAmount,
      deposit.destinationChainId,
      deposit.exclusiveRelayer,
      deposit.quoteTimestamp,
      deposit.fillDeadline,
      deposit.exclusivityParameter,
      messageOf(deposit)
    ]
  })

/** viem throws if the calldata does not match, and if a number is out of the range that the contract accepts. */
const decodeExactly = Option.liftThrowable((calldata: Hex): AcrossDeposit => {
  const { args, functionName } = decodeFunctionData({ abi: spokePoolAbi, data: calldata })
  if (functionName !== "depositV3") throw new Error("another function")
  const deposit = {
    depositor: Address.of(args[0]),
    recipient: Address.of(args[1]),
    inputToken: Address.of(args[2]),
    outputToken: Address.of(args[3]),
    inputAmount: args[4],
    outputAmount: args[5],
    destinationChainId: args[6],
    exclusiveRelayer: Address.of(args[7]),
    quoteTimestamp: args[8],
    fillDeadline: args[9],
    exclusivityParameter: args[10],
    ...withMessage(args[11])
  }
  if (encode(deposit) !== calldata) throw new Error("not canonical")
  return deposit
})

/**
 * Decodes a deposit. None unless {@link encode} produces exactly the same bytes, so the calldata has no message but a
 * purchase, no trailing bytes and no other interpretation.
 */
export const decode = (calldata: Hex): Option.Option<AcrossDeposit> =>
  // Bytes are compared as lower-case text.
  decodeExactly(`0x${calldata.slice(2).toLowerCase()}`)

/** A deposit on chain, as relayers read it. */
export interface Relay {
  readonly originChainId: ChainId
  readonly destinationChainId: bigint
  readonly depositId: bigint
  readonly deposit: AcrossDeposit
  /** UNIX seconds. 0 without exclusivity. */
  readonly exclusivityDeadline: number
}

const word = (address: Address.Address): Hex => padHex(address, { size: 32 }).toLowerCase() as Hex

const [FUNDS_DEPOSITED] = encodeEventTopics({ abi: spokePoolAbi, eventName: "FundsDeposited" })
const [FILLED_RELAY] = encodeEventTopics({ abi: spokePoolAbi, eventName: "FilledRelay" })

/** None for a log of another event. viem throws for topics and data that do not match. */
const decodeDeposited = Option.liftThrowable(
  ({ data, topics: [signature = zeroHash, ...indexed] }: Log) =>
    decodeEventLog({ abi: spokePoolAbi, eventName: "FundsDeposited", topics: [signature, ...indexed], data }).args
)

const decodeFilled = Option.liftThrowable(
  ({ data, topics: [signature = zeroHash, ...indexed] }: Log) =>
    decodeEventLog({ abi: spokePoolAbi, eventName: "FilledRelay", topics: [signature, ...indexed], data }).args
)

/**
 * The last deposit in the logs of `spokePool` that equals `expected` of its input amount. Deposits of two orders of one owner may be
 * equal, and an order's deposit is the last before its settlement.
 */
export const findDeposited = (
  logs: ReadonlyArray<Log>,
  spokePool: Address.Address,
  originChainId: ChainId,
  expected: (inputAmount: bigint) => Option.Option<AcrossDeposit>
): Option.Option<Relay> => {
  for (const log of logs.toReversed()) {
    if (log.address !== spokePool || log.topics[0]?.toLowerCase() !== FUNDS_DEPOSITED) continue
    const event = Option.getOrUndefined(decodeDeposited(log))
    if (event === undefined) continue
    const deposit = Option.getOrUndefined(expected(event.inputAmount))
    if (
      deposit !== undefined &&
      event.depositor === word(deposit.depositor) &&
      event.recipient === word(deposit.recipient) &&
      event.inputToken === word(deposit.inputToken) &&
      event.outputToken === word(deposit.outputToken) &&
      event.outputAmount === deposit.outputAmount &&
      event.destinationChainId === deposit.destinationChainId &&
      event.exclusiveRelayer === word(deposit.exclusiveRelayer) &&
      event.quoteTimestamp === deposit.quoteTimestamp &&
      event.fillDeadline === deposit.fillDeadline &&
      event.message === messageOf(deposit)
    ) {
      const { depositId, destinationChainId, exclusivityDeadline } = event
      return Option.some({ originChainId, destinationChainId, depositId, deposit, exclusivityDeadline })
    }
  }
  return Option.none()
}

/** Key of `fillStatuses`: keccak256(abi.encode(relayData, destinationChainId)). */
export const relayHash = ({
  deposit,
  depositId,
  destinationChainId,
  exclusivityDeadline,
  originChainId
}: Relay): Hash =>
  keccak256(
    encodeAbiParameters(
      [relayDataAbi, { type: "uint256" }],
      [
        {
          depositor: word(deposit.depositor),
          recipient: word(deposit.recipient),
          exclusiveRelayer: word(deposit.exclusiveRelayer),
          inputToken: word(deposit.inputToken),
          outputToken: word(deposit.outputToken),
          inputAmount: deposit.inputAmount,
          outputAmount: deposit.outputAmount,
          originChainId: BigInt(originChainId),
          depositId,
          fillDeadline: deposit.fillDeadline,
          exclusivityDeadline,
          message: messageOf(deposit)
        },
        destinationChainId
      ]
    )
  )

/** The hash of an empty message is zero (`SpokePool._hashNonEmptyMessage`). */
const messageHash = ({ message }: AcrossDeposit): Hash => (message === undefined ? zeroHash : keccak256(message))

/** Topics of the fills that claim this deposit. */
export const filledTopics = (relay: Relay): readonly [Hash, Hash, Hash] => [
  FILLED_RELAY,
  numberToHex(relay.originChainId, { size: 32 }),
  numberToHex(relay.depositId, { size: 32 })
]

/**
 * Amount that a fill of exactly this deposit paid out. None for any other log. Anyone may fill a forged relay with the same
 * deposit id, so every field of the relay is compared. The amount differs from the deposit's only if the depositor signed
 * for it (`speedUpDeposit`).
 */
export const filledAmount = (log: Log, spokePool: Address.Address, relay: Relay): Option.Option<bigint> => {
  if (log.address !== spokePool || log.topics[0]?.toLowerCase() !== FILLED_RELAY) return Option.none()
  const { deposit } = relay
  return Option.map(
    Option.filter(
      decodeFilled(log),
      (event) =>
        event.originChainId === BigInt(relay.originChainId) &&
        event.depositId === relay.depositId &&
        event.depositor === word(deposit.depositor) &&
        event.recipient === word(deposit.recipient) &&
        event.inputToken === word(deposit.inputToken) &&
        event.outputToken === word(deposit.outputToken) &&
        event.inputAmount === deposit.inputAmount &&
        event.outputAmount === deposit.outputAmount &&
        event.exclusiveRelayer === word(deposit.exclusiveRelayer) &&
        event.fillDeadline === deposit.fillDeadline &&
        event.exclusivityDeadline === relay.exclusivityDeadline &&
        event.messageHash === messageHash(deposit)
    ),
    (event) => event.relayExecutionInfo.updatedOutputAmount
  )
}
