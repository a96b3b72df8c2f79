/** `./sweep mutants`: proves that the tests hold the rules of money. */
import { Effect, Option, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import * as ProjectScript from "./ProjectScript.ts"

/** The output above names each mutant that survived, with its change and its tests. */
export class MutantsFailed extends Schema.TaggedError<MutantsFailed>()("MutantsFailed", {}) {
  override get message(): string {
    return "the run failed, see above. Add or sharpen a test for each surviving mutant"
  }
}

const flags = {
  contracts: Flag.Boolean("contracts").pipe(
    Flag.withDescription("Try the mutants of the contracts only"),
    Flag.withDefault(false)
  ),
  filter: Argument.String("filter").pipe(
    Argument.withDescription("Try only mutants whose file or name contains this"),
    Argument.optional
  )
}

export const mutantsCommand = Command.make("mutants", flags, ({ contracts, filter }) =>
  Effect.gen(function* () {
    const args = [...(contracts ? ["--contracts"] : []), ...Option.toArray(filter)]
    if ((yield* ProjectScript.run("mutants/main.ts", args)) !== 0) return yield* new MutantsFailed()
  })
).pipe(
  Command.withDescription(
    "Break rules of money one at a time in scratch copies, and check that the tests notice; about 15 minutes on two cores"
  ),
  Command.withExamples([
    { command: "sweep mutants", description: "Every mutant" },
    { command: "sweep mutants --contracts", description: "Those of the Solidity contracts" },
    { command: "sweep mutants domain/Fees", description: "Those of one file" }
  ])
)
