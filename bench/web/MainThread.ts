/**
 * Times of a page by the CPU time of its main thread, which a busy machine changes little: each task counts as long as a phone takes for it,
 * a multiple of its CPU time here.
 */
import { Schema } from "effect"

const Event = Schema.Struct({
  name: Schema.String,
  pid: Schema.Int,
  tid: Schema.Int,
  /** Microseconds of a clock that all events share. */
  ts: Schema.Finite,
  /** Microseconds, by the clock and of the CPU. */
  dur: Schema.optionalKey(Schema.Finite),
  tdur: Schema.optionalKey(Schema.Finite),
  args: Schema.optionalKey(
    Schema.Struct({
      name: Schema.optionalKey(Schema.Unknown),
      frame: Schema.optionalKey(Schema.Unknown),
      data: Schema.optionalKey(Schema.Unknown)
    })
  )
})

const Trace = Schema.fromJsonString(Schema.Struct({ traceEvents: Schema.Array(Event) }))

/** Categories of the browser's trace that are read here. */
export const CATEGORIES = ["-*", "toplevel", "loading", "blink.user_timing"]

/** A task of the main thread. Times are in milliseconds since the navigation. */
export interface Task {
  readonly startMs: number
  readonly clockMs: number
  readonly cpuMs: number
}

export interface MainThread {
  readonly tasks: ReadonlyArray<Task>
  readonly firstPaintMs: number
}

const decode = Schema.decodeUnknownSync(Trace)

const urlOf = (data: unknown): unknown => (typeof data === "object" && data !== null ? Reflect.get(data, "url") : "")

/** Tasks of the process that showed the page at `url`, from a trace of its whole load. */
export const read = (json: string, url: string): MainThread => {
  const { traceEvents } = decode(json)
  // Traces have navigation events of other pages and of the empty one before, and a first paint of each.
  const painted = traceEvents.findLast(({ name }) => name === "firstContentfulPaint")
  const isOf = ({ pid }: { readonly pid: number }) => pid === painted?.pid
  const started = traceEvents.findLast(
    (event) => event.name === "navigationStart" && isOf(event) && urlOf(event.args?.data) !== "about:blank"
  )
  const main = traceEvents.find(({ args, name, pid }) => {
    return name === "thread_name" && args?.name === "CrRendererMain" && pid === painted?.pid
  })
  if (painted === undefined || started === undefined || main === undefined) {
    throw new Error(`the trace of ${url} has no page that was painted`)
  }
  const millis = (ts: number) => (ts - started.ts) / 1_000
  const tasks = traceEvents
    .filter(({ name, pid, tid }) => name.endsWith("RunTask") && pid === main.pid && tid === main.tid)
    .map(({ dur = 0, tdur = 0, ts }) => ({ startMs: millis(ts), clockMs: dur / 1_000, cpuMs: tdur / 1_000 }))
  return { tasks, firstPaintMs: millis(painted.ts) }
}

/** Milliseconds that a task may take before it blocks the user, as Total Blocking Time defines it. */
export const BLOCKING_MS = 50

/** The parts of tasks beyond 50 milliseconds. */
export const blocking = (durations: ReadonlyArray<number>): number =>
  durations.reduce((total, duration) => total + Math.max(0, duration - BLOCKING_MS), 0)

/** Tasks that start in an interval, as long as a CPU that is slower by a factor takes for them. */
export const slowed = (tasks: ReadonlyArray<Task>, slowdown: number, fromMs: number, toMs = Infinity) =>
  tasks.filter(({ startMs }) => startMs >= fromMs && startMs < toMs).map(({ cpuMs }) => cpuMs * slowdown)

/** A time of this visit as it would be if each task before it took the CPU that is slower by a factor, and nothing else delayed it. */
export const slowedTime = (tasks: ReadonlyArray<Task>, slowdown: number, atMs: number): number =>
  tasks
    .filter(({ clockMs, startMs }) => startMs >= 0 && startMs + clockMs <= atMs)
    .reduce((time, { clockMs, cpuMs }) => time - clockMs + cpuMs * slowdown, atMs)
