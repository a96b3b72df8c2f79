/** The budget of requests of one provider. */
import { Clock, Duration, Effect } from "effect"
import { RateLimiter } from "effect/persistence"
import * as Priority from "../../ports/shared/Priority.ts"
import * as RequestNetwork from "../../ports/shared/RequestNetwork.ts"
import * as NetworkShares from "./NetworkShares.ts"
import { ProviderUnavailable } from "./ProviderUnavailable.ts"

/**
 * Requests per time. `burst` of them may be sent at once, and are then restored one by one. So a period has at most `burst` requests more
 * than are restored in it.
 */
export interface Budget {
  readonly requests: number
  readonly per: Duration.Input
  /** Requests that may be sent at once. Default: `requests`. */
  readonly burst?: number
  /** Lowest priority that may spend the last half of the burst. Default: every priority may. */
  readonly reservedFor?: Priority.Priority
}

/** True if requests of the priority may spend all that is left. */
export const mayUseReserve = (budget: Budget | undefined, priority: Priority.Priority): boolean =>
  budget?.reservedFor === undefined || Priority.rank(priority) <= Priority.rank(budget.reservedFor)

/**
 * Makes an effect that spends one request, and fails while there is none for the priority of its fiber. Of the last half of the burst, a
 * network of clients may spend its share alone. Above it a client that is alone finds all requests.
 */
export const make = Effect.fnUntraced(function* (provider: string, budget: Budget | undefined) {
  if (budget === undefined) return Effect.void
  const limiter = yield* RateLimiter.make.pipe(Effect.provide(RateLimiter.layerStoreMemory))
  const { burst = budget.requests, per, requests } = budget
  const reserve = Math.floor(burst / 2)
  const restoredEvery = Duration.toMillis(Duration.fromInputUnsafe(per)) / requests

  const takeShare = NetworkShares.make(burst, restoredEvery)

  const waiting = (reason: string, retryAfterMillis: number) =>
    new ProviderUnavailable({
      provider,
      reason: "waiting",
      detail: `${reason}, next request in ${Math.ceil(retryAfterMillis / 1_000)} s`,
      retryAfterMillis
    })

  const take = (tokens: number) =>
    limiter
      .consume({
        algorithm: "token-bucket",
        onExceeded: "fail",
        window: Duration.millis(restoredEvery * burst),
        limit: burst,
        key: provider,
        tokens
      })
      .pipe(
        Effect.catch(({ reason }) =>
          reason._tag === "RateLimitExceeded"
            ? Effect.fail(waiting("the budget of requests is spent", Duration.toMillis(reason.retryAfter)))
            : Effect.die(reason)
        )
      )

  return Effect.gen(function* () {
    if (!mayUseReserve(budget, yield* Priority.Current)) {
      const { remaining } = yield* take(0)
      if (remaining <= reserve) {
        const missing = reserve + 1 - remaining
        return yield* waiting("the rest of the budget is kept for more urgent requests", missing * restoredEvery)
      }
    }
    const network = yield* RequestNetwork.Current
    if (network !== undefined && (yield* take(0)).remaining <= reserve) {
      const missing = takeShare(network, yield* Clock.currentTimeMillis)
      if (missing > 0) return yield* waiting("the client's share of the budget is spent", missing)
    }
    yield* take(1)
  })
})
