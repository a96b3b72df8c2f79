/**
 * Fees of relayers from several sources: the first that answers counts. A source that fails repeatedly is left out for some time, and
 * then tried again. An answer of a working source is final, also if it is "no route" or a high fee: a cheaper estimate of another
 * source would make a deposit that nobody fills. Only a fee that no relayer can mean counts as a failure of its source.
 */
import { type Array, Clock, Context, Duration, Effect, Exit, Layer, Option, Schedule } from "effect"
import { CircuitBreaker } from "effect/persistence"
import { comparable } from "../../domain/AssetAmount.ts"
import { RoutingUnavailable } from "../../ports/orchestrator/SwapVenue.ts"
import { ProviderStates } from "../../ports/shared/ProviderStates.ts"
import * as Health from "../providers/Health.ts"
import { AcrossFees, type FeeQuote, type FeeRequest } from "./AcrossFees.ts"
import { PROVIDER } from "./SpokePools.ts"

/** A source with the name that operators see. */
export interface Source<E, R> {
  readonly name: string
  readonly fees: Layer.Layer<AcrossFees, E, R>
}

const FAILURES_TO_OPEN = 3
const OPEN_FOR = Duration.seconds(10)
const LONGEST_OPEN = Duration.minutes(5)

const unavailable = (detail: string) => new RoutingUnavailable({ provider: PROVIDER, detail })

/** True unless the recipient would get nothing, or more than was paid in. */
const isPossible = ({ decimals, inputAmount }: FeeRequest, { outputAmount }: FeeQuote): boolean => {
  const [paidIn, paidOut] = comparable(inputAmount, outputAmount, decimals)
  return outputAmount > 0n && paidOut <= paidIn
}

/** The source behind a circuit of its own. */
const guarded = Effect.fnUntraced(function* (name: string, fees: AcrossFees["Service"]) {
  const breaker = yield* CircuitBreaker.make({
    tripPolicy: CircuitBreaker.consecutive(FAILURES_TO_OPEN),
    openDuration: Schedule.min([Schedule.exponential(OPEN_FOR), Schedule.spaced(LONGEST_OPEN)])
  }).pipe(Effect.provide(CircuitBreaker.layerStoreMemory()))
  const states = yield* ProviderStates
  let counts = Health.NONE

  const circuit = Effect.map(Effect.orDie(breaker.state(name)), (state): Health.Circuit => {
    if (state._tag === "Closed") return { state: "closed", retryAfterMillis: 0 }
    return state._tag === "Open"
      ? { state: "open", retryAfterMillis: Duration.toMillis(state.retryAfter) }
      : { state: "half_open", retryAfterMillis: 0 }
  })
  yield* states.register(
    Effect.gen(function* () {
      return Health.stateOf(name, counts, yield* circuit, 0, yield* Clock.currentTimeMillis)
    })
  )

  const asked = Effect.fnUntraced(
    function* (request: FeeRequest) {
      const quote = yield* fees.quote(request)
      if (!isPossible(request, quote)) return yield* unavailable(`${name} named a fee that is impossible`)
      counts = Health.succeeded(counts, yield* Clock.currentTimeMillis)
      return quote
    },
    Effect.tapErrorTag("RoutingUnavailable", ({ detail }) =>
      Effect.sync(() => {
        counts = Health.failed(counts, detail)
      })
    )
  )

  const quote: AcrossFees["Service"]["quote"] = (request) =>
    breaker
      .execute(asked(request), {
        key: name,
        classify: (exit) =>
          Option.exists(Exit.findErrorOption(exit), ({ _tag }) => _tag === "RoutingUnavailable")
            ? CircuitBreaker.failure()
            : CircuitBreaker.success
      })
      .pipe(
        Effect.mapError((error) =>
          error instanceof CircuitBreaker.CircuitBreakerError ? unavailable(`${name} failed repeatedly`) : error
        )
      )

  return { name, quote }
})

/** Asks the sources in this order. */
export const layer = <E, R>(sources: Array.NonEmptyReadonlyArray<Source<E, R>>) =>
  Layer.effect(
    AcrossFees,
    Effect.gen(function* () {
      const [first, ...others] = yield* Effect.forEach(sources, ({ fees, name }) =>
        Effect.flatMap(Layer.build(Layer.fresh(fees)), (built) => guarded(name, Context.get(built, AcrossFees)))
      )
      const next = (rest: ReadonlyArray<typeof first>, request: FeeRequest): ReturnType<typeof first.quote> => {
        const [source, ...later] = rest
        if (source === undefined) return first.quote(request)
        return later.length === 0
          ? source.quote(request)
          : Effect.catchTag(source.quote(request), "RoutingUnavailable", ({ detail }) =>
              Effect.andThen(
                Effect.annotateLogs(Effect.logDebug("across.fees_fallback"), { source: source.name, detail }),
                next(later, request)
              )
            )
      }
      return AcrossFees.of({ quote: (request) => next([first, ...others], request) })
    })
  )
