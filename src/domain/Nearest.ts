/** Finds the name that a misspelt one was probably meant to be. */
import { Option } from "effect"

/** Number of letters to insert, remove, replace or swap with their neighbour (optimal string alignment distance). */
const distance = (one: string, other: string): number => {
  const rows: Array<ReadonlyArray<number>> = [Array.from({ length: other.length + 1 }, (_, column) => column)]
  const cell = (row: number, column: number): number => rows[row]?.[column] ?? Number.POSITIVE_INFINITY
  for (let row = 1; row <= one.length; row++) {
    const cells: Array<number> = [row]
    for (let column = 1; column <= other.length; column++) {
      const cost = one[row - 1] === other[column - 1] ? 0 : 1
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      cells.push(
        Math.min(
          cell(row - 1, column) + 1,
          (cells[column - 1] ?? 0) + 1,
          cell(row - 1, column - 1) + cost,
          ...(isSwapped ? [cell(row - 2, column - 2) + 1] : [])
        )
      )
    }
    rows.push(cells)
  }
  return cell(one.length, other.length)
}

/** The candidate that differs least from `name`, ignoring case, if less than a third of its letters differ. */
export const nearest = (name: string, candidates: ReadonlyArray<string>): Option.Option<string> => {
  const measured = candidates
    .map((candidate) => ({ candidate, apart: distance(name.toLowerCase(), candidate.toLowerCase()) }))
    .filter(({ apart, candidate }) => apart * 3 < candidate.length)
    .sort((a, b) => a.apart - b.apart)
  return Option.map(Option.fromUndefinedOr(measured[0]), ({ candidate }) => candidate)
}
