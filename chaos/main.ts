/** A chaos run as a program: `bun chaos/main.ts --kills 300 --seed 1 --reorgs 64`. `./sweep chaos` starts it. */
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as BunServices from "@effect/platform-bun/BunServices"
import { Console, Effect, Logger } from "effect"
import * as Run from "./Run.ts"

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "30" },
    seed: { type: "string", default: "1" },
    reorgs: { type: "string", default: "0" }
  }
})

const options = {
  kills: Number(values.kills),
  seed: values.seed,
  reorgs: Number(values.reorgs),
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
