/**
 * Values the fee of an order while its routes are looked for, so that the fee's sale is no round trip of its own. One valuation runs at a
 * time: each promises the fee of the same order, and the last promise counts.
 */
import { Effect, Fiber, type Scope } from "effect"

/** Starts a valuation, and stops the one before. Returns its outcome, for which one that was stopped is made again. */
export type Begin = <A, E>(valuation: Effect.Effect<A, E>) => Effect.Effect<Effect.Effect<A, E>>

/** Makes `begin`. The last valuation is stopped at the end of the scope. */
export const make: Effect.Effect<Begin, never, Scope.Scope> = Effect.map(Effect.scope, (scope) => {
  let running: Fiber.Fiber<unknown, unknown> | undefined

  const start = Effect.fnUntraced(function* <A, E>(valuation: Effect.Effect<A, E>) {
    if (running !== undefined) yield* Fiber.interrupt(running)
    const fiber = yield* Effect.forkIn(valuation, scope)
    running = fiber
    return fiber
  })

  const begin: Begin = Effect.fnUntraced(function* (valuation) {
    let last = yield* start(valuation)
    return Effect.gen(function* () {
      if (running !== last) last = yield* start(valuation)
      return yield* Fiber.join(last)
    })
  })
  return begin
})
