/**
 * Combines the endpoints of a chain. The first usable answer wins.
 *
 * The preferred endpoint is asked first. The next one is asked when it fails, or when it has not answered within the hedging delay.
 * An endpoint that failed or was overtaken is asked last until its cooldown is over. An endpoint with an old head is asked after
 * those with the newest one, because its answers are outdated.
 */
import { Deferred, type Duration, Effect, Option, type Result } from "effect"
import * as Health from "./Health.ts"
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
  /** Runs `ask` on all endpoints at once, also on those in a cooldown. Returns the outcome of each. */
  readonly everywhere: <A, E>(
    ask: (endpoint: Endpoint) => Effect.Effect<A, E>
  ) => Effect.Effect<ReadonlyArray<Result.Result<A, E>>>
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

const none = () => new EndpointFailed({ endpoint: "none", detail: "no endpoint is configured" })

/** Asks one after another: the next when the previous one failed, or has not answered within the delay. */
const staggered = <A, E>(
  [endpoint, ...others]: ReadonlyArray<Endpoint>,
  asked: (endpoint: Endpoint) => Effect.Effect<A, E>,
  health: Health.Health,
  { hedgeAfter }: Options
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
    const elsewhere = Effect.raceFirst(Deferred.await(failed), Effect.sleep(hedgeAfter)).pipe(
      Effect.andThen(staggered(others, asked, health, { hedgeAfter })),
      Effect.tap(() => (silent ? health.avoid(endpoint) : Effect.void)),
      Effect.tapError((failure) =>
        Effect.sync(() => {
          last = failure
        })
      )
    )
    return yield* Effect.race(here, elsewhere).pipe(Effect.catch(() => Effect.fail(last)))
  })
}

export const make = (bare: ReadonlyArray<Endpoint>, options: Options): JsonRpcPool => {
  const health = Health.make(bare)

  const first: JsonRpcPool["first"] = (asked) =>
    Effect.flatMap(health.ordered, (list) => staggered(list, asked, health, options))

  const everywhere: JsonRpcPool["everywhere"] = (ask) =>
    Effect.forEach(health.endpoints, (endpoint) => Effect.result(ask(endpoint)), { concurrency: "unbounded" })

  const request: JsonRpcPool["request"] = Effect.fnUntraced(function* (method, params, { isAnswer, isIgnorance } = {}) {
    /** Answer "not known" of an endpoint with an old head. Returned only when no other endpoint answers. */
    let ignorance: { readonly answer: unknown } | undefined
    const outcome = yield* Effect.result(
      first((endpoint) =>
        endpoint.request(method, params).pipe(
          Effect.flatMap((answer) => {
            if (bare.length === 1 || isIgnorance?.(answer) !== true) return Effect.succeed(Effect.succeed(answer))
            return Effect.flatMap(health.isBehind(endpoint), (behind) => {
              if (!behind) return Effect.succeed(Effect.succeed(answer))
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
    const available = yield* health.available
    if (available.length < 2) return yield* request(method, params)
    const arrived = yield* Deferred.make<void>()
    let best: { readonly answer: unknown; readonly height: bigint } | undefined
    const survey = Effect.forEach(
      available,
      (endpoint) =>
        endpoint.request(method, params).pipe(
          Effect.flatMap((answer) => {
            const value = Option.getOrUndefined(height(answer))
            if (value === undefined) return Effect.void
            if (best === undefined || value > best.height) best = { answer, height: value }
            return Effect.andThen(health.recordHeight(endpoint, value), Deferred.succeed(arrived, undefined))
          }),
          Effect.ignore
        ),
      { concurrency: "unbounded", discard: true }
    )
    yield* Effect.raceFirst(survey, Effect.andThen(Deferred.await(arrived), Effect.sleep(options.hedgeAfter)))
    return best === undefined ? yield* request(method, params) : best.answer
  })

  return { request, first, everywhere, head }
}
