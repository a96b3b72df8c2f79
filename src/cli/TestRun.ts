/** Runs steps of `./sweep check` and `./sweep test` side by side, and sums them up in a last line `N passed, N failed`. */
import { Clock, Console, Effect, Option, Path, Schema, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { type Counts, sum } from "./TestCounts.ts"
import type { Step } from "./TestSteps.ts"

/** One or more steps failed. Their output is printed above. */
export class TestsFailed extends Schema.TaggedError<TestsFailed>()("TestsFailed", {
  steps: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `failed: ${this.steps.join(", ")}`
  }
}

interface Outcome {
  readonly name: string
  readonly succeeded: boolean
  readonly counts: Counts
  readonly millis: number
}

/**
 * Judges a step by its exit code and by the counts that its runner printed. A runner that printed no counts, ran no test or
 * counted a failure has failed, even if its exit code is zero.
 */
export const judge = (
  step: Pick<Step, "counts">,
  output: string,
  exitCode: number
): Omit<Outcome, "name" | "millis"> => {
  const counts: Counts =
    step.counts === undefined
      ? { passed: 1, failed: 0 }
      : Option.getOrElse(step.counts(output), () => ({ passed: 0, failed: 0 }))
  const succeeded = exitCode === 0 && counts.failed === 0 && counts.passed > 0
  if (succeeded) return { succeeded, counts }
  const passed = step.counts === undefined ? 0 : counts.passed
  return { succeeded, counts: { passed, failed: Math.max(counts.failed, 1) } }
}

const seconds = (millis: number): string => `${(millis / 1_000).toFixed(1).padStart(6)} s`

const runProgram = Effect.fnUntraced(function* (root: string, step: Step) {
  const path = yield* Path.Path
  const [command = "", ...args] = step.command
  let output = ""
  const handle = yield* ChildProcess.make(command, args, {
    cwd: path.join(root, step.cwd ?? "."),
    stdin: "ignore",
    extendEnv: true,
    env: { FORCE_COLOR: "0", NO_COLOR: "1" }
  })
  yield* handle.all.pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.runForEach((line) => {
      output += `${line}\n`
      return step.isLive === true ? Console.log(line) : Effect.void
    })
  )
  return { output, exitCode: yield* handle.exitCode }
}, Effect.scoped)

const runStep = Effect.fnUntraced(function* (root: string, step: Step) {
  const start = yield* Clock.currentTimeMillis
  const { exitCode, output } = yield* runProgram(root, step).pipe(
    Effect.catchTag("PlatformError", (error) => Effect.succeed({ output: error.message, exitCode: 1 }))
  )
  const outcome: Outcome = {
    name: step.name,
    ...judge(step, output, exitCode),
    millis: (yield* Clock.currentTimeMillis) - start
  }
  if (!outcome.succeeded && step.isLive !== true) yield* Console.log(`\n> ${step.name}\n${output}`)
  yield* Console.log(`${outcome.succeeded ? "passed" : "FAILED"} ${step.name} (${seconds(outcome.millis).trim()})`)
  return outcome
})

/**
 * Runs every step, also after one has failed, and prints the time of each and the total. Each lane runs its steps in order,
 * beside the other lanes. Fails with {@link TestsFailed}.
 */
export const run = Effect.fn("TestRun.run")(function* (root: string, lanes: ReadonlyArray<ReadonlyArray<Step>>) {
  const start = yield* Clock.currentTimeMillis
  const outcomes = (yield* Effect.forEach(lanes, (lane) => Effect.forEach(lane, (step) => runStep(root, step)), {
    concurrency: "unbounded"
  })).flat()
  const failed = outcomes.filter((outcome) => !outcome.succeeded).map((outcome) => outcome.name)
  const total = (yield* Clock.currentTimeMillis) - start
  yield* Console.log("")
  for (const { counts, millis, name } of outcomes) {
    yield* Console.log(`${name.padEnd(16)}${seconds(millis)}  ${counts.passed} passed, ${counts.failed} failed`)
  }
  yield* Console.log(`${"total".padEnd(16)}${seconds(total)}`)
  if (failed.length > 0) yield* Console.error(`\nfailed: ${failed.join(", ")}`)
  const { failed: failures, passed } = sum(outcomes.map((outcome) => outcome.counts))
  yield* Console.log(`\n${passed} passed, ${failures} failed`)
  if (failed.length > 0) return yield* new TestsFailed({ steps: failed })
})
