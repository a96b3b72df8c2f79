/** One round over the endpoints of a chain: one after another, until one has answered. */
import { Clock, Deferred, Effect } from "effect"
import type { Priority } from "../../../ports/shared/Priority.ts"
import type { Health } from "./Health.ts"
import { type Endpoint, EndpointFailed } from "./JsonRpc.ts"
import type { PacedEndpoint } from "./Paced.ts"

const none = () => new EndpointFailed({ endpoint: "none", detail: "no endpoint is configured" })

/** One round over the endpoints. */
export interface Round<A, E> {
  readonly ask: (endpoint: PacedEndpoint) => Effect.Effect<A, E>
  readonly health: Health
  readonly hedgeMillis: number
  readonly priority: Priority
  readonly method: string | undefined
  /** Receives each failure, and whose it is. */
  readonly onFailure: (endpoint: Endpoint, failure: E) => void
}

/** Asks one after another: the next when the previous one failed, or has not answered within the delay. */
export const staggered = <A, E>(
  [endpoint, ...others]: ReadonlyArray<PacedEndpoint>,
  round: Round<A, E>
): Effect.Effect<A, E | EndpointFailed> => {
  if (endpoint === undefined) return Effect.fail(none())
  const { ask, health, hedgeMillis, method, onFailure, priority } = round
  if (others.length === 0)
    return Effect.tapError(ask(endpoint), (failure) => Effect.sync(() => onFailure(endpoint, failure)))
  return Effect.gen(function* () {
    const failed = yield* Deferred.make<void>()
    let last: E | EndpointFailed = none()
    let silent = true
    // A request that waits for the endpoint's budget has not been sent.
    const wait = endpoint.waitMillis(priority, yield* Clock.currentTimeMillis, method)
    const here = Effect.tapError(ask(endpoint), (failure) => {
      last = failure
      silent = false
      onFailure(endpoint, failure)
      return Deferred.succeed(failed, undefined)
    })
    const elsewhere = Effect.raceFirst(Deferred.await(failed), Effect.sleep(hedgeMillis + wait)).pipe(
      Effect.andThen(staggered(others, round)),
      Effect.tap(() => (silent ? health.cooldown(endpoint) : Effect.void)),
      Effect.tapError((failure) =>
        Effect.sync(() => {
          last = failure
        })
      )
    )
    return yield* Effect.race(here, elsewhere).pipe(Effect.catch(() => Effect.fail(last)))
  })
}
