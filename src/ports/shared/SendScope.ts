/**
 * Endpoints that receive a transaction. The first send stops at the endpoint that accepts it, which may drop it later. Whatever is sent
 * after that goes to every endpoint, so that one endpoint alone cannot keep a transaction out of the chain.
 */
import { Context, Effect } from "effect"

/** `first`: one after the other until one accepts it. `everywhere`: all at once. Private endpoints keep their time alone. */
export type SendScope = "first" | "everywhere"

/** Scope of what the current fiber sends. Default: `first`. */
export const Current = Context.Reference<SendScope>("sweep/ports/SendScope", { defaultValue: () => "first" })

/** Sends what the effect sends to every endpoint. */
export const everywhere = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.provideService(effect, Current, "everywhere")
