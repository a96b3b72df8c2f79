/**
 * Combines the endpoints of a chain. The first usable answer wins.
 *
 * The best endpoint is asked first (`Health`): a preferred one without trouble, unless another can be asked sooner. The next one is
 * asked when it fails, or when it has not answered within the hedging delay. An endpoint that failed or was overtaken is asked last
 * until its cooldown is over. When all refuse for the rate of requests, they are asked again as long as the fiber's priority waits.
 */
import { Clock, Duration, Effect, Option, Predicate, Result, Schema } from "effect"
import * as Priority from "../../../ports/shared/Priority.ts"
import * as Choice from "./Choice.ts"
import * as Corroboration from "./Corroboration.ts"
import * as Health from "./Health.ts"
import * as HighestHead from "./HighestHead.ts"
import { type Endpoint, EndpointFailed, type RpcFailure } from "./JsonRpc.ts"
import * as NamedBlock from "./NamedBlock.ts"
import type { PacedEndpoint } from "./Paced.ts"
import { PATIENCE_MILLIS } from "./Patience.ts"
import { Quantity } from "./Schemas.ts"
import * as SharedReads from "./SharedReads.ts"
import { staggered } from "./Staggered.ts"
import * as StateOverrides from "./StateOverrides.ts"
import * as BlockOverrides from "./BlockOverrides.ts"

export interface Options {
  /** Hedging delay: time without an answer after which the next endpoint is asked as well. */
  readonly hedgeAfter: Duration.Input
  /** Typical milliseconds between blocks, which tell how far heads may be apart. */
  readonly blockTimeMillis: number
}

export interface FirstOptions {
  /**
   * Asks only endpoints that take state overrides and have the newest known head, because a simulation on an older state may
   * refuse what settles on the newest. The heads of endpoints that failed in the same call do not count.
   */
  readonly simulates?: boolean
  /** Method that is asked for. An endpoint that refuses it is asked last. */
  readonly method?: string
}

export interface RequestOptions extends Pick<FirstOptions, "simulates"> {
  /** True for errors that are final answers, such as a revert. After any other error the next endpoint is asked. */
  readonly isAnswer?: (failure: RpcFailure) => boolean
  /** True for answers that mean "not known". They are not accepted from an endpoint with an old head. */
  readonly isIgnorance?: (answer: unknown) => boolean
  /** Parameters for endpoints that take block overrides. */
  readonly withBlockOverrides?: ReadonlyArray<unknown>
}

export interface JsonRpcPool extends Corroboration.Corroboration {
  /** Sends a read to one endpoint after another. Fails with the last failure. */
  readonly request: (
    method: string,
    params: ReadonlyArray<unknown>,
    options?: RequestOptions
  ) => Effect.Effect<unknown, RpcFailure>
  /**
   * Runs `ask` on one endpoint after another in the same way. The first success interrupts the others. Fails with the last failure
   * when all have failed. `ask` must fail with `RateLimited` itself, or the endpoints are not asked again.
   */
  readonly first: <A, E>(
    ask: (endpoint: Endpoint) => Effect.Effect<A, E>,
    options?: FirstOptions
  ) => Effect.Effect<A, E | RpcFailure>
  /**
   * Runs `ask` on all endpoints at once, also on those in a cooldown. Returns the outcome of each. One that fails with `RateLimited` is
   * asked again as long as the fiber's priority waits. The caller notes by `Choice.used` whose answers it used.
   */
  readonly everywhere: <A, E>(
    ask: (endpoint: Endpoint) => Effect.Effect<A, E>
  ) => Effect.Effect<ReadonlyArray<Result.Result<A, E>>>
  readonly head: HighestHead.HighestHead
  /**
   * Height of the endpoint's head. It is asked for it unless its last known head has this block. An endpoint without others is not
   * asked, since nobody else could have the block: undefined if its head is not known.
   */
  readonly heightFor: (endpoint: Endpoint, block: bigint) => Effect.Effect<bigint | undefined, RpcFailure>
  /** False if no endpoint takes state overrides in `eth_call`. Endpoints are asked at most once in an hour. */
  readonly takesOverrides: Effect.Effect<boolean, RpcFailure>
  /** False if each endpoint failed at its last request, in the last 30 seconds. */
  readonly isAnswering: Effect.Effect<boolean>
  /** Names of the endpoints that served another chain when they last answered, or other blocks in the last minute. */
  readonly elsewhere: Effect.Effect<ReadonlyArray<string>>
}

