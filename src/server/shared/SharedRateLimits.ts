/**
 * Counts of all replicas together, in a shared store. While it is away, this process counts alone, and no request fails or
 * waits for it: the first requests wait up to the deadline, and the others do not ask the store until a probe succeeds. The process also
 * counts what the store allows, so that a client whose window is spent finds no new one when the store is lost: a process that is late
 * under load may take the store for lost.
 */
import { Duration, Effect, Layer, Queue, Schedule } from "effect"
import { RateLimiter } from "effect/persistence"
import { SharedWindows, SharedWindowsUnavailable, type Taking } from "../../ports/shared/SharedWindows.ts"
import * as RateLimitStore from "./RateLimitStore.ts"

/** Time that a request waits for the store. A store in the same region answers within 2 ms. */
const DEADLINE = Duration.millis(50)

const BETWEEN_PROBES = Duration.seconds(1)

/** A count of its own, so that a probe needs the rights that requests need. */
const PROBE: Taking = { key: "probe", tokens: 1, limit: 1, windowMillis: 1_000 }

const silent = () =>
  Effect.fail(new SharedWindowsUnavailable({ detail: `no answer within ${Duration.toMillis(DEADLINE)} ms` }))

export const layer: Layer.Layer<RateLimiter.RateLimiterStore, never, SharedWindows> = Layer.effect(
  RateLimiter.RateLimiterStore,
  Effect.gen(function* () {
    const local = yield* RateLimiter.RateLimiterStore
    const shared = yield* SharedWindows
    const failures = yield* Queue.sliding<void>(1)
    let isAway = false

    const take = (taking: Taking) =>
      shared.take(taking).pipe(Effect.timeoutOrElse({ duration: DEADLINE, orElse: silent }))

    /** One failure that a probe does not repeat is not worth a line. */
    const untilBack = Effect.gen(function* () {
      let isLogged = false
      const logOnce = (detail: string) =>
        Effect.suspend(() => {
          if (isLogged) return Effect.void
          isLogged = true
          return Effect.annotateLogs(Effect.logWarning("rate_limits.local"), {
            detail,
            advice: "check REDIS_URL and its server. Until it answers, each replica counts its requests alone"
          })
        })
      yield* take(PROBE).pipe(
        Effect.tap(() => Effect.sync(() => (isAway = false))),
        Effect.tapError(({ detail }) => logOnce(detail)),
        Effect.retry(Schedule.spaced(BETWEEN_PROBES))
      )
      if (isLogged) yield* Effect.logInfo("rate_limits.shared")
    })

    const failed = Effect.suspend(() => {
      isAway = true
      return Queue.offer(failures, undefined)
    })
    yield* take(PROBE).pipe(Effect.catch(() => failed))
    yield* Queue.take(failures).pipe(Effect.andThen(untilBack), Effect.forever, Effect.forkScoped)

    return RateLimiter.RateLimiterStore.of({
      ...local,
      fixedWindow: (options) => {
        const { key, limit, refillRate, tokens } = options
        if (limit === undefined || isAway) return local.fixedWindow(options)
        const windowMillis = Math.round(Duration.toMillis(refillRate) * limit)
        return take({ key, tokens, limit, windowMillis }).pipe(
          Effect.tap(({ count }) => (count <= limit ? local.fixedWindow(options) : Effect.void)),
          Effect.map(({ count, remainingMillis }) => [count, remainingMillis] as const),
          Effect.catch(() => Effect.andThen(failed, local.fixedWindow(options)))
        )
      }
    })
  })
).pipe(Layer.provide(RateLimitStore.layerMemory))
