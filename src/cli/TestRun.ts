/** `./sweep test`: everything that must hold before a change lands, in one run with one summary line. */
import { Console, Effect, Option, Path, Schema, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { type Counts, forgeCounts, sum, vitestCounts } from "./TestCounts.ts"

/** A step failed; what it printed says why. */
export class TestsFailed extends Schema.TaggedError<TestsFailed>()("TestsFailed", {
  steps: Schema.Array(Schema.String)
}) {
  override get message(): string {
    return `failed: ${this.steps.join(", ")}`
  }
}

interface Step {
  readonly name: string
  readonly command: ReadonlyArray<string>
  readonly cwd?: string
  /** Reads how many tests passed and failed from what a test runner printed. A step without counts one check: itself. */
  readonly counts?: (output: string) => Option.Option<Counts>
}

const bin = (name: string) => `node_modules/.bin/${name}`

/** Cheap checks first. `filters` narrow the TypeScript tests to files whose path contains one of them, and skip the rest. */
const steps = (bun: string, filters: ReadonlyArray<string>): ReadonlyArray<Step> => {
  const vitest: Step = {
    name: "tests",
    command: [bun, "--bun", bin("vitest"), "run", ...filters],
    counts: vitestCounts
  }
  return filters.length > 0
    ? [vitest]
    : [
        { name: "format", command: [bin("prettier"), "--check", "--log-level", "warn", "."] },
        { name: "types", command: [bin("tsc"), "-p", "."] },
        { name: "lint", command: [bin("oxlint")] },
        { name: "import directions", command: [bun, "scripts/check-imports.ts"] },
        { name: "generated contracts", command: [bun, "contracts/generate.ts", "--check"] },
        { name: "OpenAPI documents", command: [bun, "scripts/openapi.ts", "--check"] },
        { name: "Solidity format", command: [`../${bin("forge")}`, "fmt", "--check"], cwd: "contracts" },
        { name: "Solidity tests", command: [`../${bin("forge")}`, "test"], cwd: "contracts", counts: forgeCounts },
        vitest
      ]
}

const runStep = Effect.fnUntraced(function* (root: string, step: Step) {
  const path = yield* Path.Path
  const [command = "", ...args] = step.command
  yield* Console.log(`\n> ${step.name}`)
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
      return Console.log(line)
    })
  )
  const succeeded = (yield* handle.exitCode) === 0
  const own: Counts = succeeded ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 }
  const counted = step.counts === undefined ? Option.some(own) : step.counts(output)
  return {
    name: step.name,
    // A runner that ran nothing, or broke before it could count, has not passed.
    succeeded: succeeded && Option.isSome(counted),
    counts: Option.match(counted, {
      onNone: (): Counts => ({ passed: 0, failed: 1 }),
      onSome: (counts) => (succeeded || counts.failed > 0 ? counts : { ...counts, failed: 1 })
    })
  }
}, Effect.scoped)

/** Runs every step, also after one has failed, and ends with `N passed, N failed`. */
export const run = Effect.fn("TestRun.run")(function* (root: string, bun: string, filters: ReadonlyArray<string>) {
  const outcomes = yield* Effect.forEach(steps(bun, filters), (step) => runStep(root, step))
  const failed = outcomes.filter((outcome) => !outcome.succeeded).map((outcome) => outcome.name)
  const { failed: failures, passed } = sum(outcomes.map((outcome) => outcome.counts))
  if (failed.length > 0) yield* Console.error(`\nfailed: ${failed.join(", ")}`)
  yield* Console.log(`\n${passed} passed, ${failures} failed`)
  if (failed.length > 0) return yield* new TestsFailed({ steps: failed })
})
