/** Places of the requests of one provider that are under way. */
import { Deferred, type Duration, Effect, Semaphore } from "effect"
import * as Priority from "../../ports/shared/Priority.ts"
import * as Budget from "./Budget.ts"
import { ProviderUnavailable } from "./ProviderUnavailable.ts"

/**
 * Requests of one provider under way at a time. A process has a limited number of outgoing requests (Bun: 256 by default), so a provider
 * that accepts requests and answers none would otherwise take the places of all others.
 */
const PLACES = 32

/**
 * Makes `inPlace(request)`, which waits for a place for at most `patience`, and then runs the request. Without a place it fails as
 * `waiting`, since a crowd says nothing of the provider. Requests for which the budget keeps no reserve take half of the places at most,
 * so that they hold up none of the others while the provider is slow.
 */
export const make = (provider: string, budget: Budget.Budget | undefined, patience: Duration.Input) => {
  const all = Semaphore.makeUnsafe(PLACES)
  const others = Semaphore.makeUnsafe(PLACES / 2)
  const crowded = Effect.fail(
    new ProviderUnavailable({ provider, reason: "waiting", detail: "too many requests are under way" })
  )

  const placed = <A, E, R>(request: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(Priority.Current, (priority) =>
      Budget.mayUseReserve(budget, priority) ? all.withPermit(request) : others.withPermit(all.withPermit(request))
    )

  return <A, E, R>(request: Effect.Effect<A, E, R>): Effect.Effect<A, E | ProviderUnavailable, R> =>
    Effect.suspend(() => {
      const begun = Deferred.makeUnsafe<void>()
      const waited = Deferred.await(begun).pipe(
        Effect.timeoutOrElse({ duration: patience, orElse: () => crowded }),
        Effect.andThen(Effect.never)
      )
      return Effect.raceFirst(placed(Effect.andThen(Deferred.succeed(begun, undefined), request)), waited)
    })
}
