/** Figures of a page that its own browser measures: paints, shifts, blocking tasks and answers to input. */
import { Schema } from "effect"
import type { Page } from "playwright-core"
import { blocking } from "./MainThread.ts"

const Shift = Schema.Struct({ atMs: Schema.Finite, value: Schema.Finite })

/** Times are in milliseconds since the navigation. */
const Seen = Schema.Struct({
  firstPaintMs: Schema.Finite,
  largestPaintMs: Schema.Finite,
  /** Start of the text of the element that was painted then. */
  largest: Schema.String,
  /** Shifts of the layout that follow no input. */
  shifts: Schema.Array(Shift),
  longTasks: Schema.Array(Schema.Struct({ startMs: Schema.Finite, durationMs: Schema.Finite })),
  /** Durations of clicks and keys until the next paint, those below 16 milliseconds left out. */
  inputs: Schema.Array(Schema.Finite)
})

export type Seen = typeof Seen.Type

/** Runs in the page before its own scripts. */
const observe = () => {
  const seen = {
    firstPaintMs: 0,
    largestPaintMs: 0,
    largest: "",
    shifts: new Array<unknown>(),
    longTasks: new Array<unknown>(),
    inputs: new Array<unknown>()
  }
  Object.assign(window, { seenByBench: seen })
  const each = (type: string, tell: (entry: PerformanceEntry) => void, more: object = {}) =>
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) tell(entry)
    }).observe({ type, buffered: true, ...more })
  each("paint", ({ name, startTime }) => {
    if (name === "first-contentful-paint") seen.firstPaintMs = startTime
  })
  each("largest-contentful-paint", (entry) => {
    const element: unknown = Reflect.get(entry, "element")
    seen.largestPaintMs = entry.startTime
    seen.largest = element instanceof HTMLElement ? element.innerText.slice(0, 40) : ""
  })
  each("layout-shift", (entry) => {
    if (Reflect.get(entry, "hadRecentInput") === true) return
    seen.shifts.push({ atMs: entry.startTime, value: Reflect.get(entry, "value") })
  })
  each("longtask", ({ duration, startTime }) => seen.longTasks.push({ startMs: startTime, durationMs: duration }))
  each(
    "event",
    (entry) => {
      if (Reflect.get(entry, "interactionId") > 0) seen.inputs.push(entry.duration)
    },
    { durationThreshold: 16 }
  )
}

/** Before the page is opened. */
export const install = (page: Page) => page.addInitScript(observe)

const decode = Schema.decodeUnknownSync(Seen)

export const read = async (page: Page): Promise<Seen> =>
  decode(await page.evaluate(() => Reflect.get(window, "seenByBench")))

/** Milliseconds of a window of shifts: the longest pause inside, and the whole. */
const PAUSE_MS = 1_000
const WINDOW_MS = 5_000

/** Cumulative Layout Shift: the largest sum of shifts that follow one another. https://web.dev/articles/cls */
export const cumulativeShift = (shifts: Seen["shifts"]): number => {
  let worst = 0
  let sum = 0
  let firstMs = -Infinity
  let lastMs = -Infinity
  for (const { atMs, value } of shifts) {
    const isSame = atMs - lastMs < PAUSE_MS && atMs - firstMs < WINDOW_MS
    if (!isSame) firstMs = atMs
    sum = isSame ? sum + value : value
    lastMs = atMs
    worst = Math.max(worst, sum)
  }
  return worst
}

/** Total Blocking Time in milliseconds: after the first paint, the parts of tasks beyond 50 milliseconds. */
export const totalBlocking = ({ firstPaintMs, longTasks }: Pick<Seen, "firstPaintMs" | "longTasks">): number =>
  blocking(longTasks.filter(({ startMs }) => startMs >= firstPaintMs).map(({ durationMs }) => durationMs))
