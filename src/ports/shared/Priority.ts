/**
 * Priority of requests to nodes. A use case or a loop sets it once at its entry, and everything that it starts inherits it. It
 * matters only while an endpoint's budget is used up: requests of a higher priority are then sent first.
 */
import { Context, Effect } from "effect"

/** Highest first. */
export const PRIORITIES = ["relay", "intake", "watch", "quote", "portfolio"] as const
export type Priority = (typeof PRIORITIES)[number]

/** Priority of the current fiber. Default: `watch`, for health checks and commands. */
export const Current = Context.Reference<Priority>("sweep/ports/Priority", { defaultValue: () => "watch" })

/** Runs an effect with this priority. */
export const at =
  (priority: Priority) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(effect, Current, priority)

/** Position of a priority: 0 is the highest. */
export const rank = (priority: Priority): number => PRIORITIES.indexOf(priority)
