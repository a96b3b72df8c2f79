/** `./sweep check`: the checks to run after every edit. They need no node, database or browser. */
import { Effect } from "effect"
import { Command } from "effect/cli"
import { bunExecutable, projectRoot } from "./Project.ts"
import * as TestRun from "./TestRun.ts"
import * as TestSteps from "./TestSteps.ts"

const LANES: ReadonlyArray<ReadonlyArray<TestSteps.Name>> = [["unit"], ["lint", "imports", "prose", "types", "format"]]

export const checkCommand = Command.make("check", {}, () =>
  Effect.gen(function* () {
    const stepOf = yield* TestSteps.all(bunExecutable)
    yield* TestRun.run(
      projectRoot,
      LANES.map((lane) => lane.map(stepOf))
    )
  })
).pipe(
  Command.withDescription(
    "Check formatting, types, lint, imports and wording, and run the unit tests, in less than a minute"
  ),
  Command.withExamples([{ command: "sweep check", description: "After every edit" }])
)
