/** Finds the name that a misspelt one was probably meant to be. */
import { Option } from "effect"

/**
 * Number of letters to insert, remove, replace or swap with their neighbour (optimal string alignment distance), or infinity as soon as
 * it must reach `limit`.
 */
const distance = (one: string, other: string, limit: number): number => {
  let twoAbove: ReadonlyArray<number> = []
  let above: ReadonlyArray<number> = Array.from({ length: other.length + 1 }, (_, column) => column)
  for (let row = 1; row <= one.length; row++) {
    const cells: Array<number> = [row]
    let least = row
    for (let column = 1; column <= other.length; column++) {
      const cost = one[row - 1] === other[column - 1] ? 0 : 1
      const replaced = (above[column - 1] ?? 0) + cost
      const best = Math.min((above[column] ?? 0) + 1, (cells[column - 1] ?? 0) + 1, replaced)
      const isSwapped =
        row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      const cell = isSwapped ? Math.min(best, (twoAbove[column - 2] ?? 0) + 1) : best
      cells.push(cell)
      least = Math.min(least, cell)
    }
    // No later row has less: a swap adds one to a row before this one, which has at least one less than this one.
    if (least >= limit) return Number.POSITIVE_INFINITY
    twoAbove = above
    above = cells
  }
  return above[other.length] ?? 0
}

/** True if so many of a candidate's letters differ that it was not meant. */
const isFar = (apart: number, candidate: string): boolean => apart * 3 >= candidate.length

/** The candidate that differs least from `name`, ignoring case, if less than a third of its letters differ. */
export const nearest = (name: string, candidates: ReadonlyArray<string>): Option.Option<string> => {
  const measured = candidates
    // Names differ by at least the difference of their lengths. Services compare every variable with every setting when they start.
    .filter((candidate) => !isFar(Math.abs(name.length - candidate.length), candidate))
    .map((candidate) => ({
      candidate,
      apart: distance(name.toLowerCase(), candidate.toLowerCase(), candidate.length / 3)
    }))
    .filter(({ apart, candidate }) => !isFar(apart, candidate))
    .sort((a, b) => a.apart - b.apart)
  return Option.map(Option.fromUndefinedOr(measured[0]), ({ candidate }) => candidate)
}
