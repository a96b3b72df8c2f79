/** Tries mutants one by one in scratch copies, and prints a line for each. */
import { availableParallelism } from "node:os"
import { Clock, Console, Effect, FileSystem, Path, Schema } from "effect"
import * as Checkout from "./Checkout.ts"
import { isSolidity, judge, type Mutant, mutated, occurrences, type Verdict } from "./Mutant.ts"
import * as TestRunners from "./TestRunners.ts"

/** Mutants whose text is not in their file exactly once, or whose tests do not exist. */
export class MutantsOutdated extends Schema.TaggedError<MutantsOutdated>()("MutantsOutdated", {
  found: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `these mutants do not fit the sources; correct them in mutants/rules: ${this.found.join("; ")}`
  }
}

/** Test files that fail or do not run without any change. */
export class TestsRed extends Schema.TaggedError<TestsRed>()("TestsRed", { tests: Schema.Array(Schema.String) }) {
  override get message(): string {
    return `these tests fail without any change, so they can catch none: ${this.tests.join(", ")}`
  }
}

/** Fails with {@link MutantsOutdated} when a mutant does not fit the checkout. */
const checkFit = Effect.fnUntraced(function* (root: string, mutants: ReadonlyArray<Mutant>) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const outdated: Array<string> = []
  for (const mutant of mutants) {
    const source = yield* fs.readFileString(path.join(root, mutant.file)).pipe(Effect.orElseSucceed(() => ""))
    const count = occurrences(mutant, source)
    if (count !== 1) outdated.push(`${mutant.file}: "${mutant.name}" has its text ${count} times`)
    for (const test of mutant.tests) {
      if (!(yield* fs.exists(path.join(root, test)))) outdated.push(`${test} does not exist`)
    }
  }
  if (outdated.length > 0) return yield* new MutantsOutdated({ found: outdated })
})

const checkBaseline = Effect.fnUntraced(function* (root: string, mutants: ReadonlyArray<Mutant>) {
  const tests = [...new Set(mutants.flatMap((mutant) => mutant.tests))]
  const { failed, ran } = yield* TestRunners.run(root, tests)
  const red = tests.filter((test) => failed.has(test) || !ran.has(test))
  if (red.length > 0) return yield* new TestsRed({ tests: red })
})

const attempt = Effect.fnUntraced(function* (root: string, mutant: Mutant) {
  const fs = yield* FileSystem.FileSystem
  const path = yield* Path.Path
  const file = path.join(root, mutant.file)
  const started = yield* Clock.currentTimeMillis
  const source = yield* fs.readFileString(file)
  const run = TestRunners.run(root, mutant.tests)
  const verdict = judge(mutant, yield* Checkout.withContent(file, mutated(mutant, source), run))
  const seconds = ((yield* Clock.currentTimeMillis) - started) / 1_000
  yield* Console.log(`${verdict.padEnd(8)}  ${mutant.file}: ${mutant.name} (${seconds.toFixed(1)} s)`)
  return { mutant, verdict }
})

/** Names the mutants that tests did not catch, with the change and the tests. */
const describe = ({ file, name, replacement, tests, text }: Mutant): string =>
  `${file}: ${name}\n  from   ${text}\n  to     ${replacement}\n  tests  ${tests.join(", ")}`

/**
 * Tries every mutant against its tests, on all cores. Ends with `N caught, N survived`; succeeds with true when every mutant was
 * caught. Fails before the first one when a mutant is outdated or a test is red without any change.
 */
export const run = Effect.fnUntraced(function* (root: string, mutants: ReadonlyArray<Mutant>) {
  yield* checkFit(root, mutants)
  const first = yield* Checkout.copy(root)
  yield* Console.log("running the tests without any change")
  yield* checkBaseline(first, mutants)

  // Contracts take longest. One copy begins with them, so that only that one has to compile again and again.
  const queue = [...mutants].sort((a, b) => Number(isSolidity(b)) - Number(isSolidity(a)))
  const results: Array<{ readonly mutant: Mutant; readonly verdict: Verdict }> = []
  const work = (copy: string, take: () => Mutant | undefined) =>
    Effect.gen(function* () {
      for (let mutant = take(); mutant !== undefined; mutant = take()) results.push(yield* attempt(copy, mutant))
    })
  const helpers = Math.min(availableParallelism(), mutants.length) - 1
  const others = yield* Effect.forEach(Array.from({ length: Math.max(helpers, 0) }), () => Checkout.copy(first))
  yield* Effect.all([work(first, () => queue.shift()), ...others.map((copy) => work(copy, () => queue.pop()))], {
    concurrency: "unbounded",
    discard: true
  })

  const missed = results.filter(({ verdict }) => verdict !== "caught")
  for (const { mutant, verdict } of missed) yield* Console.log(`\n${verdict}: ${describe(mutant)}`)
  yield* Console.log(`\n${results.length - missed.length} caught, ${missed.length} survived`)
  return missed.length === 0
}, Effect.scoped)
