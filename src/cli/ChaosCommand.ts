/** `./sweep chaos`: kills and reorganisations on a local network, judged from outside. */
import { Effect, Option, Random, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import * as ProjectScript from "./ProjectScript.ts"

/** The run found something, or could not be finished; what it printed says what. */
export class ChaosFailed extends Schema.TaggedError<ChaosFailed>()("ChaosFailed", {
  again: Schema.String
}) {
  override get message(): string {
    return `the run failed, see above; the same choices again: ${this.again}`
  }
}

const Kills = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** The service looks no deeper. */
const Depth = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 64 }))

const flags = {
  kills: Flag.Int("kills").pipe(
    Flag.withSchema(Kills),
    Flag.withDescription("How often to kill a process of the service, all of them, or PostgreSQL (default: 30)"),
    Flag.withDefault(30)
  ),
  reorgs: Flag.Int("reorgs").pipe(
    Flag.withSchema(Depth),
    Flag.withDescription("Then reorganise the chains, at every depth up to this, in four ways (default: 0)"),
    Flag.withDefault(0)
  ),
  seed: Flag.String("seed").pipe(
    Flag.withDescription("Of every choice: the same one kills at the same steps again. Drawn and printed unless given"),
    Flag.optional
  )
}

export const chaosCommand = Command.make("chaos", flags, ({ kills, reorgs, seed }) =>
  Effect.gen(function* () {
    const chosen = Option.isSome(seed) ? seed.value : String(yield* Random.nextIntBetween(1, 1_000_000))
    const args = ["--kills", String(kills), "--seed", chosen, "--reorgs", String(reorgs)]
    // It is made of the tests' parts, which the service does not have.
    const code = yield* ProjectScript.run("chaos/main.ts", args)
    if (code !== 0) return yield* new ChaosFailed({ again: `./sweep chaos ${args.join(" ")}` })
  })
).pipe(
  Command.withDescription(
    "Sweep on a local network while processes are killed and blocks vanish, and check every rule of money afterwards"
  ),
  Command.withExamples([
    { command: "sweep chaos", description: "Thirty kills, in about two minutes" },
    {
      command: "sweep chaos --kills 300 --seed 1 --reorgs 64",
      description: "Every step many times over, and every depth"
    }
  ])
)
