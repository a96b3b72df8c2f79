/** Composition of batches: the sweeps of one transaction. */

/** Limits of one transaction. All of them are greater than zero. */
export interface Bounds {
  readonly items: number
  /** Sum of the gas limits. */
  readonly gas: bigint
  /** Sum of the calldata, in bytes. */
  readonly bytes: number
}

/** Properties of a sweep that decide where it fits. */
export interface Item {
  /** The owner: a transaction runs at most one sweep of an account. */
  readonly account: string
  readonly gas: bigint
  readonly bytes: number
}

/**
 * Distributes items over transactions in their order. Each transaction is filled up to the bounds and holds at most one
 * item of an account. An item that exceeds the bounds alone gets a transaction of its own, so that no other item pays
 * for it. No item is dropped.
 */
export const compose = <A extends Item>(items: ReadonlyArray<A>, bounds: Bounds): ReadonlyArray<ReadonlyArray<A>> => {
  const batches: Array<Array<A>> = []
  let current: Array<A> = []
  let gas = 0n
  let bytes = 0
  for (const item of items) {
    const fits =
      current.length < bounds.items &&
      gas + item.gas <= bounds.gas &&
      bytes + item.bytes <= bounds.bytes &&
      current.every(({ account }) => account !== item.account)
    if (current.length > 0 && !fits) {
      batches.push(current)
      current = []
      gas = 0n
      bytes = 0
    }
    current.push(item)
    gas += item.gas
    bytes += item.bytes
  }
  return current.length === 0 ? batches : [...batches, current]
}
