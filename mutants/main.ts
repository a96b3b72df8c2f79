/**
 * Breaks rules of money one at a time, and demands that tests notice: `bun mutants/main.ts [--contracts] [FILTER]`. Ends with 1
 * when a mutant survives.
 */
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as BunServices from "@effect/platform-bun/BunServices"
import { Console, Effect } from "effect"
import { MUTANTS } from "./Mutants.ts"
import { isSolidity } from "./Mutant.ts"
import * as Run from "./Run.ts"

const { positionals, values } = parseArgs({
  options: { contracts: { type: "boolean", default: false } },
  allowPositionals: true
})

const [filter = ""] = positionals
const chosen = MUTANTS.filter(
  (mutant) => (!values.contracts || isSolidity(mutant)) && `${mutant.file}: ${mutant.name}`.includes(filter)
)

const program = Effect.gen(function* () {
  if (chosen.length === 0) return yield* Effect.fail(new Error(`no mutant's file or name contains "${filter}"`))
  const root = fileURLToPath(new URL("..", import.meta.url))
  if (!(yield* Run.run(root, chosen)))
    return yield* Effect.fail(new Error("a rule can be broken without a failing test"))
})

program.pipe(
  Effect.tapError((error) => Console.error(`mutants: ${error.message}`)),
  Effect.provide(BunServices.layer),
  BunRuntime.runMain({ disableErrorReporting: true })
)
