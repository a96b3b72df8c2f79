/** `./sweep bench`: measures speed and cost. The bars are ratios within one run, so they hold on any machine. */
import { Effect, Option, Schema } from "effect"
import { Command, Flag } from "effect/cli"
import * as ProjectScript from "./ProjectScript.ts"

export class BenchFailed extends Schema.TaggedError<BenchFailed>()("BenchFailed", { bench: Schema.String }) {
  override get message(): string {
    return `bench ${this.bench} failed or missed a bar, see the output above`
  }
}

const count = (name: string, fallback: number, description: string) =>
  Flag.Int(name).pipe(
    Flag.withSchema(Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))),
    Flag.withDescription(`${description} (default: ${fallback})`),
    Flag.withDefault(fallback)
  )

const profile = Flag.String("profile").pipe(
  Flag.withDescription("Folder for a CPU profile of the orchestrator. Profiling slows it down"),
  Flag.optional
)

const script = Effect.fnUntraced(function* (bench: string, args: ReadonlyArray<string>) {
  if ((yield* ProjectScript.run(`bench/${bench}.ts`, args)) !== 0) return yield* new BenchFailed({ bench })
})

const run = (bench: string, options: Readonly<Record<string, number | Option.Option<string>>>) =>
  script(
    bench,
    Object.entries(options).flatMap(([name, value]) => {
      const given = typeof value === "number" ? String(value) : Option.getOrUndefined(value)
      return given === undefined ? [] : [`--${name}`, given]
    })
  )

const relay = Command.make(
  "relay",
  {
    count: count("count", 5_000, "Sweeps submitted at once"),
    rate: count("rate", 50, "Sweeps per second of the steady run"),
    seconds: count("seconds", 15, "Duration of the steady run in seconds. 0 skips it"),
    profile
  },
  (options) => run("relay", options)
).pipe(Command.withDescription("Measure signed sweeps of new accounts until delivery, compared with the node alone"))

const api = Command.make(
  "api",
  {
    seconds: count("seconds", 10, "Duration of each measurement in seconds"),
    reads: count("reads", 1_400, "GET /intents/:id requests per second"),
    submits: count("submits", 50, "POST /intents requests per second"),
    quotes: count("quotes", 20, "POST /quote requests per second"),
    seed: count("seed", 1, "Seed of the schedule of requests"),
    profile
  },
  (options) => run("api", options)
).pipe(
  Command.withDescription(
    "Measure latencies under an open-loop load, compared with a bare server that runs the same query"
  )
)

const latency = Command.make(
  "latency",
  {
    count: count("count", 20, "Quotes of each kind"),
    wallets: count("wallets", 10, "Wallets of 50 tokens on 2 chains"),
    delay: count("delay", 50, "Delay that is added to every answer of a node, in milliseconds")
  },
  (options) => run("latency", options)
).pipe(
  Command.withDescription(
    "Measure quotes and submissions behind nodes that answer late, and a wallet of 50 tokens beside one token"
  )
)

const portfolio = Command.make(
  "portfolio",
  {
    tokens: count("tokens", 5_000, "Listed tokens of each of the six chains"),
    delay: count("delay", 50, "Delay of every answer of a node, in milliseconds"),
    count: count("count", 5, "Portfolios, one after another")
  },
  (options) => run("portfolio", options)
).pipe(Command.withDescription("Measure the balances of one owner over long token lists on six chains"))

const gas = Command.make("gas", {}, () => run("gas", {})).pipe(
  Command.withDescription("Compare the gas of sweeps, as forge measured it, with the bars and with a plain account")
)

const gasEstimates = Command.make(
  "gas-estimates",
  {
    count: count("count", 500, "Sweeps sent alone, on each node"),
    batches: count("batches", 20, "Batches of 2 to 8 sweeps, on each node"),
    seed: count("seed", 1, "Seed of the random sweeps")
  },
  (options) => run("gas-estimates", options)
).pipe(
  Command.withDescription("Compare the gas that quotes count with that of receipts, for random sweeps on two nodes")
)

const signatures = Command.make("signatures", {}, () => run("signatures", {})).pipe(
  Command.withDescription("Measure hashing and signature recovery, natively and by viem")
)

