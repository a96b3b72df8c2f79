/** Medians of the visits beside their bars. */
import type { WebPage } from "./Pages.ts"
import type { ListTimes } from "./TokenList.ts"
import type { ByCpu, Loaded } from "./Visit.ts"

/** Most that a page may take: milliseconds by CPU, and shift. */
export const BARS = { largestPaintCpuMs: 2_000, blockingCpuMs: 200, shift: 0.05 }

/**
 * Most that the list of 500 tokens may take, in milliseconds. On the phone an answer to input counts as good up to 200:
 * https://web.dev/articles/inp
 */
export const LIST_BARS = { paintMs: 1_000, inputMs: 100, phoneInputMs: 200 }

export interface Row extends Loaded {
  readonly name: string
  readonly largestPaintCpuMs: number
  readonly blockingCpuMs: number
  readonly mostBytes: number | undefined
}

export const median = (samples: ReadonlyArray<number>): number =>
  samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)] ?? Number.NaN

const rounded = (value: number, digits = 0): number => Number(value.toFixed(digits))

export const rowOf = (
  { mostBytes, name }: Pick<WebPage, "name" | "mostBytes">,
  visits: ReadonlyArray<Loaded>,
  byCpu: ReadonlyArray<ByCpu>
): Row => {
  const of = (key: Exclude<keyof Loaded, "largest">) => median(visits.map((visit) => visit[key]))
  return {
    name,
    bytes: of("bytes"),
    mostBytes,
    largest: visits.at(-1)?.largest ?? "",
    firstPaintMs: rounded(of("firstPaintMs")),
    largestPaintMs: rounded(of("largestPaintMs")),
    largestPaintCpuMs: rounded(median(byCpu.map(({ largestPaintMs }) => largestPaintMs))),
    blockingMs: rounded(of("blockingMs")),
    blockingCpuMs: rounded(median(byCpu.map(({ blockingMs }) => blockingMs))),
    shift: rounded(of("shift"), 3)
  }
}

const kilo = (bytes: number): string => `${(bytes / 1_000).toFixed(1)} kB`

const cells = (name: string, rest: ReadonlyArray<string>): string =>
  [name.padEnd(28), ...rest.map((each) => each.padStart(14))].join("")

export const HEADER = cells("slow phone, slow 4G", [
  "LCP by CPU",
  "by clock",
  "TBT by CPU",
  "by clock",
  "CLS",
  "compressed"
])
  .concat("\n")
  .concat(cells("bar", ["2000 ms", "", "200 ms", "", "0.05", "sweep: 120 kB"]))

/** The figures that are above their bars. */
export const missesOf = (row: Row): ReadonlyArray<string> => [
  ...(Object.keys(BARS) as ReadonlyArray<keyof typeof BARS>).flatMap((key) =>
    row[key] > BARS[key] ? [`${row.name}: ${key} ${row[key]}, at most ${BARS[key]}`] : []
  ),
  ...(row.mostBytes !== undefined && row.bytes > row.mostBytes
    ? [`${row.name}: ${kilo(row.bytes)}, at most ${kilo(row.mostBytes)}`]
    : [])
]

export const line = (row: Row): string =>
  cells(row.name, [
    String(row.largestPaintCpuMs),
    String(row.largestPaintMs),
    String(row.blockingCpuMs),
    String(row.blockingMs),
    String(row.shift),
    kilo(row.bytes)
  ]).concat(missesOf(row).length > 0 ? "  MISSED" : "")

/** Medians of the list's times. Undefined without a run. */
export const listOf = (runs: ReadonlyArray<ListTimes>): ListTimes | undefined =>
  runs.length === 0
    ? undefined
    : {
        paintMs: rounded(median(runs.map(({ paintMs }) => paintMs))),
        inputMs: rounded(median(runs.map(({ inputMs }) => inputMs))),
        phoneInputMs: rounded(median(runs.map(({ phoneInputMs }) => phoneInputMs))),
        taskMs: rounded(median(runs.map(({ taskMs }) => taskMs)))
      }

export const listMisses = (list: ListTimes): ReadonlyArray<string> =>
  (Object.keys(LIST_BARS) as ReadonlyArray<keyof typeof LIST_BARS>).flatMap((key) =>
    list[key] > LIST_BARS[key] ? [`list of 500 tokens: ${key} ${list[key]}, at most ${LIST_BARS[key]}`] : []
  )

export const listText = ({ inputMs, paintMs, phoneInputMs, taskMs }: ListTimes): string =>
  `\n500 tokens: painted ${paintMs} ms after the answer (bar ${LIST_BARS.paintMs}), ` +
  `slowest input ${inputMs} ms (bar ${LIST_BARS.inputMs}), on the phone ${phoneInputMs} ms (bar ${LIST_BARS.phoneInputMs}), ` +
  `slowest task ${taskMs} ms by CPU`

export const VERDICT = (missed: ReadonlyArray<string>): string =>
  missed.length === 0 ? "every bar holds" : `missed:\n${missed.join("\n")}`

/** The worst figure of all pages, by which a release is judged. */
export const worstOf = (rows: ReadonlyArray<Row>) => ({
  largestPaintCpuMs: Math.max(...rows.map((row) => row.largestPaintCpuMs)),
  blockingCpuMs: Math.max(...rows.map((row) => row.blockingCpuMs)),
  shift: Math.max(...rows.map((row) => row.shift)),
  sweepBytes: rows.find(({ mostBytes }) => mostBytes !== undefined)?.bytes
})
