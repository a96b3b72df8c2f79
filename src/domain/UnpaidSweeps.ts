/** Tells by a receipt that a transaction ended before a sweep could pay native currency to its destination. */
import type { Hex } from "./Hex.ts"
import { AUTHORIZATION_GAS, calldataGas, EXISTING_ACCOUNT_REFUND } from "./TransactionGas.ts"

/** Gas that every transaction costs, besides its calldata. */
const BASE_GAS = 21_000n

/**
 * Gas that a sweep needs before it pays native currency, at least: recovers the signature (3,000), opens the sweep at the guard (9,700),
 * reads the token (4,700), approves (2,200), calls the target (2,600), which takes the token (5,000), and sends a value (9,000). These are
 * 36,200 without any fee or instruction in between. The cheapest sweep that was measured uses over 100,000.
 */
const PAYOUT_GAS = 36_000n

/** Gas that the guard needs for the first nonce of a word of its bitmap above that of another one: 20,000 instead of 2,900. */
const FIRST_NONCE_GAS = 17_100n

/** Receipt of a transaction, with its content. */
export interface Ended {
  readonly gasUsed: bigint
  readonly data: Hex
  /** Number of signed authorizations. */
  readonly authorizations: number
  /** True if no nonce of the order's word was used at the end of the block. */
  readonly isWordUnused: boolean
}

/**
 * True if the transaction's execution used too little gas for the sweep to have paid. Storage that a failed sweep clears refunds nothing, so
 * only authorizations of accounts that exist make a transaction cheaper. A receipt with less gas than any transaction costs proves nothing.
 */
export const endedEarly = ({ authorizations, data, gasUsed, isWordUnused }: Ended): boolean => {
  const ofEach = AUTHORIZATION_GAS - EXISTING_ACCOUNT_REFUND
  const executed = gasUsed - BASE_GAS - calldataGas(data) - BigInt(authorizations) * ofEach
  return executed >= 0n && executed < PAYOUT_GAS + (isWordUnused ? FIRST_NONCE_GAS : 0n)
}
