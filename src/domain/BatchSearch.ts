/**
 * Search for the members of a batch because of which nodes refuse it, while all others are sent. Pure group testing: a batch
 * that is refused has at least one such member, and one that is accepted has none and is sent with that.
 */

/** Batches that one search offers to the nodes at most, so that it ends within its lease. */
export const OFFERS = 40

/** State of a search. Members that were sent are in none of the lists. */
export interface Search<A> {
  /** Two or more, of which at least one is refused. Empty if no such group is known. */
  readonly suspects: ReadonlyArray<A>
  /** Members of which nothing is known. */
  readonly open: ReadonlyArray<A>
  /** Members that are refused by themselves. */
  readonly found: ReadonlyArray<A>
  /** Suspicion of a member by itself, from 0. The more suspicious are tried after the others. */
  readonly suspicion: (member: A) => number
}

/** A search that begins with all members in one batch. */
export const start = <A>(members: ReadonlyArray<A>, suspicion: (member: A) => number = () => 0): Search<A> => ({
  suspects: [],
  open: members,
  found: [],
  suspicion
})

/** Members of the next batch. Empty once each member is sent or found. */
export const next = <A>({ open, suspects, suspicion }: Search<A>): ReadonlyArray<A> => {
  if (suspects.length === 0) return open
  const most = Math.max(...suspects.map(suspicion))
  const others = suspects.filter((member) => suspicion(member) < most)
  return others.length > 0 ? others : suspects.slice(0, Math.ceil(suspects.length / 2))
}

/** Members that are neither sent nor found. */
export const remaining = <A>({ open, suspects }: Search<A>): ReadonlyArray<A> => [...suspects, ...open]

const without = <A>(members: ReadonlyArray<A>, taken: ReadonlyArray<A>): ReadonlyArray<A> =>
  members.filter((member) => !taken.includes(member))

/** The search after the batch of {@link next} was accepted. */
export const accepted = <A>(search: Search<A>): Search<A> => {
  if (search.suspects.length === 0) return { ...search, open: [] }
  const left = without(search.suspects, next(search))
  return left.length === 1
    ? { ...search, suspects: [], found: [...search.found, ...left] }
    : { ...search, suspects: left }
}

/** The search after the batch of {@link next} was refused. `named`: the member that the node named as the cause, if any. */
export const refused = <A>(search: Search<A>, named?: A): Search<A> => {
  const tried = next(search)
  const [only, ...others] = tried
  if (only === undefined) return search
  const cause = named !== undefined && tried.includes(named) ? named : others.length === 0 ? only : undefined
  if (cause !== undefined) {
    return {
      ...search,
      suspects: [],
      open: without(remaining(search), [cause]),
      found: [...search.found, cause]
    }
  }
  return { ...search, suspects: tried, open: without(remaining(search), tried) }
}
