/** Which sweeps travel in one transaction. */

/** What a transaction may hold. Greater than nothing, all of them. */
export interface Bounds {
  readonly items: number
  /** Gas limits of the items, together. */
  readonly gas: bigint
  /** Calldata of the items, together. */
  readonly bytes: number
}

/** A sweep, as far as its transaction has to know it. */
export interface Item {
  /** The account that it runs on. */
  readonly account: string
  readonly gas: bigint
  readonly bytes: number
}

/**
 * Puts items into transactions, in their order: each as full as the bounds allow, none with two items of one account. An item
 * that is beyond the bounds by itself travels alone, since nobody else pays for it there. Nothing is left out.
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
