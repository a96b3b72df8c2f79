/** Attacks as a program: `bun chaos/attacks/main.ts --only gas-burner,gas-bomb`. `./sweep chaos --attacks` starts it. */
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as BunServices from "@effect/platform-bun/BunServices"
import { Console, Effect, Logger } from "effect"
import type { Attack } from "./Fight.ts"
import { ATTACKS } from "./Roster.ts"
import * as Run from "./Run.ts"

const { values } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    list: { type: "boolean", default: false },
    owners: { type: "string", default: "8" },
    sybils: { type: "string", default: "2000" },
    calm: { type: "string", default: "8" },
    untimed: { type: "boolean", default: false }
  }
})

const attackOf = (name: string): Attack => {
  const found = ATTACKS.find((each) => each.name === name)
  if (found !== undefined) return found
  process.stderr.write(
    `--only: "${name}" is no attack. The attacks are: ${ATTACKS.map((each) => each.name).join(", ")}\n`
  )
  return process.exit(2)
}

const attacks = values.only === "" ? ATTACKS : values.only.split(",").map(attackOf)

const list = Effect.forEach(attacks, ({ about, name, tokens }) => Console.log(`${name} (${tokens}): ${about}`), {
  discard: true
})

const played = Run.run(
  {
    attacks,
    size: Number(values.owners),
    sybils: Number(values.sybils),
    isTimed: !values.untimed,
    calmMillis: Number(values.calm) * 1_000,
    directory: join(import.meta.dirname, "..", "..", ".sweep")
  },
  Console.log
).pipe(
  Effect.tap(({ missed }) =>
    Effect.sync(() => {
      process.exitCode = missed.length === 0 ? 0 : 1
    })
  ),
  Effect.provide([BunServices.layer, Logger.layer([])])
)

if (values.list) BunRuntime.runMain(list)
else BunRuntime.runMain(played)
