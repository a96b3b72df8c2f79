/** Gas that a transaction costs beside the execution of its call. */
import type { Hex } from "./Hex.ts"

/** Gas of every transaction (yellow paper, G_transaction). */
const TRANSACTION_GAS = 21_000n

/** Gas of one authorization (EIP-7702, PER_EMPTY_ACCOUNT_COST). */
export const AUTHORIZATION_GAS = 25_000n

/** Gas that is refunded for an authorization of an account that exists already (EIP-7702). */
export const EXISTING_ACCOUNT_REFUND = 12_500n

/** Gas of a zero byte of calldata (EIP-2028). Every other byte costs four times as much. */
const ZERO_BYTE_GAS = 4n

/** Gas per zero byte, and four times as much per other byte, below which no transaction costs (EIP-7623). */
const FLOOR_ZERO_BYTE_GAS = 10n

/** Number of tokens of calldata: one per zero byte, four per other byte (EIP-7623). */
const calldataTokens = (data: Hex): bigint => {
  let zeros = 0
  for (let index = 2; index < data.length; index += 2) {
    if (data.charCodeAt(index) === 48 && data.charCodeAt(index + 1) === 48) zeros++
  }
  return BigInt(4 * ((data.length - 2) / 2) - 3 * zeros)
}

/** Gas of calldata (EIP-2028). */
export const calldataGas = (data: Hex): bigint => ZERO_BYTE_GAS * calldataTokens(data)

/** Gas of calldata that a transaction costs at least, beside that of every transaction (EIP-7623). */
export const calldataFloor = (data: Hex): bigint => FLOOR_ZERO_BYTE_GAS * calldataTokens(data)

interface CalldataGas {
  readonly gas: bigint
  /** Gas that it costs at least. */
  readonly floor: bigint
}

const gasOfTokens = (tokens: bigint): CalldataGas => ({
  gas: ZERO_BYTE_GAS * tokens,
  floor: FLOOR_ZERO_BYTE_GAS * tokens
})

/** {@link calldataGas} and {@link calldataFloor} together. The bytes are counted once, which a relayer does for every sweep. */
export const ofCalldata = (data: Hex): CalldataGas => gasOfTokens(calldataTokens(data))

/** Gas of so many bytes of calldata at most, and their part of the floor. */
export const mostCalldataGas = (bytes: number): CalldataGas => gasOfTokens(4n * BigInt(bytes))

export interface Transaction {
  readonly data: Hex
  /** Gas of the call's execution, with refunds not taken off. */
  readonly execution: bigint
  /** Gas that the execution gives back at the end, such as for storage that it clears. */
  readonly refund: bigint
  readonly authorizations: number
}

/** Gas that a transaction must be granted to run to its end. */
export const required = ({ authorizations, data, execution }: Omit<Transaction, "refund">): bigint => {
  const tokens = calldataTokens(data)
  const intrinsic = TRANSACTION_GAS + ZERO_BYTE_GAS * tokens + AUTHORIZATION_GAS * BigInt(authorizations)
  const floor = TRANSACTION_GAS + FLOOR_ZERO_BYTE_GAS * tokens
  return intrinsic + execution > floor ? intrinsic + execution : floor
}

/** Gas that a transaction is charged: refunds are at most a fifth (EIP-3529), and the calldata's floor holds (EIP-7623). */
export const charged = (transaction: Transaction): bigint => {
  const { authorizations, data, execution, refund } = transaction
  const tokens = calldataTokens(data)
  const gross = TRANSACTION_GAS + ZERO_BYTE_GAS * tokens + AUTHORIZATION_GAS * BigInt(authorizations) + execution
  const most = gross / 5n
  const net = gross - (refund < most ? refund : most)
  const floor = TRANSACTION_GAS + FLOOR_ZERO_BYTE_GAS * tokens
  return net > floor ? net : floor
}
