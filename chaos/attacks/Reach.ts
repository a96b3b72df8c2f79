/** Least effect of an attack. One that reaches nothing costs nobody anything, and so holds every other bar. */

/** Counts of an attack, as its outcome has them. */
export interface Counts {
  readonly quoted: number
  readonly submitted: number
  /** Sweeps in mined transactions, and those of them that settled. */
  readonly carried: number
  readonly settled: number
  /** Deeds of the attack on a chain, most of them ahead of a lane, and the causes of those that failed. */
  readonly deeds: number
  readonly failedDeeds: ReadonlyArray<string>
  /** Refusals by their cause. */
  readonly refused: Readonly<Record<string, number>>
}

/** Least counts. Absent: not expected. */
export interface Reach {
  readonly quoted?: number
  readonly submitted?: number
  /** Sweeps in mined transactions. */
  readonly carried?: number
  readonly settled?: number
  /** Sweeps in mined transactions that did not settle. */
  readonly failed?: number
  /** Deeds on a chain. */
  readonly deeds?: number
  /** Beginnings of the causes of refusals, such as `quote: 422 would_revert`. A refusal by one of them is expected. */
  readonly refused?: ReadonlyArray<string>
}

/** An attack ahead of a lane, whose sweeps are mined and fail. */
export const SPOILED: Reach = { quoted: 1, submitted: 1, carried: 1, failed: 1, deeds: 1 }

/** An attack that gets no further than the rehearsal of a quote. */
export const REHEARSED: Reach = { refused: ["quote: 422 would_revert", "quote: 422 unavailable"] }

/** Expectations that an attack misses, one sentence each. */
export const unreached = (reach: Reach, counts: Counts): ReadonlyArray<string> => {
  const { carried, deeds, failedDeeds, quoted, refused, settled, submitted } = counts
  const least: ReadonlyArray<readonly [string, number, number | undefined]> = [
    ["sweeps were quoted", quoted, reach.quoted],
    ["sweeps were submitted", submitted, reach.submitted],
    ["sweeps were mined", carried, reach.carried],
    ["sweeps settled", settled, reach.settled],
    ["sweeps were mined and did not settle", carried - settled, reach.failed],
    ["deeds were done", deeds, reach.deeds]
  ]
  const causes = Object.keys(refused)
  const [failure] = failedDeeds
  const isMissed = (from: number, expected = 0) => from < expected
  return [
    ...least.flatMap(([what, count, expected]) =>
      isMissed(count, expected) ? [`${count} ${what}, of at least ${expected} that it needs`] : []
    ),
    ...(reach.deeds !== undefined && isMissed(deeds, reach.deeds) && failure !== undefined
      ? [`${failedDeeds.length} deeds failed, first: ${failure}`]
      : []),
    ...(reach.refused === undefined ||
    reach.refused.some((beginning) => causes.some((cause) => cause.startsWith(beginning)))
      ? []
      : [`nothing was refused by ${reach.refused.join(" or ")}`])
  ]
}
