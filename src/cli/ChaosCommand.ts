/** `./sweep chaos`: kills processes and reorganises chains of a local network, and checks the results from outside. */
import { Effect, Option, Random, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import * as ProjectScript from "./ProjectScript.ts"

/** The run found a violation or could not finish. Its output has the cause. */
export class ChaosFailed extends Schema.TaggedError<ChaosFailed>()("ChaosFailed", {
  again: Schema.String
}) {
  override get message(): string {
    return `the run failed, see above. Run the same choices again with: ${this.again}`
  }
}

const Kills = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** The service follows reorganisations up to this depth. */
const Depth = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 64 }))

const flags = {
  kills: Flag.Int("kills").pipe(
    Flag.withSchema(Kills),
    Flag.withDescription(
      "Number of kills, each of one process of the service, all of them, or PostgreSQL (default: 30)"
    ),
    Flag.withDefault(30)
  ),
  reorgs: Flag.Int("reorgs").pipe(
    Flag.withSchema(Depth),
    Flag.withDescription(
      "Maximum depth of reorganisations. Every depth up to it is tried in four ways after the kills (default: 0)"
    ),
    Flag.withDefault(0)
  ),
  seed: Flag.String("seed").pipe(
    Flag.withDescription("Seed of every choice. The same seed kills at the same steps (default: random, and printed)"),
    Flag.optional
  )
}

export const chaosCommand = Command.make("chaos", flags, ({ kills, reorgs, seed }) =>
  Effect.gen(function* () {
    const chosen = Option.isSome(seed) ? seed.value : String(yield* Random.nextIntBetween(1, 1_000_000))
    const args = ["--kills", String(kills), "--seed", chosen, "--reorgs", String(reorgs)]
    // The run uses the tests' fixtures, which the service must not import.
    const code = yield* ProjectScript.run("chaos/main.ts", args)
    if (code !== 0) return yield* new ChaosFailed({ again: `./sweep chaos ${args.join(" ")}` })
  })
).pipe(
  Command.withDescription(
    "Sweep on a local network while processes are killed and blocks are reorganised, then check every rule of money"
  ),
  Command.withExamples([
    { command: "sweep chaos", description: "Thirty kills, in about two minutes" },
    {
      command: "sweep chaos --kills 300 --seed 1 --reorgs 64",
      description: "Kill at every step many times, and reorganise at every depth"
    }
  ])
)
