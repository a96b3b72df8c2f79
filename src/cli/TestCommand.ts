/** `./sweep test`: everything that must hold before a change lands. */
import { Effect } from "effect"
import { Argument, Command } from "effect/cli"
import { bunExecutable, projectRoot } from "./Project.ts"
import * as TestRun from "./TestRun.ts"

const filters = Argument.String("filter").pipe(
  Argument.withDescription("Run only the TypeScript tests whose path contains this"),
  Argument.variadic()
)

export const testCommand = Command.make("test", { filters }, ({ filters }) =>
  Effect.asVoid(TestRun.run(projectRoot, bunExecutable, filters))
).pipe(
  Command.withDescription("Check formatting, types, lint and imports, and run the Solidity and TypeScript tests"),
  Command.withExamples([
    { command: "sweep test", description: "Everything" },
    { command: "sweep test domain/Fees", description: "One test file" }
  ])
)
