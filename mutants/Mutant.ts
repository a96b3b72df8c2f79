/**
 * One change of one line that must make tests fail. A change that no test notices (a survivor) shows a rule that nothing holds.
 */
export interface Mutant {
  /** The broken rule, as a statement about the changed code. */
  readonly name: string
  /** Path in the checkout. */
  readonly file: string
  /** Stands in the file exactly once. */
  readonly text: string
  readonly replacement: string
  /** The smallest test files that hold the rule. Each of them must fail. */
  readonly tests: ReadonlyArray<string>
}

/** Result of running test files: those that ran at least one test, and those of them in which a test failed. */
export interface TestReport {
  readonly ran: ReadonlySet<string>
  readonly failed: ReadonlySet<string>
}

/** `invalid`: the change broke more than the rule, so the tests could not judge it. */
export type Verdict = "caught" | "survived" | "invalid"

export const isSolidity = ({ file }: Pick<Mutant, "file">): boolean => file.endsWith(".sol")

/** Number of times that the mutant's text stands in `source`. */
export const occurrences = ({ text }: Pick<Mutant, "text">, source: string): number => source.split(text).length - 1

/** The source with the change. The text must occur once. */
export const mutated = ({ replacement, text }: Mutant, source: string): string =>
  source.replace(text, () => replacement)

/** Judges a run of the mutant's tests. A file without a single finished test was not loaded, which proves nothing. */
export const judge = ({ tests }: Pick<Mutant, "tests">, { failed, ran }: TestReport): Verdict => {
  if (tests.some((test) => !ran.has(test))) return "invalid"
  return tests.every((test) => failed.has(test)) ? "caught" : "survived"
}
