/** `./sweep chaos`: breaks parts of a local network one at a time, or attacks it, and checks the results from outside. */
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

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** The service follows reorganisations up to this depth. */
const Depth = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 64 }))

const flags = {
  kills: Flag.Int("kills").pipe(
    Flag.withSchema(Count),
    Flag.withDescription(
      "Number of kills, each of one process of the service, all of them, or PostgreSQL (default: 30)"
    ),
    Flag.withDefault(30)
  ),
  steps: Flag.Int("steps").pipe(
    Flag.withSchema(Count),
    Flag.withDescription(
      "Number of random steps after the kills: silent chains and databases, nodes that fail, lag or fork, full disks, late logs, wrong clocks, unreadable rows, unfillable deposits, wallets under one signature, disturbed payouts, kills and reorganisations (default: each kind once)"
    ),
    Flag.optional
  ),
  only: Flag.String("only").pipe(
    Flag.withDescription(
      "Kinds of the steps, or names of the attacks, separated by commas (default: all). A name that does not exist lists them"
    ),
    Flag.optional
  ),
  reorgs: Flag.Int("reorgs").pipe(
    Flag.withSchema(Depth),
    Flag.withDescription(
      "Maximum depth of reorganisations. Every depth up to it is tried in four ways at the end (default: 0)"
    ),
    Flag.withDefault(0)
  ),
  seed: Flag.String("seed").pipe(
    Flag.withDescription("Seed of every choice. The same seed kills at the same steps (default: random, and printed)"),
    Flag.optional
  ),
  attacks: Flag.Boolean("attacks").pipe(
    Flag.withDescription("Attack the relayer's money instead, beside honest sweeps, and print a table of losses"),
    Flag.withDefault(false)
  ),
  list: Flag.Boolean("list").pipe(
    Flag.withDescription("With --attacks: print the attacks and play none"),
    Flag.withDefault(false)
  ),
  owners: Flag.Int("owners").pipe(
    Flag.withSchema(Count),
    Flag.withDescription("With --attacks: owners of each attack that has no number of its own (default: 8)"),
    Flag.withDefault(8)
  ),
  sybils: Flag.Int("sybils").pipe(
    Flag.withSchema(Count),
    Flag.withDescription("With --attacks: owners of the attack `sybil-owners` (default: 2000)"),
    Flag.withDefault(2_000)
  ),
  untimed: Flag.Boolean("untimed").pipe(
    Flag.withDescription("With --attacks: do not judge durations, for a machine that other programs keep busy"),
    Flag.withDefault(false)
  )
}

/** The run uses the tests' fixtures, which the service must not import. */
const play = Effect.fnUntraced(function* (script: string, mode: ReadonlyArray<string>, args: ReadonlyArray<string>) {
  const code = yield* ProjectScript.run(script, args)
  if (code === 0) return
  const again = [...mode, ...args].map((arg) => (arg.includes(" ") ? `"${arg}"` : arg)).join(" ")
  return yield* new ChaosFailed({ again: `./sweep chaos ${again}` })
})

export const chaosCommand = Command.make(
  "chaos",
  flags,
  ({ attacks, kills, list, only, owners, reorgs, seed, steps, sybils, untimed }) =>
    Effect.gen(function* () {
      const chosenKinds = Option.match(only, { onNone: () => [], onSome: (kinds) => ["--only", kinds] })
      if (attacks) {
        const switches = [...(list ? ["--list"] : []), ...(untimed ? ["--untimed"] : [])]
        const sizes = ["--owners", String(owners), "--sybils", String(sybils)]
        return yield* play("chaos/attacks/main.ts", ["--attacks"], [...switches, ...sizes, ...chosenKinds])
      }
      const chosen = Option.isSome(seed) ? seed.value : String(yield* Random.nextIntBetween(1, 1_000_000))
      const counts = { kills, reorgs }
      return yield* play(
        "chaos/main.ts",
        [],
        [
          ...Object.entries(counts).flatMap(([name, count]) => [`--${name}`, String(count)]),
          ...Option.match(steps, { onNone: () => [], onSome: (count) => ["--steps", String(count)] }),
          ...chosenKinds,
          "--seed",
          chosen
        ]
      )
    })
).pipe(
  Command.withDescription(
    "Sweep on a local network while its parts break, one at a time, and check every rule of money"
  ),
  Command.withExamples([
    { command: "sweep chaos", description: "Thirty kills and every kind of step, in about five minutes" },
    { command: "sweep chaos --kills 0 --steps 500", description: "Five hundred random steps, in about two hours" },
    {
      command: "sweep chaos --kills 300 --steps 0 --reorgs 64 --seed 1",
      description: "Kill at every step many times, and reorganise at every depth"
    },
    { command: "sweep chaos --attacks", description: "Every attack on the relayer's money, in about half an hour" },
    {
      command: "sweep chaos --attacks --only gas-bomb,own-sandwich",
      description: "Two attacks. `--list` prints the names"
    }
  ])
)
