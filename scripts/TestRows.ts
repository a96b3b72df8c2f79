/** Runs tests of the checkout on a server that a script started, and shows the counts as a table. */
import { Clock, Console, Effect, Schema, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { table } from "../src/cli/Table.ts"
import { vitestCounts } from "../src/cli/TestCounts.ts"
import { judge } from "../src/cli/TestRun.ts"

/** Sweeps from end to end over both services. */
export const SWEEPS = ["test/e2e/Sweeps.test.ts", "test/e2e/Builder.test.ts"]

const root = new URL("..", import.meta.url).pathname

export class NotTried extends Schema.TaggedError<NotTried>()("NotTried", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}

/** Runs Bun with these arguments, prints its output, and returns it. */
export const bun = Effect.fnUntraced(function* (
  cwd: string,
  args: ReadonlyArray<string>,
  env: Record<string, string> = {}
) {
  const handle = yield* ChildProcess.make(process.execPath, args, {
    cwd,
    stdin: "ignore",
    extendEnv: true,
    env: { NO_COLOR: "1", FORCE_COLOR: "0", ...env }
  })
  let output = ""
  yield* handle.all.pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.runForEach((line) => {
      output += `${line}\n`
      return Console.log(line)
    })
  )
  return { output, exitCode: yield* handle.exitCode }
}, Effect.scoped)

/** Runs tests with settings of their own, and counts them. */
export const row = Effect.fnUntraced(function* (
  name: string,
  tests: ReadonlyArray<string>,
  env: Record<string, string>
) {
  yield* Console.log(`\n${name}`)
  const start = yield* Clock.currentTimeMillis
  const { exitCode, output } = yield* bun(root, ["--bun", "node_modules/.bin/vitest", "run", ...tests], env)
  const seconds = Math.round(((yield* Clock.currentTimeMillis) - start) / 1_000)
  return { name, seconds, ...judge({ counts: vitestCounts }, output, exitCode) }
})

type Row = Effect.Success<ReturnType<typeof row>>

/** Prints the rows, and fails if a test failed in one of them. */
export const judged = Effect.fnUntraced(function* (rows: ReadonlyArray<Row>) {
  yield* Console.log(
    table(
      ["server", "passed", "failed", "seconds"],
      rows.map(({ counts, name, seconds }) => [name, ...[counts.passed, counts.failed, seconds].map(String)])
    )
  )
  const failed = rows.filter(({ succeeded }) => !succeeded).map(({ name }) => name)
  if (failed.length > 0) return yield* new NotTried({ detail: `not everything passed on ${failed.join(", ")}` })
})
