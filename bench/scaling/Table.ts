/** The needs of loads as a Markdown table, a column for each load. */
import { type Load, MEASURED, type Needs, needs } from "./Model.ts"

/** Loads that the page about scaling shows. */
export const SHOWN: ReadonlyArray<Load> = [10, 100, 1_000].map((sweepsPerSecond) => ({
  sweepsPerSecond,
  chains: 10,
  quotesPerSweep: 3,
  inclusionSeconds: 4
}))

const MEGA = 1e6

const ROWS: ReadonlyArray<readonly [name: string, value: (need: Needs) => string]> = [
  ["orchestrator processes", ({ orchestrators }) => String(orchestrators)],
  ["cores that they use", ({ orchestratorCores }) => orchestratorCores.toFixed(1)],
  ["cores that PostgreSQL uses", ({ postgresCores }) => postgresCores.toFixed(1)],
  ["write-ahead log", ({ walBytesPerSecond }) => `${(walBytesPerSecond / MEGA).toFixed(1)} MB/s`],
  ["rows kept", ({ keptBytesPerDay }) => `${(keptBytesPerDay / 1e9).toFixed(1)} GB a day`],
  ["lanes on each chain", ({ lanesPerChain }) => String(lanesPerChain)],
  ["sweeps in a transaction", ({ batch }) => batch.toFixed(1)],
  ["calls of each chain's nodes", ({ callsPerSecondAndChain }) => `${Math.ceil(callsPerSecondAndChain)} a second`],
  ["gas on each chain", ({ gasPerSecondAndChain }) => `${(gasPerSecondAndChain / MEGA).toFixed(1)} million a second`]
]

/** Lines of the table. */
export const table = (loads: ReadonlyArray<Load>): ReadonlyArray<string> => {
  const heads = ["Sweeps a second", ...loads.map(({ sweepsPerSecond }) => sweepsPerSecond.toLocaleString("en"))]
  const rows = ROWS.map(([name, value]) => [name, ...loads.map((load) => value(needs(load)))])
  const widths = heads.map((_, column) => Math.max(...[heads, ...rows].map((row) => row[column]?.length ?? 0)))
  const line = (cells: ReadonlyArray<string>) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(" | ")} |`
  return [line(heads), line(widths.map((width) => "-".repeat(width))), ...rows.map(line)]
}

const shown = (value: number): string => value.toLocaleString("en", { maximumSignificantDigits: 2 })

/** The measured costs in one sentence. */
export const costs = (): string => {
  const { quote, sweep } = MEASURED
  return `The costs on the machine of that page: ${shown(quote.orchestrator)} ms of the orchestrator's CPU for a quote and ${shown(sweep.orchestrator)} ms for a sweep, ${shown(quote.postgres)} ms and ${shown(sweep.postgres)} ms of PostgreSQL's, ${shown(sweep.walBytes / 1_000)} kB of write-ahead log and ${shown(sweep.keptBytes / 1_000)} kB kept for a sweep.`
}
