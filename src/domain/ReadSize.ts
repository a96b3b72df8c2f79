/**
 * Number of reads in one call to a node. Nodes limit the gas, the time and the bytes of a call, and none of them says where its limit
 * is. A refusal halves the size, and calls that are answered let it grow back.
 */

export const LARGEST = 512

/**
 * The size is never smaller, so that neither a node's bad moment nor one token that burns the gas of each call makes the next portfolios
 * ask for each token alone. A call of this size that is refused is still halved.
 */
export const SMALLEST = 64

export interface ReadSize {
  /** Reads in the next call, from {@link SMALLEST} to {@link LARGEST}. */
  readonly reads: number
  /** Full calls that were answered since the last change. */
  readonly answered: number
}

export const INITIAL: ReadSize = { reads: LARGEST, answered: 0 }

/** Full calls that must be answered before the size grows. */
const ANSWERED_TO_GROW = 4

/** The size after a call of `asked` reads was answered. Only full calls prove that the node takes them. */
export const answered = (size: ReadSize, asked: number): ReadSize => {
  if (size.reads >= LARGEST || asked < size.reads) return size
  return size.answered + 1 < ANSWERED_TO_GROW
    ? { ...size, answered: size.answered + 1 }
    : { reads: Math.min(LARGEST, size.reads + Math.max(1, size.reads >> 1)), answered: 0 }
}

/** The size after a call of `asked` reads was refused. Refusals of calls that were under way together halve it once. */
export const refused = (size: ReadSize, asked: number): ReadSize => ({
  reads: Math.max(SMALLEST, Math.min(size.reads, asked >> 1)),
  answered: 0
})

/** Both halves of a refused call. */
export const halves = <A>(reads: ReadonlyArray<A>): readonly [ReadonlyArray<A>, ReadonlyArray<A>] => {
  const middle = reads.length >> 1
  return [reads.slice(0, middle), reads.slice(middle)]
}