/** A final answer, which may be an error, such as a revert. */
type Final = Result.Result<unknown, RpcFailure>

const decodeNumber = Schema.decodeUnknownOption(Quantity)

const oldHead = ({ name }: Endpoint) => new EndpointFailed({ endpoint: name, detail: "its head is old" })

const isRateLimited = Predicate.isTagged("RateLimited")

/** True if a request of a call that began at `startedAt` may wait so long. The distance, because the clock may be set back meanwhile. */
const isPatient = (priority: Priority.Priority, startedAt: number, now: number, waitMillis: number): boolean =>
  Math.abs(now - startedAt) + waitMillis <= PATIENCE_MILLIS[priority]

/** Makes `first`, which also tells whose answer it is; see {@link JsonRpcPool}. */
const makeFirst = (health: Health.Health, overrides: StateOverrides.StateOverrides, options: Options) => {
  const hedgeMillis = Duration.toMillis(Duration.fromInputUnsafe(options.hedgeAfter))

  return Effect.fnUntraced(function* <A, E>(
    ask: (endpoint: Endpoint) => Effect.Effect<A, E>,
    { method, simulates = false }: FirstOptions = {}
  ): Effect.fn.Return<Choice.Given<A>, E | RpcFailure> {
    const priority = yield* Priority.Current
    const choice = yield* Choice.Current
    const startedAt = yield* Clock.currentTimeMillis
    /** Endpoints that failed in this call. Their heads would keep a simulation from the others. */
    const failed = new Set<Endpoint>()
    const askThis = (endpoint: PacedEndpoint): Effect.Effect<Choice.Given<A>, E | RpcFailure> =>
      Effect.map(
        simulates ? Effect.andThen(overrides.require(endpoint), ask(endpoint)) : ask(endpoint),
        (answer): Choice.Given<A> => ({ answer, by: endpoint })
      )
    const endpointsAt = (now: number) => {
      if (!simulates) return Choice.allowed(choice, health.ordered(priority, now, method))
      // An endpoint that is asked to confirm may be behind. Otherwise the other one need only name a newer head.
      return choice?.only === undefined
        ? health.newest(priority, now, failed)
        : Choice.allowed(choice, health.ordered(priority, now)).filter((endpoint) => !failed.has(endpoint))
    }
    let endpoints = endpointsAt(startedAt)
    for (;;) {
      const limited = new Set<Endpoint>()
      const round = staggered(endpoints, {
        ask: askThis,
        health,
        hedgeMillis,
        priority,
        method,
        onFailure: (endpoint, failure) => {
          if (isRateLimited(failure)) limited.add(endpoint)
          else failed.add(endpoint)
        }
      })
      const outcome = yield* Effect.result(round)
      if (outcome._tag === "Success") return outcome.success
      const now = yield* Clock.currentTimeMillis
      endpoints = endpointsAt(now)
      const wait = Math.min(...endpoints.map((endpoint) => endpoint.waitMillis(priority, now, method)))
      if (limited.size > 0 && isPatient(priority, startedAt, now, wait)) continue
      // A simulation that the newest endpoints do not answer is left to those with the newest head of the rest.
      for (const endpoint of limited) failed.add(endpoint)
      endpoints = simulates ? endpointsAt(now) : []
      if (endpoints.length === 0) return yield* Effect.fail(outcome.failure)
    }
  })
}

/** Makes `everywhere`; see {@link JsonRpcPool}. */
const makeEverywhere = ({ endpoints }: Health.Health): JsonRpcPool["everywhere"] =>
  Effect.fnUntraced(function* <A, E>(ask: (endpoint: Endpoint) => Effect.Effect<A, E>) {
    const priority = yield* Priority.Current
    const choice = yield* Choice.Current
    const startedAt = yield* Clock.currentTimeMillis
    const mayRepeat = (endpoint: PacedEndpoint) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        isPatient(priority, startedAt, now, endpoint.waitMillis(priority, now))
      )
    const asked = (endpoint: PacedEndpoint) =>
      Effect.retry(ask(endpoint), {
        while: (failure) => (isRateLimited(failure) ? mayRepeat(endpoint) : Effect.succeed(false))
      })
    return yield* Effect.forEach(Choice.allowed(choice, endpoints), (endpoint) => Effect.result(asked(endpoint)), {
      concurrency: "unbounded"
    })
  })

