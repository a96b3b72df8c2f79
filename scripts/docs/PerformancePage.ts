/** `docs/explanation/performance.md`: the figures of the latest release with their bars, and a chart of all releases. */
import { FIGURES, type Figure } from "../../bench/release/Figures.ts"
import * as History from "../../bench/release/History.ts"
import { GENERATED, table } from "./Table.ts"

/** Characters of the longest bar of a chart. */
const WIDTH = 50

const shown = (value: number): string => value.toLocaleString("en-US", { maximumSignificantDigits: 3 })

const limitOf = ({ bar, better }: Figure): string =>
  bar === undefined ? "" : `${better === "higher" ? "at least" : "at most"} ${shown(bar)}`

const verdict = ({ bar, better }: Figure, value: number): string => {
  if (bar === undefined) return ""
  return (better === "higher" ? value >= bar : value <= bar) ? "holds" : "missed"
}

const row = (figure: Figure, value: number | undefined): ReadonlyArray<string> => [
  figure.title,
  value === undefined ? "not measured" : shown(value),
  figure.unit,
  limitOf(figure),
  value === undefined ? "" : verdict(figure, value)
]

/** One line for each release, as long as its value. The last line is the bar, if there is one. */
const chart = (figure: Figure, all: ReadonlyArray<History.Release>): string => {
  const values = all.flatMap(({ figures, version }) => {
    const value = figures[figure.id]
    return value === undefined ? [] : [{ name: version, value }]
  })
  const lines = figure.bar === undefined ? values : [...values, { name: limitOf(figure), value: figure.bar }]
  const most = Math.max(...lines.map(({ value }) => value))
  const wide = Math.max(...lines.map(({ name }) => name.length))
  const drawn = lines.map(({ name, value }) => {
    const length = Math.max(1, Math.round((value / most) * WIDTH))
    return `${name.padEnd(wide)}  ${"█".repeat(length)} ${shown(value)}`
  })
  return [`${figure.title}, ${figure.unit}`, ...drawn].join("\n")
}

const body = (all: ReadonlyArray<History.Release>, latest: History.Release): string => {
  const { cores, cpu, load, memoryGiB } = latest.machine
  return `Version ${latest.version}, measured on ${latest.day} on ${cores} cores (${cpu}) with ${memoryGiB} GiB, which the service,
PostgreSQL, the node and the driver share. The load before the run was ${shown(load)}.

${table(
  ["Figure", "Result", "Unit", "Bar", ""],
  FIGURES.map((figure) => row(figure, latest.figures[figure.id]))
)}

## From release to release

${FIGURES.filter(({ id }) => latest.figures[id] !== undefined)
  .map((figure) => `\`\`\`text\n${chart(figure, all)}\n\`\`\``)
  .join("\n\n")}`
}

/** `text`: a line of JSON for each release. */
export const performancePage = (text: string): string => {
  const all = History.parse(text)
  const latest = all.at(-1)
  return `# Performance

${GENERATED}

For operators and developers: what a sweep costs the service beside the chain, and how that changes from release to release.
\`./sweep bench\` measures these figures and prints each with its bar. [Benchmarks](../reference/benchmarks.md) says what each benchmark does.

A ratio has both of its sides from one run, so it can be compared with that of another machine. Other figures hold for the machine of the
run. \`./sweep bench --check\` fails if a ratio is worse than that of the latest release by more than a tenth.

${latest === undefined ? "No release has been measured yet." : body(all, latest)}
`
}
