/**
 * Combines the endpoints of a chain. The first usable answer wins.
 *
 * The preferred endpoint is asked first. The next one is asked when it fails, or when it has not answered within the hedging delay.
 * An endpoint that failed or was overtaken is asked last until its cooldown is over. An endpoint with an old head is asked after
 * those with the newest one, because its answers are outdated.
 */
import { Clock, Deferred, type Duration, Effect, Option } from "effect"
import { type Endpoint, EndpointFailed, type RpcFailure } from "./JsonRpc.ts"

export interface Options {
  /** Hedging delay: time without an answer after which the next endpoint is asked as well. */
  readonly hedgeAfter: Duration.Input
}

export interface RequestOptions {
  /** True for errors that are final answers, such as a revert. After any other error the next endpoint is asked. */
  readonly isAnswer?: (failure: RpcFailure) => boolean
  /** True for answers that mean "not known". They are not accepted from an endpoint with an old head. */
  readonly isIgnorance?: (answer: unknown) => boolean
}

export interface JsonRpcPool {
  /** Sends a read to one endpoint after another. Fails with the last failure. */
  readonly request: (
    method: string,
    params: ReadonlyArray<unknown>,
    options?: RequestOptions
  ) => Effect.Effect<unknown, RpcFailure>
  /**
   * Runs `ask` on one endpoint after another in the same way. The first success interrupts the others. Fails with the last failure
   * when all have failed.
   */
  readonly first: <A, E>(ask: (endpoint: Endpoint) => Effect.Effect<A, E>) => Effect.Effect<A, E | EndpointFailed>
  /**
   * Asks all endpoints outside a cooldown, since their heads differ, and returns the highest head. After the first answer it waits
   * for the others no longer than the hedging delay. Records the height of each.
   */
  readonly head: (
    method: string,
    params: ReadonlyArray<unknown>,
    height: (answer: unknown) => Option.Option<bigint>
  ) => Effect.Effect<unknown, RpcFailure>
}

/** Cooldown of an endpoint that failed or was overtaken, in milliseconds. */
const COOLDOWN_MILLIS = 10_000

/** Nodes behind a load balancer may differ by two blocks. */
const TOLERATED_BLOCKS = 2n

/** A recorded height expires after this many milliseconds. */
const HEIGHT_LIFETIME_MILLIS = 60_000

interface Health {
  avoidedUntil: number
  height: bigint
  heightAt: number
}

