/**
 * The message of a burn, as Circle's MessageTransmitterV2 sends it on the source chain, and the logs of its mint on the destination. Circle
 * fills in four fields when it attests: the nonce, the finality, the fee and the last block. All others are those of the burn.
 */
import { Option } from "effect"
import {
  concatHex,
  decodeAbiParameters,
  decodeEventLog,
  encodeEventTopics,
  type Hex as ViemHex,
  numberToHex,
  parseAbi,
  parseAbiParameters,
  size,
  sliceHex,
  zeroHash
} from "viem"
import * as Address from "../../domain/Address.ts"
import type { Hash, Hex } from "../../domain/Hex.ts"
import type { Log } from "../../ports/shared/Chains.ts"
import * as CctpDeposit from "./CctpDeposit.ts"

/** The contracts and numbers between which a message goes. */
export interface Ends {
  /** Circle's numbers of the chains. */
  readonly sourceDomain: number
  readonly destinationDomain: number
  readonly messenger: Address.Address
  readonly transmitter: Address.Address
  readonly destinationMessenger: Address.Address
  readonly destinationTransmitter: Address.Address
}

const abi = parseAbi([
  "event MessageSent(bytes message)",
  "event MessageReceived(address indexed caller, uint32 sourceDomain, bytes32 indexed nonce, bytes32 sender, uint32 indexed finalityThresholdExecuted, bytes messageBody)",
  "event MintAndWithdraw(address indexed mintRecipient, uint256 amount, address indexed mintToken, uint256 feeCollected)"
])

const [SENT] = encodeEventTopics({ abi, eventName: "MessageSent" })
const [RECEIVED = zeroHash] = encodeEventTopics({ abi, eventName: "MessageReceived" })
const [MINTED] = encodeEventTopics({ abi, eventName: "MintAndWithdraw" })

/** Versions of the message and of its body. */
const VERSION = 1

const number = (value: number): Hex => numberToHex(value, { size: 4 })
const amount = (value: bigint): Hex => numberToHex(value, { size: 32 })

const EMPTY: Hex = numberToHex(0, { size: 64 })

/** The message of a deposit before Circle attests to it. */
export const of = (ends: Ends, deposit: CctpDeposit.CctpDeposit): Hex =>
  concatHex([
    number(VERSION),
    number(ends.sourceDomain),
    number(ends.destinationDomain),
    zeroHash,
    CctpDeposit.word(ends.messenger),
    CctpDeposit.word(ends.destinationMessenger),
    zeroHash,
    number(deposit.finality),
    number(0),
    number(VERSION),
    CctpDeposit.word(deposit.tokenIn),
    CctpDeposit.word(deposit.recipient),
    amount(deposit.amountIn),
    CctpDeposit.word(deposit.depositor),
    amount(CctpDeposit.maxFee(deposit)),
    EMPTY,
    CctpDeposit.FORWARD
  ])

/** Offset of the body in a message. */
const BODY = 148

/** Bytes of the two fields of a body that Circle fills in: the fee and the last block. */
const FEE = { from: 164, to: 228 } as const

const bodyBefore = (body: Hex): Hex => concatHex([sliceHex(body, 0, FEE.from), EMPTY, sliceHex(body, FEE.to)])

/** Name of a message among all messages, by which it is received once. */
const nonceOf = (message: Hex): Hash => sliceHex(message, 12, 44)

/**
 * Nonce of an attested message, if the message is the one that was sent, with the fields that Circle fills in. None for any other bytes.
 */
export const attestedAs = Option.liftThrowable((message: Hex, sent: Hex): Hash => {
  if (size(message) !== size(sent)) throw new Error("another length")
  const lower: Hex = `0x${message.slice(2).toLowerCase()}`
  const before = concatHex([
    sliceHex(lower, 0, 12),
    zeroHash,
    sliceHex(lower, 44, 144),
    number(0),
    bodyBefore(sliceHex(lower, BODY))
  ])
  const nonce = nonceOf(lower)
  if (before !== sent || nonce === zeroHash) throw new Error("another message")
  return nonce
})

const BYTES = parseAbiParameters("bytes")

const sentIn = Option.liftThrowable(({ data }: Log) => decodeAbiParameters(BYTES, data)[0])

/** True if the logs have this message, from this transmitter. */
export const isSent = (logs: ReadonlyArray<Log>, transmitter: Address.Address, message: Hex): boolean =>
  logs.some(
    (log) =>
      log.address === transmitter &&
      log.topics[0]?.toLowerCase() === SENT &&
      Option.exists(sentIn(log), (found) => found.toLowerCase() === message)
  )

/** Topics of the log by which a message with this nonce was received. */
export const receivedTopics = (nonce: Hash): ReadonlyArray<Hash | null> => [RECEIVED, null, nonce]

const received = Option.liftThrowable(({ data, topics }: Log) => {
  const event = decodeEventLog({ abi, data, topics: topics as [ViemHex, ...ReadonlyArray<ViemHex>] })
  if (event.eventName !== "MessageReceived") throw new Error("another event")
  return event.args
})

const minted = Option.liftThrowable(({ data, topics }: Log) => {
  const event = decodeEventLog({ abi, data, topics: topics as [ViemHex, ...ReadonlyArray<ViemHex>] })
  if (event.eventName !== "MintAndWithdraw") throw new Error("another event")
  return event.args
})

/** True for the log by which this messenger minted for a message. */
export const isMint = ({ address, topics }: Pick<Log, "address" | "topics">, messenger: Address.Address): boolean =>
  address === messenger && topics[0]?.toLowerCase() === MINTED

/** True for the log by which this message was received. */
const isReceived = (log: Log, ends: Ends, sent: Hex, nonce: Hash): boolean =>
  log.address === ends.destinationTransmitter &&
  log.topics[0]?.toLowerCase() === RECEIVED &&
  Option.exists(
    received(log),
    (event) =>
      event.nonce.toLowerCase() === nonce &&
      event.sourceDomain === ends.sourceDomain &&
      event.sender.toLowerCase() === CctpDeposit.word(ends.messenger) &&
      size(event.messageBody) === size(sent) - BODY &&
      bodyBefore(event.messageBody).toLowerCase() === sliceHex(sent, BODY)
  )

/**
 * Amount that the message brought to its recipient, by the logs of one transaction. The messenger mints before the transmitter logs the
 * message, so the last mint before that log is the message's own. None if the transaction did not receive the message.
 */
export const mintOf = (
  logs: ReadonlyArray<Log>,
  ends: Ends,
  deposit: CctpDeposit.CctpDeposit,
  sent: Hex,
  nonce: Hash
): Option.Option<bigint> => {
  const at = logs.findIndex((log) => isReceived(log, ends, sent, nonce))
  if (at === -1) return Option.none()
  const mint = logs.slice(0, at).findLast((log) => isMint(log, ends.destinationMessenger))
  return Option.fromUndefinedOr(mint).pipe(
    Option.flatMap(minted),
    Option.filter(
      (event) =>
        Address.of(event.mintRecipient) === deposit.recipient &&
        Address.of(event.mintToken) === deposit.tokenOut &&
        event.amount >= deposit.minAmountOut
    ),
    Option.map((event) => event.amount)
  )
}
