/** `./sweep bench`: how fast it is and what it costs, in ratios of one run on the machine at hand. */
import { Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import * as ProjectScript from "./ProjectScript.ts"

export class BenchFailed extends Schema.TaggedError<BenchFailed>()("BenchFailed", { bench: Schema.String }) {
  override get message(): string {
    return `bench ${this.bench} failed or missed a bar, see above`
  }
}

const count = (name: string, fallback: number, description: string) =>
  Flag.Int(name).pipe(
    Flag.withSchema(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))),
    Flag.withDescription(`${description} (default: ${fallback})`),
    Flag.withDefault(fallback)
  )

const profile = Flag.String("profile").pipe(
  Flag.withDescription("Folder for a CPU profile of the orchestrator; taking one slows it down"),
  Flag.optional
)

const run = (bench: string, options: Readonly<Record<string, number | Option.Option<string>>>) =>
  Effect.gen(function* () {
    const args = Object.entries(options).flatMap(([name, value]) => {
      const given = typeof value === "number" ? String(value) : Option.getOrUndefined(value)
      return given === undefined ? [] : [`--${name}`, given]
    })
    if ((yield* ProjectScript.run(`bench/${bench}.ts`, args)) !== 0) return yield* new BenchFailed({ bench })
  })

const relay = Command.make(
  "relay",
  {
    count: count("count", 5_000, "Sweeps of the flood"),
    rate: count("rate", 50, "Sweeps a second of the steady run"),
    seconds: count("seconds", 15, "How long the steady run lasts; 0 leaves it out"),
    profile
  },
  (options) => run("relay", options)
).pipe(
  Command.withDescription("Signed sweeps of fresh accounts until they are delivered, beside what the node does alone")
)

const api = Command.make(
  "api",
  {
    seconds: count("seconds", 10, "How long each measurement lasts"),
    reads: count("reads", 1_400, "GET /intents/:id a second"),
    submits: count("submits", 50, "POST /intents a second"),
    quotes: count("quotes", 20, "POST /quote a second"),
    seed: count("seed", 1, "Of the arrivals' schedule"),
    profile
  },
  (options) => run("api", options)
).pipe(Command.withDescription("Latencies under arrivals that do not wait, beside a bare server with the same query"))

const gas = Command.make("gas", {}, () => run("gas", {})).pipe(
  Command.withDescription("Gas of sweeps as forge measured it, against the bars and a plain account's")
)

const signatures = Command.make("signatures", {}, () => run("signatures", {})).pipe(
  Command.withDescription("What hashing and recovering cost, natively and by viem")
)

export const benchCommand = Command.make("bench").pipe(
  Command.withDescription("Measure throughput, latency, CPU and gas; each ends with a line of JSON"),
  Command.withSubcommands([relay, api, gas, signatures]),
  Command.withExamples([
    { command: "sweep bench relay", description: "How many sweeps settle in a second" },
    { command: "sweep bench relay --count 2000 --seconds 0", description: "The flood alone, and a smaller one" }
  ])
)
