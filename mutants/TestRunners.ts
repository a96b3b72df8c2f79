/** Runs test files of a checkout with vitest or forge, and reads the runner's own report. */
import { Effect, FileSystem, Option, Path, Schema, Stream } from "effect"
import { ChildProcess } from "effect/process"
import * as Foundry from "../src/devnet/Foundry.ts"
import type { TestReport } from "./Mutant.ts"

/** A run that takes longer has hung. The first run of a copy compiles every contract and every test. */
const TIMEOUT = "15 minutes"

const NOTHING: TestReport = { ran: new Set(), failed: new Set() }

const VitestReport = Schema.fromJsonString(
  Schema.Struct({
    testResults: Schema.Array(
      Schema.Struct({ name: Schema.String, assertionResults: Schema.Array(Schema.Struct({ status: Schema.String })) })
    )
  })
)

const ForgeReport = Schema.fromJsonString(
  Schema.Record(
    Schema.String,
    Schema.Struct({ test_results: Schema.Record(Schema.String, Schema.Struct({ status: Schema.String })) })
  )
)

const reportOf = (
  files: ReadonlyArray<{ readonly file: string; readonly statuses: ReadonlyArray<string> }>
): TestReport => {
  const having = (...wanted: ReadonlyArray<string>) =>
    new Set(files.flatMap(({ file, statuses }) => (statuses.some((each) => wanted.includes(each)) ? [file] : [])))
  return { ran: having("passed", "failed", "Success", "Failure"), failed: having("failed", "Failure") }
}

/** Runs a command to its end and returns its standard output. */
const outputOf = Effect.fnUntraced(function* (
  command: string,
  args: ReadonlyArray<string>,
  options: { readonly cwd: string; readonly env?: Record<string, string> }
) {
  const handle = yield* ChildProcess.make(command, args, {
    cwd: options.cwd,
    stdin: "ignore",
    stderr: "ignore",
    extendEnv: true,
    env: { FORCE_COLOR: "0", NO_COLOR: "1", ...options.env }
  })
  const output = yield* handle.stdout.pipe(Stream.decodeText(), Stream.mkString)
  yield* handle.exitCode
  return output
}, Effect.scoped)

/** Runs TypeScript test files, given as paths in the checkout. */
export const vitest = Effect.fnUntraced(
  function* (root: string, tests: ReadonlyArray<string>) {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const outputFile = path.join(root, "vitest-report.json")
    yield* fs.remove(outputFile, { force: true })
    const args = ["--bun", "node_modules/.bin/vitest", "run", ...tests, "--reporter=json", `--outputFile=${outputFile}`]
    yield* outputOf(process.execPath, args, { cwd: root })
    if (!(yield* fs.exists(outputFile))) return NOTHING
    const { testResults } = yield* Schema.decodeEffect(VitestReport)(yield* fs.readFileString(outputFile))
    return reportOf(
      testResults.map(({ assertionResults, name }) => ({
        file: path.relative(root, name),
        statuses: assertionResults.map(({ status }) => status)
      }))
    )
  },
  Effect.timeoutOrElse({ duration: TIMEOUT, orElse: () => Effect.succeed(NOTHING) })
)

/** Runs Solidity test files, given as paths in the checkout. Nothing runs where the contracts do not compile. */
export const forge = Effect.fnUntraced(
  function* (root: string, tests: ReadonlyArray<string>) {
    const path = yield* Path.Path
    const cwd = path.join(root, "contracts")
    const files = tests.map((test) => path.relative("contracts", test))
    const output = yield* outputOf(
      yield* Foundry.binary("forge"),
      ["test", "--json", "--match-path", `{${files.join(",")}}`],
      { cwd, env: { FOUNDRY_FUZZ_SEED: "0x5eed" } }
    )
    const report = Schema.decodeOption(ForgeReport)(output.slice(output.indexOf("{")))
    if (Option.isNone(report)) return NOTHING
    return reportOf(
      Object.entries(report.value).map(([suite, { test_results }]) => ({
        file: `contracts/${suite.split(":")[0]}`,
        statuses: Object.values(test_results).map(({ status }) => status)
      }))
    )
  },
  Effect.timeoutOrElse({ duration: TIMEOUT, orElse: () => Effect.succeed(NOTHING) })
)

/** Runs test files of both languages. */
export const run = Effect.fnUntraced(function* (root: string, tests: ReadonlyArray<string>) {
  const solidity = tests.filter((test) => test.endsWith(".sol"))
  const typescript = tests.filter((test) => !test.endsWith(".sol"))
  const reports = yield* Effect.all(
    [
      ...(solidity.length === 0 ? [] : [forge(root, solidity)]),
      ...(typescript.length === 0 ? [] : [vitest(root, typescript)])
    ],
    { concurrency: "unbounded" }
  )
  return {
    ran: new Set(reports.flatMap(({ ran }) => [...ran])),
    failed: new Set(reports.flatMap(({ failed }) => [...failed]))
  } satisfies TestReport
})
