/** Composition of batches: the sweeps of one transaction. */
import type { Group } from "./SweepGroups.ts"

/** Limits of one transaction. All of them are greater than zero. */
export interface Bounds {
  /** Number of sweeps. */
  readonly items: number
  /** Sum of the gas limits. */
  readonly gas: bigint
  /** Sum of the calldata, in bytes. */
  readonly bytes: number
}

/** Properties of a sweep that decide where it fits. */
export interface Item {
  readonly gas: bigint
  readonly bytes: number
}

/** Groups of each transaction, and sweeps for later transactions: an account has at most one transaction under way. */
export interface Composition<A> {
  readonly batches: ReadonlyArray<ReadonlyArray<Group<A>>>
  readonly left: ReadonlyArray<A>
}

const fits = (items: ReadonlyArray<Item>, bounds: Bounds): boolean =>
  items.length <= bounds.items &&
  items.reduce((sum, { gas }) => sum + gas, 0n) <= bounds.gas &&
  items.reduce((sum, { bytes }) => sum + bytes, 0) <= bounds.bytes

/** The longest beginning of a group that fits, at least its first item. */
const cut = <A extends Item>([first, ...rest]: Group<A>, bounds: Bounds): Group<A> => {
  const taken: [A, ...Array<A>] = [first]
  for (const item of rest) {
    if (!fits([...taken, item], bounds)) break
    taken.push(item)
  }
  return taken
}

/**
 * Distributes groups, the sweeps of one account each, over transactions in their order. Each transaction is filled up to the bounds.
 * A group that exceeds them alone is cut. An item that exceeds them alone gets a transaction of its own, so that no other item pays
 * for it. No item is dropped.
 */
export const compose = <A extends Item>(groups: ReadonlyArray<Group<A>>, bounds: Bounds): Composition<A> => {
  const batches: Array<Array<Group<A>>> = []
  const left: Array<A> = []
  let current: Array<Group<A>> = []
  for (const group of groups) {
    if (current.length > 0 && !fits([...current, group].flat(), bounds)) {
      batches.push(current)
      current = []
    }
    const taken = current.length === 0 ? cut(group, bounds) : group
    left.push(...group.slice(taken.length))
    current.push(taken)
  }
  return { batches: current.length === 0 ? batches : [...batches, current], left }
}
