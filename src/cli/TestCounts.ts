/** Reads the numbers of passed and failed tests from the output of test runners. A test that was skipped counts as failed. */
import { Option } from "effect"

export interface Counts {
  readonly passed: number
  readonly failed: number
}

const numberIn = (text: string, pattern: RegExp): number => Number(pattern.exec(text)?.[1] ?? 0)

const countsIn = (line: string): Counts => ({
  passed: numberIn(line, /(\d+) (?:tests? )?passed/),
  failed: numberIn(line, /(\d+) failed/) + numberIn(line, /(\d+) skipped/) + numberIn(line, /(\d+) todo/)
})

/** Vitest's `Tests  3 failed | 120 passed (123)`. Absent if it ran no test. */
export const vitestCounts = (output: string): Option.Option<Counts> => {
  const line = output.split("\n").findLast((candidate) => /^\s*Tests\s+\d/.test(candidate))
  return line === undefined ? Option.none() : Option.some(countsIn(line))
}

/** Forge's `Ran 12 test suites …: 120 tests passed, 0 failed, 0 skipped (120 total tests)`. */
export const forgeCounts = (output: string): Option.Option<Counts> => {
  const line = output.split("\n").findLast((candidate) => /\d+ tests? passed, \d+ failed/.test(candidate))
  return line === undefined ? Option.none() : Option.some(countsIn(line))
}

export const sum = (all: ReadonlyArray<Counts>): Counts => ({
  passed: all.reduce((total, { passed }) => total + passed, 0),
  failed: all.reduce((total, { failed }) => total + failed, 0)
})
