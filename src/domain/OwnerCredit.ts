/**
 * Credit of an owner: the listed sweeps that it may have in one transaction without a reservation. An account may be delegated to
 * code that burns all gas once its sweeps are sent, which costs about what their network fees cover. So an owner may risk again what it
 * has paid: its next transaction may carry as much as all before it. Beyond that, the transaction checks the account's code.
 */

/** Sums of the network fees of an owner's sweeps on one chain, as their quotes counted them, in wei. */
export interface Paid {
  /** Of settled sweeps. */
  readonly settled: bigint
  /** Of sweeps that failed at the relayer's cost. */
  readonly failed: bigint
}

/**
 * A failed sweep takes off this many times its fee. It may have cost more than its fee covers, since its gas limit is higher than the
 * gas of its quote, and the price may have risen up to the ceiling.
 */
const FAILURE_WEIGHT = 2n

/** The first sweep of a transaction needs 1 / `MOST_RISE` of its fee, so that an owner can go on after the price of gas rose. */
export const MOST_RISE = 4n

/** Credit in wei. Negative if the owner's sweeps have cost more than they paid. */
export const creditOf = ({ failed, settled }: Paid): bigint => settled - failed * FAILURE_WEIGHT

/**
 * Number of an owner's sweeps, from the first on, that it has paid for: all of them together cost at most its credit. `values`: what
 * their network fees cover in wei, in the order in which they run.
 */
export const paidFor = (credit: bigint, values: ReadonlyArray<bigint>): number => {
  let sum = 0n
  const beyond = values.findIndex((value) => (sum += value) > credit)
  return beyond === -1 ? values.length : beyond
}

/**
 * Number of an owner's sweeps, from the first on, that need no reservation. `values`: as for {@link paidFor}. `mayRise`: false if the first
 * one must be paid for like the others. It pays native currency to an account that may get code until the transaction is in a block, and
 * no check of the owner's account prevents that the code burns the sweep's gas. Default: true.
 */
export const covered = (credit: bigint, values: ReadonlyArray<bigint>, mayRise = true): number => {
  const [first] = values
  const isFirst = mayRise && first !== undefined && first <= credit * MOST_RISE
  return Math.max(isFirst ? 1 : 0, paidFor(credit, values))
}