/** Makes `heightFor`; see {@link JsonRpcPool}. */
const makeHeightFor = (health: Health.Health): JsonRpcPool["heightFor"] =>
  Effect.fnUntraced(function* (endpoint, block) {
    const isAlone = health.endpoints.every((each) => each === endpoint)
    const known = yield* health.heightOf(endpoint)
    if (isAlone || (known !== undefined && known >= block)) return known
    const number = Option.getOrUndefined(decodeNumber(yield* endpoint.request("eth_blockNumber", [])))
    if (number === undefined) {
      return yield* new EndpointFailed({ endpoint: endpoint.name, detail: "a malformed answer to eth_blockNumber" })
    }
    yield* health.recordHeight(endpoint, number)
    return number
  })

export const make = Effect.fnUntraced(function* (bare: ReadonlyArray<PacedEndpoint>, options: Options) {
  const health = Health.make(bare.map(NamedBlock.marking), options.blockTimeMillis)
  const overrides = yield* StateOverrides.make(health.endpoints)
  const blocks = yield* BlockOverrides.make(health.endpoints)
  const firstGiven = makeFirst(health, overrides, options)
  const heightFor = makeHeightFor(health)
  /** By the only endpoint that is asked. The answer of another one is not its own. */
  const shared = new Map<Endpoint | undefined, SharedReads.SharedReads<Choice.Given<Final>>>()
  const sharedBy = (choice: Choice.Choice | undefined) => {
    const reads = shared.get(choice?.only) ?? SharedReads.make()
    shared.set(choice?.only, reads)
    return reads
  }

  const requestAlone = Effect.fnUntraced(function* (
    method: string,
    params: ReadonlyArray<unknown>,
    { isAnswer, isIgnorance, simulates = false, withBlockOverrides }: RequestOptions
  ) {
    const ask = (endpoint: Endpoint) =>
      withBlockOverrides === undefined
        ? endpoint.request(method, params)
        : Effect.flatMap(blocks.areTaken(endpoint), (taken) =>
            endpoint.request(method, taken ? withBlockOverrides : params)
          )
    /** Answer "not known" of an endpoint with an old head. Returned only when no other endpoint answers. */
    let ignorance: Choice.Given<Final> | undefined
    const outcome = yield* Effect.result(
      firstGiven(
        (endpoint) =>
          ask(endpoint).pipe(
            Effect.flatMap((answer) => {
              if (bare.length === 1 || isIgnorance?.(answer) !== true)
                return Effect.succeed<Final>(Result.succeed(answer))
              return Effect.flatMap(health.isBehind(endpoint), (behind) => {
                if (!behind) return Effect.succeed<Final>(Result.succeed(answer))
                ignorance = { answer: Result.succeed(answer), by: endpoint }
                return Effect.fail(oldHead(endpoint))
              })
            }),
            Effect.catch((failure) =>
              isAnswer?.(failure) === true ? Effect.succeed<Final>(Result.fail(failure)) : Effect.fail(failure)
            )
          ),
        { simulates }
      )
    )
    if (outcome._tag === "Success") return outcome.success
    return ignorance ?? (yield* Effect.fail(outcome.failure))
  })

  const request: JsonRpcPool["request"] = (method, params, requestOptions = {}) =>
    Effect.flatMap(Choice.Current, (choice) =>
      Effect.flatMap(
        Choice.used(sharedBy(choice).share(method, params, requestAlone(method, params, requestOptions))),
        Effect.fromResult
      )
    )

  return {
    request,
    first: (ask, firstOptions) => Choice.used(firstGiven(ask, firstOptions)),
    ...Corroboration.make(health, heightFor),
    everywhere: makeEverywhere(health),
    head: HighestHead.make(health, request, options.hedgeAfter),
    heightFor,
    takesOverrides: overrides.isSupported,
    isAnswering: health.isAnswering,
    elsewhere: health.elsewhere
  } satisfies JsonRpcPool
})
