/** Decides which lanes take turns: those that can pay before those that cannot. Pure and total. */

/** A lane with the wei that it has beside what its pending transactions may cost. */
export interface Purse {
  readonly free: bigint
}

/**
 * The lanes that can pay for the dearest of `needs` that any of them can pay for, or all lanes if none can pay for one. `needs`: wei of
 * recent transactions. Without any, it is unknown what a sweep costs, and the richest are the least likely to fall short.
 */
export const payers = <A extends Purse>(lanes: ReadonlyArray<A>, needs: ReadonlyArray<bigint>): ReadonlyArray<A> => {
  const richest = lanes.reduce((most, { free }) => (free > most ? free : most), 0n)
  const falling = needs.length === 0 ? [richest] : needs.toSorted((a, b) => (a < b ? 1 : -1))
  const need = falling.find((wei) => wei <= richest)
  return need === undefined ? lanes : lanes.filter(({ free }) => free >= need)
}
