/** Runs one step of the gate on another checkout: `bun stepProcess.ts <root> <step>`. */
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as BunServices from "@effect/platform-bun/BunServices"
import { Effect } from "effect"
import * as Failure from "../../src/cli/Failure.ts"
import * as TestRun from "../../src/cli/TestRun.ts"
import * as TestSteps from "../../src/cli/TestSteps.ts"

const [root = "", wanted] = process.argv.slice(2)
const name = TestSteps.NAMES.find((candidate) => candidate === wanted)

Effect.gen(function* () {
  if (name === undefined) return yield* Effect.die(`there is no step ${wanted}`)
  const stepOf = yield* TestSteps.all(process.execPath)
  yield* TestRun.run(root, [[stepOf(name)]])
}).pipe(Effect.provide(BunServices.layer), Failure.reported, BunRuntime.runMain({ disableErrorReporting: true }))
