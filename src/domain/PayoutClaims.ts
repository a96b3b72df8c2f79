/** Order in which a payout batch claims the entries that a builder is owed. Pure and total. */

/** An entry that no standing batch claims: positive for an accrual, negative for a reversal. */
export interface Claimable {
  readonly amount: bigint
  /** Sweep of an accrual and of its reversal. */
  readonly sweepId?: string
}

type Entries<E> = ReadonlyArray<E>

const sum = (entries: Entries<Claimable>): bigint => entries.reduce((total, { amount }) => total + amount, 0n)

const reversalsFirst = <E extends Claimable>(entries: Entries<E>): Entries<E> => [
  ...entries.filter(({ amount }) => amount < 0n),
  ...entries.filter(({ amount }) => amount > 0n)
]

const largestFirst = <E extends Claimable>(entries: Entries<E>): Entries<E> =>
  entries.toSorted((a, b) => (a.amount === b.amount ? 0 : a.amount > b.amount ? -1 : 1))

/** The entries without each accrual whose reversal is among them too, and without that reversal. */
const unpaired = <E extends Claimable>(entries: Entries<E>): Entries<E> => {
  const times = new Map<string, number>()
  for (const { sweepId } of entries) if (sweepId !== undefined) times.set(sweepId, (times.get(sweepId) ?? 0) + 1)
  return entries.filter(({ sweepId }) => sweepId === undefined || times.get(sweepId) === 1)
}

/** The largest accruals that together are no more than what all entries owe. */
const withinOwed = <E extends Claimable>(entries: Entries<E>): Entries<E> => {
  const owed = sum(entries)
  const fitting = largestFirst(entries.filter(({ amount }) => amount > 0n && amount <= owed))
  let reached = 0n
  return fitting.filter(({ amount }) => (reached += amount) <= owed)
}

/** Orders in which a batch may claim entries, the preferred one first. No first part of any sums to more than all entries. */
export const orders = <E extends Claimable>(entries: Entries<E>): Entries<Entries<E>> => {
  const rest = unpaired(entries)
  return [reversalsFirst(entries), reversalsFirst(largestFirst(rest)), withinOwed(rest)]
}

/**
 * The entries in the order in which a batch of at most `limit` entries claims them: the first order whose first `limit` entries sum to
 * more than zero. None if there is no such order: more entries than `limit` then owe less than each accrual of theirs that was not
 * reversed.
 */
export const inOrder = <E extends Claimable>(entries: Entries<E>, limit: number): Entries<E> =>
  orders(entries).find((order) => sum(order.slice(0, limit)) > 0n) ?? []