const codecs = Command.make("codecs", {}, () => run("codecs", {})).pipe(
  Command.withDescription("Measure the CPU of the hand-written codecs beside the libraries that they replace")
)

const scaling = Command.make(
  "scaling",
  {
    chains: count("chains", 10, "Chains that the sweeps are spread over"),
    quotes: count("quotes", 3, "Quotes for each submitted sweep"),
    inclusion: count("inclusion", 4, "Seconds from the broadcast of a transaction to its block")
  },
  (options) => run("scaling", options)
).pipe(
  Command.withDescription("Compute what 10, 100 and 1,000 sweeps a second need, and check the formulas by simulations")
)

const storage = Command.make(
  "storage",
  {
    count: count("count", 3_000, "Sweeps whose cost is measured. 0 skips them"),
    sweeps: count("sweeps", 0, "Old sweeps behind the reads. 0 skips the reads")
  },
  (options) => run("storage", options)
).pipe(
  Command.withDescription(
    "Measure PostgreSQL's CPU, WAL and disk for each sweep, and reads with many old sweeps behind them"
  ),
  Command.withExamples([
    {
      command: "sweep bench storage --count 0 --sweeps 1000000",
      description: "Only the reads: times, and the tables and indexes that each of them used"
    }
  ])
)

const market = Command.make(
  "market",
  {
    tokens: count("tokens", 400, "Tokens of the market"),
    faulty: count("faulty", 60, "Tokens of each round with faulty services. 0 skips them"),
    seed: count("seed", 1, "Seed of the market and of the faults"),
    rate: count("rate", 3, "Quotes per second at most. The services have budgets of requests"),
    shapes: Flag.String("shapes").pipe(
      Flag.withDescription("Catalogues that the two chains are shaped like (default: base,bnb)"),
      Flag.optional
    ),
    latency: count("latency", 0, "Milliseconds that each answer of a node or a service takes longer"),
    details: count("details", 0, "1 prints every token that is missed or falls short")
  },
  (options) => run("market", options)
).pipe(
  Command.withDescription(
    "Quote every token of a replayable market, beside the best sale in hindsight, with honest and with faulty services"
  ),
  Command.withExamples([
    {
      command: "sweep bench market --shapes ethereum,optimism --details 1",
      description: "A market on two other catalogues, with each token that is missed"
    },
    {
      command: "sweep bench market --faulty 0 --latency 30",
      description: "Nodes and services as far away as public ones"
    }
  ])
)

const web = Command.make(
  "web",
  {
    runs: count("runs", 3, "Visits of each page, by the clock and by CPU time"),
    only: Flag.String("only").pipe(
      Flag.withDescription("Measures only the pages whose names contain this text"),
      Flag.optional
    )
  },
  (options) => run("web", options)
).pipe(
  Command.withDescription(
    "Measure every page in a real browser on a slow phone: largest paint, blocking time, shifts, bytes, and a list of 500 tokens"
  ),
  Command.withExamples([{ command: "sweep bench web --only console", description: "Only the operators' console" }])
)

const release = {
  check: Flag.Boolean("check").pipe(
    Flag.withDescription("Fail if a ratio is worse than that of the latest release by more than a tenth"),
    Flag.withDefault(false)
  ),
  save: Flag.String("save").pipe(
    Flag.withDescription("Version to add to bench/history/releases.jsonl with its figures"),
    Flag.optional
  )
}

export const benchCommand = Command.make("bench", release, ({ check, save }) =>
  script("release", [
    ...(check ? ["--check"] : []),
    ...Option.match(save, { onNone: () => [], onSome: (version) => ["--save", version] })
  ])
).pipe(
  Command.withDescription(
    "Measure throughput, latency, CPU and gas, in about 20 minutes, and print every figure with its bar. A subcommand runs one benchmark. Each ends with a line of JSON"
  ),
  Command.withSubcommands([
    relay,
    api,
    latency,
    portfolio,
    gas,
    gasEstimates,
    market,
    web,
    storage,
    signatures,
    codecs,
    scaling
  ]),
  Command.withExamples([
    { command: "sweep bench --check", description: "Every figure with its bar, beside those of the latest release" },
    { command: "sweep bench relay", description: "Sweeps settled per second" },
    { command: "sweep bench relay --count 2000 --seconds 0", description: "Only the burst, with fewer sweeps" }
  ])
)
