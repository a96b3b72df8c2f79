/** A chaos run as a program: `bun chaos/main.ts --kills 300 --steps 500 --reorgs 64 --seed 1`. `./sweep chaos` starts it. */
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as BunServices from "@effect/platform-bun/BunServices"
import { Console, Effect, Logger } from "effect"
import * as Run from "./Run.ts"
import { ALL_KINDS, type Kind } from "./steps/Deck.ts"

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "30" },
    seed: { type: "string", default: "1" },
    reorgs: { type: "string", default: "0" },
    steps: { type: "string" },
    only: { type: "string", default: "" }
  }
})

const kindOf = (name: string): Kind => {
  const kind = ALL_KINDS.find((each) => each === name)
  if (kind !== undefined) return kind
  process.stderr.write(`--only: "${name}" is no kind of step. The kinds are: ${ALL_KINDS.join(", ")}\n`)
  return process.exit(2)
}

const only = values.only === "" ? ALL_KINDS : values.only.split(",").map(kindOf)

const options = {
  kills: Number(values.kills),
  seed: values.seed,
  reorgs: Number(values.reorgs),
  // Each kind once.
  steps: values.steps === undefined ? only.length : Number(values.steps),
  only,
  directory: join(import.meta.dirname, "..", ".sweep")
}

Run.run(options, Console.log).pipe(
  Effect.tap(({ findings }) =>
    Effect.sync(() => {
      process.exitCode = findings.length === 0 ? 0 : 1
    })
  ),
  Effect.provide([BunServices.layer, Logger.layer([])]),
  BunRuntime.runMain
)
