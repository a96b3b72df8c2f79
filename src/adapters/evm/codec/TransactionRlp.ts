/**
 * RLP of the two kinds of transaction that lanes send, as EIP-2718 envelopes: type 2 (EIP-1559) and type 4 (EIP-7702). Encoded by
 * hand on hex digits, because libraries copy the tens of kilobytes of a batch several times (`./sweep bench codecs`).
 */
import type { Authorization } from "../../../domain/Delegation.ts"
import type { Hex } from "../../../domain/Hex.ts"
import type { UnsignedTransaction } from "../../../ports/shared/Transaction.ts"

export interface TransactionSignature {
  readonly r: Hex
  readonly s: Hex
  readonly yParity: number
}

const SET_CODE = "04"
const FEE_MARKET = "02"

/** Prefix of a string or list of `bytes` bytes. `short` is the prefix of an empty one (Ethereum yellow paper, appendix B). */
const prefix = (bytes: number, short: number): string => {
  if (bytes <= 55) return (short + bytes).toString(16).padStart(2, "0")
  const length = bytes.toString(16)
  const even = length.length % 2 === 0 ? length : `0${length}`
  return (short + 55 + even.length / 2).toString(16) + even
}

/** Encodes a string, given as an even number of hex digits. */
const string = (digits: string): string =>
  digits.length === 2 && digits < "80" ? digits : prefix(digits.length / 2, 0x80) + digits

const list = (items: ReadonlyArray<string>): string => {
  const content = items.join("")
  return prefix(content.length / 2, 0xc0) + content
}

/** Encodes an integer as its shortest big-endian bytes. Zero has no bytes. */
const integer = (value: bigint): string => {
  if (value === 0n) return "80"
  const digits = value.toString(16)
  return string(digits.length % 2 === 0 ? digits : `0${digits}`)
}

const bytes = (hex: Hex): string => string(hex.slice(2).toLowerCase())

const authorizationTuple = ({ address, chainId, nonce, r, s, yParity }: Authorization): string =>
  list([
    integer(BigInt(chainId)),
    bytes(address),
    integer(nonce),
    integer(BigInt(yParity)),
    integer(BigInt(r)),
    integer(BigInt(s))
  ])

/** Serializes the bytes to sign, or with a signature the bytes to send. The access list is empty. */
export const serialize = (transaction: UnsignedTransaction, signature?: TransactionSignature): Hex => {
  const {
    authorizationList,
    chainId,
    data,
    gas,
    maxFeePerGas,
    maxPriorityFeePerGas,
    nonce,
    to,
    value = 0n
  } = transaction
  const isSetCode = authorizationList.length > 0
  const fields = [
    integer(BigInt(chainId)),
    integer(nonce),
    integer(maxPriorityFeePerGas),
    integer(maxFeePerGas),
    integer(gas),
    bytes(to),
    integer(value),
    bytes(data),
    list([]),
    ...(isSetCode ? [list(authorizationList.map(authorizationTuple))] : []),
    ...(signature === undefined
      ? []
      : [integer(BigInt(signature.yParity)), integer(BigInt(signature.r)), integer(BigInt(signature.s))])
  ]
  return `0x${isSetCode ? SET_CODE : FEE_MARKET}${list(fields)}`
}
