/**
 * Sweeps that the entry skipped, because their account ran other code, and their part of the transaction's cost. Neither a skipped sweep nor
 * a reverted one leaves an event, and a batch's gas does not tell them apart. The account's state around the block does.
 */
import { type Hex, size } from "./Hex.ts"
import { AUTHORIZATION_GAS, calldataFloor, calldataGas } from "./TransactionGas.ts"

/** Gas of a skipped item besides its calldata: a cold account and the loop. Measured: 2,816. */
const SKIP_GAS = 3_000n

/** Bytes of a signed authorization in a transaction at most (EIP-7702). */
const AUTHORIZATION_BYTES = 110n

/** An owner's account before and after the block of a transaction. */
export interface AccountStates {
  /** Transaction count at the end of the parent block. */
  readonly before: bigint
  /** Transaction count at the end of the block. */
  readonly after: bigint
  /** True if the account runs the entry's delegate at the end of the block. */
  readonly runsDelegate: boolean
  /** Nonce of the authorization that the transaction has of the owner. */
  readonly authorized?: bigint | undefined
}

/**
 * True if the account cannot have run the delegate in the transaction. Code changes only by an authorization, and each one adds 1 to the
 * account's count. So code that did not change in the block is that of the transaction. If the count changed once, and the transaction's
 * own authorization was valid until then but left no delegate, the change came before it. More changes prove nothing.
 */
export const isSkipped = ({ after, authorized, before, runsDelegate }: AccountStates): boolean =>
  !runsDelegate && (after === before || (after === before + 1n && authorized === before))

/** Receipt of a transaction, with the calldata. */
export interface Bill {
  readonly gasUsed: bigint
  readonly effectiveGasPrice: bigint
  /** Wei that a rollup charged for the data. */
  readonly dataFee?: bigint | undefined
  readonly data: Hex
}

/** Skipped items of one account. */
export interface SkippedItems {
  /** Calldata of a `run` of each item alone. */
  readonly calldata: ReadonlyArray<Hex>
  readonly isAuthorized: boolean
}

/** Gas that every transaction costs, besides its calldata. */
const BASE_GAS = 21_000n

/** Wei that the skipped items of an account cost at most. */
export const skipCost = (
  { data, dataFee = 0n, effectiveGasPrice, gasUsed }: Bill,
  { calldata, isAuthorized }: SkippedItems
): bigint => {
  // Bytes cost more in a transaction that pays the floor for them (EIP-7623).
  const gasOfBytes = gasUsed <= BASE_GAS + calldataFloor(data) ? calldataFloor : calldataGas
  const own = isAuthorized ? { gas: AUTHORIZATION_GAS, bytes: AUTHORIZATION_BYTES } : { gas: 0n, bytes: 0n }
  const gas = calldata.reduce((sum, each) => sum + SKIP_GAS + gasOfBytes(each), own.gas)
  const bytes = calldata.reduce((sum, each) => sum + BigInt(size(each)), own.bytes)
  const all = BigInt(size(data))
  return gas * effectiveGasPrice + (all === 0n ? dataFee : (dataFee * bytes + all - 1n) / all)
}

/** A sweep that bears a part of a transaction's cost. */
export interface Bearer {
  readonly gas: bigint
  /** Wei that it cost at most, if it was skipped. */
  readonly skipCost?: bigint | undefined
}

/**
 * Parts of a transaction's cost. Skipped sweeps bear what they cost, and `divide` divides the rest by the gas of the others. Skipped sweeps
 * without others bear everything.
 */
export const parts = (
  cost: bigint,
  sweeps: ReadonlyArray<Bearer>,
  divide: (cost: bigint, weights: ReadonlyArray<bigint>) => ReadonlyArray<bigint>
): ReadonlyArray<bigint> => {
  const skipped = sweeps.reduce((sum, each) => sum + (each.skipCost ?? 0n), 0n)
  const others = sweeps.filter((each) => each.skipCost === undefined)
  if (others.length === 0) {
    return divide(
      cost,
      sweeps.map((each) => each.skipCost ?? 0n)
    )
  }
  // The others cost something too, so these estimates are wrong.
  if (skipped > cost) {
    return divide(
      cost,
      sweeps.map(({ gas }) => gas)
    )
  }
  const rest = divide(
    cost - skipped,
    others.map(({ gas }) => gas)
  ).values()
  return sweeps.map((each) => each.skipCost ?? rest.next().value ?? 0n)
}
