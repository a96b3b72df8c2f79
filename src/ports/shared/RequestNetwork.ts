/**
 * Network of the client for whom requests are made. A use case sets it at its entry, and everything that it starts inherits it. While the
 * budget of an outside service runs low, one network spends its share of it at most.
 */
import { Context, Effect } from "effect"

/** Network of the client of the current fiber. Undefined if it is unknown, and for work that no client asked for. */
export const Current = Context.Reference<string | undefined>("sweep/ports/RequestNetwork", {
  defaultValue: () => undefined
})

/** Runs an effect for a client of this network. */
export const of =
  (network: string | undefined) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.provideService(effect, Current, network)
