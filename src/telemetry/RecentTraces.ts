/**
 * Traces of the messages that this process queued a moment ago, by their ids. A message that another process delivers, or this one
 * after a restart, begins a trace of its own.
 */
import { Context, Effect } from "effect"
import * as LatestMap from "../domain/LatestMap.ts"
import type { TraceContext } from "../domain/TraceContext.ts"
import * as SweepTrace from "./SweepTrace.ts"

/** Messages that are remembered. */
const CAPACITY = 10_000

const Known = Context.Reference<LatestMap.LatestMap<string, TraceContext>>("sweep/telemetry/RecentTraces", {
  defaultValue: () => LatestMap.make(CAPACITY)
})

/** Remembers the current trace, if it is recorded. */
export const note = (id: string): Effect.Effect<void> =>
  Effect.flatMap(SweepTrace.current, (trace) =>
    trace === undefined ? Effect.void : Effect.map(Known, (known) => known.set(id, trace))
  )

/** The trace of a message; undefined if it is unknown. */
export const find = (id: string): Effect.Effect<TraceContext | undefined> => Effect.map(Known, (known) => known.get(id))
