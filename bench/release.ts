/**
 * Runs the benchmarks that a release is judged by, one after another, and prints every figure with its bar. Each benchmark has a
 * node, a PostgreSQL and processes of its own.
 *
 *     bun bench/release.ts [--check] [--save VERSION]
 *
 * `--check` fails if a ratio is worse than that of the latest release by more than a tenth. `--save` adds the figures to
 * `bench/history/releases.jsonl`.
 */
import { cpus, loadavg, totalmem } from "node:os"
import { parseArgs } from "node:util"
import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as BunServices from "@effect/platform-bun/BunServices"
import { Console, DateTime, Effect, FileSystem, Schema, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { BENCHES, judged, type Lines, type Measured } from "./release/Figures.ts"
import * as History from "./release/History.ts"

const { values } = parseArgs({
  options: { check: { type: "boolean", default: false }, save: { type: "string" } }
})

const HISTORY = new URL("./history/releases.jsonl", import.meta.url).pathname
const GIB = 2 ** 30

const Json = Schema.fromJsonString(Schema.Unknown)

/** Runs a benchmark to its end and shows what it prints. Returns its last line, which is JSON. */
const run = Effect.fnUntraced(function* ({ args, name }: (typeof BENCHES)[number]) {
  yield* Console.error(`\nbench ${name}`)
  const child = yield* ChildProcess.make(process.execPath, [`bench/${name}.ts`, ...args], {
    cwd: new URL("..", import.meta.url).pathname,
    stdin: "ignore",
    stderr: "inherit",
    extendEnv: true
  })
  const lines = yield* child.stdout.pipe(
    Stream.decodeText(),
    Stream.splitLines,
    Stream.tap((line) => (line.startsWith("{") ? Effect.void : Console.error(line))),
    Stream.filter((line) => line.startsWith("{")),
    Stream.runCollect
  )
  const last = lines.at(-1)
  // A missed bar of its own ends a benchmark with an error, but not without its figures.
  yield* child.exitCode
  return last === undefined
    ? yield* Effect.fail(new Error(`bench ${name} printed no figures, see above`))
    : yield* Schema.decodeEffect(Json)(last)
}, Effect.scoped)

/** With three significant digits. */
const shown = (value: number | undefined): string =>
  value === undefined ? "-" : Number(value.toPrecision(3)).toLocaleString("en-US", { maximumSignificantDigits: 3 })

const verdict = ({ isMet }: Measured): string => (isMet === undefined ? "" : isMet ? "holds" : "MISSED")

const rowOf = (measured: Measured): string => {
  const { bar, better, title, unit } = measured.figure
  const limit = bar === undefined ? "" : `${better === "higher" ? "≥" : "≤"} ${shown(bar)}`
  return [title.padEnd(90), shown(measured.value).padStart(9), unit.padEnd(10), limit.padEnd(8), verdict(measured)]
    .join("  ")
    .trimEnd()
}

const report = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const load = loadavg()[0] ?? 0
  const machine = {
    cpu: cpus()[0]?.model ?? "unknown",
    cores: cpus().length,
    memoryGiB: Math.round(totalmem() / GIB),
    load: Math.round(load * 100) / 100
  }
  const lines: Lines = Object.fromEntries(
    yield* Effect.forEach(BENCHES, (bench) => Effect.map(run(bench), (line) => [bench.name, line] as const))
  )
  const all = judged(lines)
  yield* Console.log(`\n${machine.cores} × ${machine.cpu}, ${machine.memoryGiB} GiB, load ${machine.load} before\n`)
  for (const measured of all) yield* Console.log(rowOf(measured))
  const missed = all.filter(({ isMet }) => isMet === false)
  yield* Console.log(`\n${missed.length === 0 ? "every bar holds" : `${missed.length} bars are missed`}`)

  const figures = Object.fromEntries(
    all.flatMap(({ figure, value }) => (value === undefined ? [] : [[figure.id, Number(value.toPrecision(4))]]))
  )
  const before = (yield* fs.exists(HISTORY)) ? History.parse(yield* fs.readFileString(HISTORY)) : []
  const day = DateTime.formatIsoDateUtc(yield* DateTime.now)
  const release: History.Release = { version: values.save ?? "unsaved", day, machine, figures }
  if (values.save !== undefined) yield* fs.writeFileString(HISTORY, History.lineOf(release), { flag: "a" })
  const latest = before.at(-1)
  const worse = latest === undefined ? [] : History.regressions(latest, figures)
  for (const { after, before: old, title } of worse) {
    yield* Console.log(`worse than ${latest?.version ?? ""}: ${title}: ${shown(after)}, was ${shown(old)}`)
  }
  yield* Console.log(JSON.stringify({ bench: "release", ...release, missed: missed.map(({ figure }) => figure.id) }))
  if (values.check && latest === undefined) return yield* Effect.fail(new Error(`${HISTORY} has no release`))
  if (values.check && worse.length > 0) return yield* Effect.fail(new Error("a ratio became worse, see above"))
})

report.pipe(Effect.provide(BunServices.layer), BunRuntime.runMain)
