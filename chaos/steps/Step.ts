/** A step of a run: a fault with a start, an end and checks of its own. The run checks the rules that hold after every step. */
import { Effect, type FileSystem, type Path, type Scope } from "effect"
import type { ChildProcessSpawner } from "effect/process"
import type { Place } from "../Holdings.ts"
import type { World } from "../World.ts"
import type { Alarm, Alarms } from "./Alarms.ts"
import type { BuilderBackend } from "./BuilderBackend.ts"
import type { Miner } from "./Miner.ts"
import type { Prober } from "./Prober.ts"
import type { Traffic } from "./Traffic.ts"

export type Side = "alpha" | "beta"

/** Everything that steps act on. */
export interface Stage {
  readonly world: World
  readonly miners: Readonly<Record<Side, Miner>>
  readonly traffic: Traffic
  readonly prober: Prober
  readonly alarms: Alarms
  readonly builder: BuilderBackend
}

/** Result of a step. */
export interface Played {
  readonly findings: ReadonlyArray<string>
  /** Settle times in milliseconds on chains that the step does not hinder. */
  readonly beside: ReadonlyArray<number>
}

export interface Step {
  readonly name: string
  /** True for an alert that the step causes and that must stand no longer than the step. */
  readonly explains: (alarm: Alarm) => boolean
  /** True if sweeps may fail in this step. */
  readonly mayFail: boolean
  /** Starts the fault, sweeps, checks, and ends the fault. */
  readonly play: (
    stage: Stage
  ) => Effect.Effect<
    Played,
    unknown,
    Scope.Scope | ChildProcessSpawner.ChildProcessSpawner | FileSystem.FileSystem | Path.Path
  >
}

export const otherOf = (side: Side): Side => (side === "alpha" ? "beta" : "alpha")

export const nothing: Played = { findings: [], beside: [] }

export const joined = (parts: ReadonlyArray<Played>): Played => ({
  findings: parts.flatMap(({ findings }) => findings),
  beside: parts.flatMap(({ beside }) => beside)
})

/** Bursts of sweeps on a chain that nothing hinders, one after another, for at least the time given. */
export const besides = Effect.fnUntraced(function* ({ traffic }: Stage, place: Place, millis: number) {
  const parts: Array<Played> = []
  const until = performance.now() + millis
  do {
    const { findings, times } = yield* traffic.healthy(place)
    parts.push({ findings, beside: times })
  } while (performance.now() < until)
  return joined(parts)
})

/** Stops all processes of a group until the scope closes: connections stay open, and nothing answers. */
export const stopped = (group: number) =>
  Effect.acquireRelease(
    Effect.sync(() => process.kill(-group, "SIGSTOP")),
    () => Effect.sync(() => process.kill(-group, "SIGCONT"))
  )

/** Repeats a question until the answer is empty; returns the last answer, which says what is still missing. */
export const settling = <E, R>(
  question: Effect.Effect<ReadonlyArray<string>, E, R>,
  millis: number
): Effect.Effect<ReadonlyArray<string>, E, R> =>
  Effect.gen(function* () {
    const until = performance.now() + millis
    for (;;) {
      const missing = yield* question
      if (missing.length === 0 || performance.now() > until) return missing
      yield* Effect.sleep("200 millis")
    }
  })
