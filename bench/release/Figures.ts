/** The figures by which a release is judged: where each stands in the JSON of its benchmark, and its bar. */

/** Benchmarks of a release, in the order in which they run. Each ends with a line of JSON. */
export const BENCHES = [
  { name: "gas", args: [] },
  { name: "storage", args: [] },
  { name: "relay", args: ["--replicas", "1"] },
  { name: "api", args: [] },
  { name: "latency", args: [] },
  { name: "web", args: ["--runs", "3"] }
] as const

export type Bench = (typeof BENCHES)[number]["name"]

/** JSON line of each benchmark. */
export type Lines = Readonly<Partial<Record<Bench, unknown>>>

/** A number that a release is judged by. */
export interface Figure {
  /** Stays the same from release to release. */
  readonly id: string
  readonly title: string
  readonly unit: "ms" | "µs" | "bytes" | "per second" | "gas" | "ratio"
  readonly better: "higher" | "lower"
  /** Undefined: the figure is only shown. */
  readonly bar?: number
  /** True if both sides were measured in the same run, so that figures of other machines compare. */
  readonly isRatio: boolean
  readonly read: (lines: Lines) => number | undefined
}

/** The number at a JSON pointer (RFC 6901) without its first slash. Undefined if there is none. */
export const numberAt = (line: unknown, path: string): number | undefined => {
  const found = path
    .split("/")
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"))
    .reduce<unknown>(
      (value, key) => (typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined),
      line
    )
  return typeof found === "number" && Number.isFinite(found) ? found : undefined
}

const at =
  (bench: Bench, path: string): Figure["read"] =>
  (lines) =>
    numberAt(lines[bench], path)

/** Quotient of two numbers. Undefined if one is missing or the second is zero. */
const share =
  (of: Figure["read"], by: Figure["read"]): Figure["read"] =>
  (lines) => {
    const [dividend, divisor] = [of(lines), by(lines)]
    return dividend === undefined || divisor === undefined || divisor === 0 ? undefined : dividend / divisor
  }

const cpu = (part: "orchestrator" | "postgres" | "node") => at("relay", `flood/cpuMsPerSweep/${part}`)

type Terms = Omit<Figure, "id" | "title" | "read" | "isRatio">

const absolute = (id: string, title: string, terms: Terms, read: Figure["read"]): Figure => ({
  id,
  title,
  ...terms,
  isRatio: false,
  read
})

const ratio = (id: string, title: string, terms: Omit<Terms, "unit">, read: Figure["read"]): Figure => ({
  id,
  title,
  ...terms,
  unit: "ratio",
  isRatio: true,
  read
})

const fewer = (unit: Figure["unit"], bar?: number): Terms => ({
  unit,
  better: "lower",
  ...(bar === undefined ? {} : { bar })
})

export const FIGURES: ReadonlyArray<Figure> = [
  absolute(
    "settled",
    "sweeps settled per second, over a flood",
    { unit: "per second", better: "higher", bar: 1_000 },
    at("relay", "flood/settledPerSecond")
  ),
  ratio(
    "settled-of-node",
    "the same, as a share of what the node alone settles",
    { better: "higher", bar: 0.6 },
    at("relay", "shareOfNode")
  ),
  ratio(
    "two-replicas",
    "sweeps settled per second by two replicas, as a multiple of those by one",
    { better: "higher", bar: 1 },
    at("relay", "twoReplicasOfOne")
  ),
  absolute("orchestrator-cpu", "CPU of the orchestrator for a sweep", fewer("ms", 0.5), cpu("orchestrator")),
  absolute("postgres-cpu", "CPU of PostgreSQL for a sweep", fewer("ms", 0.5), cpu("postgres")),
  absolute("node-cpu", "CPU of the node for a sweep", fewer("ms"), cpu("node")),
  ratio(
    "orchestrator-of-node",
    "CPU of the orchestrator for a sweep, as a share of the node's",
    { better: "lower" },
    share(cpu("orchestrator"), cpu("node"))
  ),
  ratio(
    "postgres-of-node",
    "CPU of PostgreSQL for a sweep, as a share of the node's",
    { better: "lower" },
    share(cpu("postgres"), cpu("node"))
  ),
  absolute(
    "broadcast",
    "from accepted to broadcast at p99, 50 sweeps per second",
    fewer("ms", 60),
    at("relay", "paced/acceptToBroadcastMs/p99")
  ),
  absolute(
    "settling",
    "from accepted to settled at p50, 50 sweeps per second and blocks of 1 s",
    fewer("ms"),
    at("relay", "paced/acceptToSettledMs/p50")
  ),
  ratio(
    "read-of-bare",
    "answers of GET /intents/:id per second, as a share of a bare server with the same query",
    { better: "higher", bar: 0.5 },
    at("api", "ratios/ofBarePostgres")
  ),
  absolute(
    "read",
    "GET /intents/:id at p99, 1,400 per second",
    fewer("ms", 10),
    at("api", "latency/GET ~1intents~1:id/p99Ms")
  ),
  absolute("quote-cpu", "CPU of the orchestrator for a quote", fewer("ms", 10), at("latency", "costs/quote/cpuMillis")),
  ratio(
    "wallet-of-token",
    "time of a quote of 50 tokens, as a multiple of that of one",
    { better: "lower", bar: 2 },
    at("latency", "ratio")
  ),
  absolute("kept", "disk of a settled sweep, with indexes", fewer("bytes", 1_536), at("storage", "keptBytesPerSweep")),
  ratio(
    "hot",
    "updates of a sweep's state that touch no index",
    { better: "higher", bar: 0.95 },
    share(at("storage", "hotUpdatesPerSweep"), at("storage", "updatesPerSweep"))
  ),
  absolute("sweep-page", "compressed bytes of the sweep page", fewer("bytes", 120_000), at("web", "worst/sweepBytes")),
  absolute(
    "largest-paint",
    "largest paint of the slowest page on a slow phone, by CPU time",
    fewer("ms", 2_000),
    at("web", "worst/largestPaintCpuMs")
  ),
  absolute(
    "blocking-time",
    "blocking time of the slowest page on a slow phone, by CPU time",
    fewer("ms", 200),
    at("web", "worst/blockingCpuMs")
  ),
  absolute("layout-shift", "layout shift of the worst page", fewer("ratio", 0.05), at("web", "worst/shift")),
  absolute("token-list", "first paint of a list of 500 tokens", fewer("ms", 1_000), at("web", "list/paintMs")),
  absolute("token-list-input", "slowest input on that list", fewer("ms", 100), at("web", "list/inputMs")),
  absolute(
    "token-list-input-phone",
    "slowest input on that list on a slow phone",
    fewer("ms", 200),
    at("web", "list/phoneInputMs")
  )
]

/** A figure of a run. */
export interface Measured {
  readonly figure: Figure
  /** Undefined if the benchmark did not tell it. */
  readonly value: number | undefined
  /** Undefined if there is no bar or no value. */
  readonly isMet: boolean | undefined
}

const meets = ({ bar, better }: Figure, value: number | undefined): boolean | undefined => {
  if (bar === undefined || value === undefined) return undefined
  return better === "higher" ? value >= bar : value <= bar
}

/** Every figure, with its verdict. */
export const judged = (lines: Lines): ReadonlyArray<Measured> =>
  FIGURES.map((figure) => {
    const value = figure.read(lines)
    return { figure, value, isMet: meets(figure, value) }
  })
