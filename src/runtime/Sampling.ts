/**
 * The one way to read gauges that nothing else keeps: from time to time, each source by itself and within a limit, so that one that
 * does not answer leaves only its own gauges as they were.
 */
import { Clock, Effect, Option } from "effect"
import { ALERTS, LOOP_DELAY, SAMPLES } from "../telemetry/metrics/Process.ts"
import { STORE_WAIT } from "../telemetry/metrics/Queues.ts"
import { Alerts } from "../ports/shared/Alerts.ts"
import * as Background from "./Background.ts"
import { within } from "./Within.ts"

/** Pause between two rounds. Prometheus scrapes at this interval by default. */
const PAUSE_MILLIS = 15_000

/** Time that one source has. */
const LIMIT = "3 seconds"

/** Pause between two measurements of the event loop. */
const LOOP_MILLIS = 500

const NANOS_PER_MILLI = 1_000_000

/** Reads one source, and records its gauges. */
export type Sample<R> = Effect.Effect<void, { readonly message: string }, R>

/** Seconds since the time, in UNIX milliseconds. 0 without one. */
export const ageOf = (sinceMs: number | undefined, now: number): number =>
  sinceMs === undefined ? 0 : Math.max(0, now - sinceMs) / 1_000

/** Reads every source once. */
export const round = <R>(samples: ReadonlyArray<Sample<R>>): Effect.Effect<void, never, R> =>
  Effect.forEach(
    samples,
    (sample) =>
      within(LIMIT)(Effect.result(sample)).pipe(
        Effect.map((outcome) => Option.isSome(outcome) && outcome.value._tag === "Success")
      ),
    { concurrency: "unbounded" }
  ).pipe(
    Effect.flatMap((answered) => SAMPLES.record(1, { outcome: answered.includes(false) ? "partial" : "complete" }))
  )

/** Standing alerts by kind and severity. */
export const alerts = Effect.gen(function* () {
  const { list } = yield* Alerts
  const counts = new Map<string, { readonly labels: { kind: string; severity: string }; value: number }>()
  for (const { kind, severity } of yield* list) {
    const key = `${kind}:${severity}`
    const entry = counts.get(key) ?? { labels: { kind, severity }, value: 0 }
    entry.value += 1
    counts.set(key, entry)
  }
  yield* ALERTS.replace([...counts.values()])
})

/** Wait for a connection of the pool. */
export const poolWait = <E extends { readonly message: string }>(millis: Effect.Effect<number, E>) =>
  Effect.flatMap(millis, (wait) => STORE_WAIT.record(wait / 1_000, {}))

const loopDelay = Effect.gen(function* () {
  const before = yield* Clock.currentTimeNanos
  yield* Effect.sleep(LOOP_MILLIS)
  const passed = Number((yield* Clock.currentTimeNanos) - before) / NANOS_PER_MILLI
  yield* LOOP_DELAY.record(Math.max(0, passed - LOOP_MILLIS) / 1_000, {})
})

/** Reads the sources in a loop, and measures the event loop, until the scope closes. */
export const run = <R>(samples: ReadonlyArray<Sample<R>>) =>
  Effect.andThen(
    Background.loop(Background.supervisor("telemetry"), { pauseMillis: PAUSE_MILLIS }, round(samples)),
    Background.loop(Background.supervisor("loop_delay"), { pauseMillis: 0 }, loopDelay)
  )