export const make = (bare: ReadonlyArray<Endpoint>, options: Options): JsonRpcPool => {
  const health = new Map<Endpoint, Health>()
  const none = () => new EndpointFailed({ endpoint: "none", detail: "no endpoint is configured" })

  const update = (endpoint: Endpoint, change: (health: Health, now: number) => void) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const standing = health.get(endpoint)
      if (standing !== undefined) change(standing, now)
    })

  const avoid = (endpoint: Endpoint) =>
    update(endpoint, (standing, now) => {
      standing.avoidedUntil = now + COOLDOWN_MILLIS
    })

  const watched = (endpoint: Endpoint): Endpoint => {
    const noted = <A>(answered: Effect.Effect<A, RpcFailure>): Effect.Effect<A, RpcFailure> =>
      answered.pipe(
        Effect.tapError((failure) => (failure._tag === "EndpointFailed" ? avoid(self) : Effect.void)),
        Effect.tap(() =>
          update(self, (standing) => {
            standing.avoidedUntil = 0
          })
        )
      )
    const self: Endpoint = {
      name: endpoint.name,
      request: (method, params) => noted(endpoint.request(method, params)),
      requestAll: (lookups) => noted(endpoint.requestAll(lookups))
    }
    health.set(self, { avoidedUntil: 0, height: 0n, heightAt: 0 })
    return self
  }
  const endpoints = bare.map(watched)

  const knownHeight = ({ height, heightAt }: Health, now: number): bigint | undefined =>
    now - heightAt < HEIGHT_LIFETIME_MILLIS ? height : undefined

  const highest = (now: number): bigint => {
    let top = 0n
    for (const standing of health.values()) {
      const height = standing.avoidedUntil > now ? undefined : knownHeight(standing, now)
      if (height !== undefined && height > top) top = height
    }
    return top
  }

  const isBehind = (endpoint: Endpoint, now: number, tolerance: bigint): boolean => {
    const standing = health.get(endpoint)
    const height = standing === undefined ? undefined : knownHeight(standing, now)
    return height !== undefined && height + tolerance < highest(now)
  }

  /** Endpoints in configured order: first those without trouble, then those with an old head, then those in a cooldown. */
  const ordered = Effect.map(Clock.currentTimeMillis, (now) => {
    const rank = (endpoint: Endpoint): number =>
      (health.get(endpoint)?.avoidedUntil ?? 0) > now ? 2 : isBehind(endpoint, now, TOLERATED_BLOCKS) ? 1 : 0
    return endpoints.toSorted((a, b) => rank(a) - rank(b))
  })

  /** Asks one after another: the next when the previous one failed, or has not answered within the delay. */
  const staggered = <A, E>(
    [endpoint, ...others]: ReadonlyArray<Endpoint>,
    asked: (endpoint: Endpoint) => Effect.Effect<A, E>
  ): Effect.Effect<A, E | EndpointFailed> => {
    if (endpoint === undefined) return Effect.fail(none())
    if (others.length === 0) return asked(endpoint)
    return Effect.gen(function* () {
      const failed = yield* Deferred.make<void>()
      let last: E | EndpointFailed = none()
      let silent = true
      const here = Effect.tapError(asked(endpoint), (failure) => {
        last = failure
        silent = false
        return Deferred.succeed(failed, undefined)
      })
      const elsewhere = Effect.raceFirst(Deferred.await(failed), Effect.sleep(options.hedgeAfter)).pipe(
        Effect.andThen(staggered(others, asked)),
        Effect.tap(() => (silent ? avoid(endpoint) : Effect.void)),
        Effect.tapError((failure) =>
          Effect.sync(() => {
            last = failure
          })
        )
      )
      return yield* Effect.race(here, elsewhere).pipe(Effect.catch(() => Effect.fail(last)))
    })
  }

  const first: JsonRpcPool["first"] = (asked) => Effect.flatMap(ordered, (list) => staggered(list, asked))

  const request: JsonRpcPool["request"] = Effect.fnUntraced(function* (method, params, { isAnswer, isIgnorance } = {}) {
    /** Answer "not known" of an endpoint with an old head. Returned only when no other endpoint answers. */
    let ignorance: { readonly answer: unknown } | undefined
    const outcome = yield* Effect.result(
      first((endpoint) =>
        endpoint.request(method, params).pipe(
          Effect.flatMap((answer) => {
            if (endpoints.length === 1 || isIgnorance?.(answer) !== true) return Effect.succeed(Effect.succeed(answer))
            return Effect.flatMap(Clock.currentTimeMillis, (now) => {
              if (!isBehind(endpoint, now, 0n)) return Effect.succeed(Effect.succeed(answer))
              ignorance = { answer }
              return Effect.fail(new EndpointFailed({ endpoint: endpoint.name, detail: "its head is old" }))
            })
          }),
          Effect.catch((failure) =>
            isAnswer?.(failure) === true ? Effect.succeed(Effect.fail(failure)) : Effect.fail(failure)
          )
        )
      )
    )
    if (outcome._tag === "Success") return yield* outcome.success
    if (ignorance !== undefined) return ignorance.answer
    return yield* Effect.fail(outcome.failure)
  })

  const head: JsonRpcPool["head"] = Effect.fnUntraced(function* (method, params, height) {
    const now = yield* Clock.currentTimeMillis
    const well = endpoints.filter((endpoint) => (health.get(endpoint)?.avoidedUntil ?? 0) <= now)
    if (well.length < 2) return yield* request(method, params)
    const arrived = yield* Deferred.make<void>()
    let best: { readonly answer: unknown; readonly height: bigint } | undefined
    const survey = Effect.forEach(
      well,
      (endpoint) =>
        endpoint.request(method, params).pipe(
          Effect.flatMap((answer) => {
            const value = Option.getOrUndefined(height(answer))
            if (value === undefined) return Effect.void
            if (best === undefined || value > best.height) best = { answer, height: value }
            return Effect.andThen(
              update(endpoint, (standing, at) => {
                standing.height = value
                standing.heightAt = at
              }),
              Deferred.succeed(arrived, undefined)
            )
          }),
          Effect.ignore
        ),
      { concurrency: "unbounded", discard: true }
    )
    yield* Effect.raceFirst(survey, Effect.andThen(Deferred.await(arrived), Effect.sleep(options.hedgeAfter)))
    return best === undefined ? yield* request(method, params) : best.answer
  })

  return { request, first, head }
}
