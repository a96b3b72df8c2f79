/** An Across deposit as calldata, as the event that records it, and as the fill that answers it. Pure. */
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
  zeroHash
} from "viem"
import * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Hash, Hex } from "../../domain/Hex.ts"
import type { Log } from "../../ports/shared/Chains.ts"
import { relayDataAbi, spokePoolAbi } from "./spokePoolAbi.ts"

/** The arguments of `SpokePool.depositV3`, without the message, which is always empty. */
export interface AcrossDeposit {
  readonly depositor: Address.Address
  readonly recipient: Address.Address
  readonly inputToken: Address.Address
  readonly outputToken: Address.Address
  readonly inputAmount: bigint
  readonly outputAmount: bigint
  readonly destinationChainId: bigint
  /** The zero address when any relayer may fill at once. */
  readonly exclusiveRelayer: Address.Address
  /** UNIX seconds on the source chain; must be recent when the deposit is included. */
  readonly quoteTimestamp: number
  /** UNIX seconds on the destination chain, after which no relayer can fill. */
  readonly fillDeadline: number
  /** Seconds from the deposit for which only the exclusive relayer may fill. */
  readonly exclusivityParameter: number
}

/**
 * The longest that one relayer may have a deposit to itself. The contract also takes a point in time far in the future, which
 * would hold the owner's money back until the deadline.
 */
export const MAX_EXCLUSIVITY_SECONDS = 120

/** Exclusivity needs a relayer, a relayer needs exclusivity, and it is short. */
export const isExclusivityBounded = (relayer: Address.Address, seconds: number): boolean =>
  Address.isZero(relayer) ? seconds === 0 : seconds > 0 && seconds <= MAX_EXCLUSIVITY_SECONDS

export const encode = (deposit: AcrossDeposit): Hex =>
  encodeFunctionData({
    abi: spokePoolAbi,
    functionName: "depositV3",
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
      "0x"
    ]
  })

/** viem throws where the calldata does not fit, and again where it held numbers that the contract would refuse. */
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
    exclusivityParameter: args[10]
  }
  if (encode(deposit) !== calldata) throw new Error("not canonical")
  return deposit
})

/**
 * Reads a deposit back. None unless the calldata is byte for byte what {@link encode} writes for it: so it holds no message,
 * no trailing bytes and no second meaning.
 */
export const decode = (calldata: Hex): Option.Option<AcrossDeposit> =>
  // Bytes are compared as text, by viem too.
  decodeExactly(`0x${calldata.slice(2).toLowerCase()}`)

/** A deposit that was made, as relayers see it. */
export interface Relay {
  readonly originChainId: ChainId
  readonly destinationChainId: bigint
  readonly depositId: bigint
  readonly deposit: AcrossDeposit
  /** UNIX seconds; 0 without exclusivity. */
  readonly exclusivityDeadline: number
}

const word = (address: Address.Address): Hex => padHex(address, { size: 32 }).toLowerCase() as Hex

const [FUNDS_DEPOSITED] = encodeEventTopics({ abi: spokePoolAbi, eventName: "FundsDeposited" })
const [FILLED_RELAY] = encodeEventTopics({ abi: spokePoolAbi, eventName: "FilledRelay" })

/** Topics and data that do not fit the event are a foreign event and no reason to fail: viem throws for them. */
const decodeDeposited = Option.liftThrowable(
  ({ data, topics: [signature = zeroHash, ...indexed] }: Log) =>
    decodeEventLog({ abi: spokePoolAbi, eventName: "FundsDeposited", topics: [signature, ...indexed], data }).args
)

const decodeFilled = Option.liftThrowable(
  ({ data, topics: [signature = zeroHash, ...indexed] }: Log) =>
    decodeEventLog({ abi: spokePoolAbi, eventName: "FilledRelay", topics: [signature, ...indexed], data }).args
)

/** The first log by which `spokePool` records exactly the deposit that `expected` tells for its input amount. */
export const findDeposited = (
  logs: ReadonlyArray<Log>,
  spokePool: Address.Address,
  originChainId: ChainId,
  expected: (inputAmount: bigint) => Option.Option<AcrossDeposit>
): Option.Option<Relay> => {
  for (const log of logs) {
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
      event.message === "0x"
    ) {
      const { depositId, destinationChainId, exclusivityDeadline } = event
      return Option.some({ originChainId, destinationChainId, depositId, deposit, exclusivityDeadline })
    }
  }
  return Option.none()
}

/** keccak256(abi.encode(relayData, destinationChainId)): the key of `fillStatuses`. */
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
          message: "0x"
        },
        destinationChainId
      ]
    )
  )

/** What to ask a node for: fills that claim to answer this deposit. */
export const filledTopics = (relay: Relay): readonly [Hash, Hash, Hash] => [
  FILLED_RELAY,
  numberToHex(relay.originChainId, { size: 32 }),
  numberToHex(relay.depositId, { size: 32 })
]

/**
 * The amount that a fill of exactly this deposit paid out; none for any other log. Anyone may fill a made-up relay with the
 * same deposit id, so every field of the relay is compared. The amount can differ from the deposit's only if the depositor
 * signed for that (`speedUpDeposit`).
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
        // The hash of an empty message is zero (`SpokePool._hashNonEmptyMessage`).
        event.messageHash === zeroHash
    ),
    (event) => event.relayExecutionInfo.updatedOutputAmount
  )
}
