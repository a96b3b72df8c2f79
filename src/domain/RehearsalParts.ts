/** Division of sweeps that are rehearsed in their order into parts. Each part is one `eth_call`. */
import type { Group } from "./SweepGroups.ts"

/**
 * Gas that the sweeps of a part add up to at most. The call around them needs up to a third more, and many public nodes limit a call to
 * 50 million gas. They do not say so: the call has less gas than it asked for, and reverts.
 */
export const PART_GAS = 27_000_000n

/**
 * Divides groups, the sweeps of one account each, into parts in their order. A group stays in one part, unless it exceeds a part alone.
 * A sweep that exceeds a part alone has a part of its own.
 */
export const partsOf = <A>(
  groups: ReadonlyArray<Group<A>>,
  gasOf: (sweep: A) => bigint
): ReadonlyArray<ReadonlyArray<A>> => {
  const parts: Array<Array<A>> = []
  let room = 0n
  const add = (sweeps: ReadonlyArray<A>, gas: bigint): void => {
    const last = parts.at(-1)
    if (last === undefined || gas > room) {
      parts.push([...sweeps])
      room = PART_GAS - gas
    } else {
      last.push(...sweeps)
      room -= gas
    }
  }
  for (const group of groups) {
    const amounts = group.map(gasOf)
    const sum = amounts.reduce((so, gas) => so + gas, 0n)
    if (sum <= PART_GAS) add(group, sum)
    else for (const [index, sweep] of group.entries()) add([sweep], amounts[index] ?? 0n)
  }
  return parts
}

/** Divides a part of two or more sweeps between two accounts as near to its middle as possible, or in its middle if it has only one. */
export const halvesOf = <A>(
  part: ReadonlyArray<A>,
  accountOf: (sweep: A) => string
): readonly [ReadonlyArray<A>, ReadonlyArray<A>] => {
  const middle = Math.ceil(part.length / 2)
  const accounts = part.map(accountOf)
  const [at = middle] = accounts
    .flatMap((account, index) => (index > 0 && account !== accounts[index - 1] ? [index] : []))
    .toSorted((a, b) => Math.abs(a - middle) - Math.abs(b - middle))
  return [part.slice(0, at), part.slice(at)]
}

/** A sweep that settled in a rehearsal. */
export interface Rehearsed {
  readonly id: string
  /** Ids of the sweeps that settled in the same call, in their order there. All sweeps of a call share one array. */
  readonly sequence: ReadonlyArray<string>
}

/** Sweeps of one call in the order in which they are sent. Those from `from` on run behind other sweeps than in the call. */
export interface Reordered<A> {
  readonly sweeps: ReadonlyArray<A>
  readonly from: number
}

/** Finds the calls whose sweeps are not sent as they were rehearsed. `sent`: all sweeps in the order in which they are sent. */
export const reordered = <A extends Rehearsed>(sent: ReadonlyArray<A>): ReadonlyArray<Reordered<A>> =>
  Array.from(Map.groupBy(sent, ({ sequence }) => sequence)).flatMap(([sequence, sweeps]) => {
    const from = sweeps.findIndex(({ id }, index) => id !== sequence[index])
    return from === -1 ? [] : [{ sweeps, from }]
  })

/**
 * Finds the transactions that carry sweeps of several calls, whose sweeps have not been rehearsed together. `from`: the first sweep of
 * another call than the first one's. Those before it may need sweeps of an earlier transaction.
 */
export const mixed = <A extends Rehearsed>(parcels: ReadonlyArray<ReadonlyArray<A>>): ReadonlyArray<Reordered<A>> =>
  parcels.flatMap((sweeps) => {
    const from = sweeps.findIndex(({ sequence }) => sequence !== sweeps[0]?.sequence)
    return from === -1 ? [] : [{ sweeps, from }]
  })
