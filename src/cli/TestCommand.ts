/** `./sweep test`: everything that must hold before a change lands. */
import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as OptionalTests from "./OptionalTests.ts"
import { bunExecutable, projectRoot } from "./Project.ts"
import * as TestRun from "./TestRun.ts"
import * as TestSteps from "./TestSteps.ts"

const filters = Argument.String("filter").pipe(
  Argument.withDescription("Run only the TypeScript tests whose path contains this"),
  Argument.variadic()
)

const step = Flag.Literals("step", TestSteps.NAMES).pipe(
  Flag.withDescription("Run only this step. Repeat the flag for more than one."),
  Flag.atLeast(0)
)

/**
 * The TypeScript tests wait for blocks and timeouts, which leaves time for the checks beside them. The test of the gate itself
 * uses the contracts that "generated" compiled.
 */
const EVERYTHING: ReadonlyArray<ReadonlyArray<TestSteps.Name>> = [
  ["typescript"],
  ["generated", "lint", "imports", "prose", "solidity-format", "format", "types", "openapi", "docs", "solidity"]
]

const lanesOf = (
  chosen: ReadonlyArray<TestSteps.Name>,
  filters: ReadonlyArray<string>
): ReadonlyArray<ReadonlyArray<TestSteps.Name>> => {
  if (chosen.length > 0) return [chosen]
  return filters.length > 0 ? [["typescript"]] : EVERYTHING
}

export const testCommand = Command.make("test", { filters, step }, ({ filters, step }) =>
  Effect.gen(function* () {
    const stepOf = yield* TestSteps.all(bunExecutable, filters)
    yield* TestRun.run(
      projectRoot,
      lanesOf(step, filters).map((lane) => lane.map(stepOf))
    )
  })
).pipe(
  Command.withDescription(
    "Check formatting, types, lint, imports, wording and generated files, and run the Solidity and TypeScript tests"
  ),
  Command.withExamples([
    { command: "sweep test", description: "Everything" },
    { command: "sweep test domain/Fees", description: "One test file" },
    { command: "sweep test --step solidity", description: "One step" },
    { command: "sweep test image", description: "Build the image and sweep through it, which everything does not do" }
  ]),
  Command.withSubcommands(OptionalTests.all)
)
