/** Sweeps of one account in one transaction: their order, and the calls of the account that run them. */
import type * as Address from "./Address.ts"

/** Properties of a sweep that decide its place in a transaction. */
export interface Place {
  /** The owner. */
  readonly account: Address.Address
  /** Leg of the batch that the owner signed. Absent if the order is signed alone. */
  readonly batch?: { readonly sweepId: string; readonly leg: number } | undefined
  /** True if its input is the chain's native currency. */
  readonly isNative: boolean
}

/** Sweeps of one account, in the order in which they run. */
export type Group<A> = readonly [A, ...ReadonlyArray<A>]

/** Batch by batch, in the order of each one's first leg here, and the legs of a batch as they are signed. */
const signed = <A>(sweeps: ReadonlyArray<A>, placeOf: (sweep: A) => Place): ReadonlyArray<A> =>
  Array.from(
    Map.groupBy(sweeps, (sweep) => {
      const { batch } = placeOf(sweep)
      return batch?.sweepId ?? sweep
    }).values()
  ).flatMap((each) => each.toSorted((a, b) => (placeOf(a).batch?.leg ?? 0) - (placeOf(b).batch?.leg ?? 0)))

/**
 * Order of an account's sweeps. Those with native input run last, so that they never take the native currency that another sweep needs
 * for a fee.
 */
const ordered = <A>(sweeps: ReadonlyArray<A>, placeOf: (sweep: A) => Place): ReadonlyArray<A> => {
  const isNative = (sweep: A): boolean => placeOf(sweep).isNative
  const others = sweeps.filter((sweep) => !isNative(sweep))
  return [...signed(others, placeOf), ...signed(sweeps.filter(isNative), placeOf)]
}

/** Groups sweeps by account, in the order of each account's first sweep. */
export const grouped = <A>(sweeps: ReadonlyArray<A>, placeOf: (sweep: A) => Place): ReadonlyArray<Group<A>> =>
  Array.from(Map.groupBy(sweeps, (sweep) => placeOf(sweep).account).values()).flatMap(
    (each): ReadonlyArray<Group<A>> => {
      const [first, ...rest] = ordered(each, placeOf)
      return first === undefined ? [] : [[first, ...rest]]
    }
  )

/** True if one call of the account can run a sweep after the other: legs that stand next to each other among those that are signed. */
const continues = (before: Place, after: Place): boolean =>
  before.account === after.account &&
  before.batch !== undefined &&
  before.batch.sweepId === after.batch?.sweepId &&
  before.batch.leg + 1 === after.batch.leg

/** Divides sweeps into the calls that run them, in the same order. A call runs one order, or legs next to each other. */
export const calls = <A>(sweeps: ReadonlyArray<A>, placeOf: (sweep: A) => Place): ReadonlyArray<Group<A>> => {
  const found: Array<[A, ...Array<A>]> = []
  for (const sweep of sweeps) {
    const call = found.at(-1)
    const last = call?.at(-1)
    if (call !== undefined && last !== undefined && continues(placeOf(last), placeOf(sweep))) call.push(sweep)
    else found.push([sweep])
  }
  return found
}
