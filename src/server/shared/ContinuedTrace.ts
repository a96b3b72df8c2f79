/**
 * Lets requests between the services of an operator continue their trace. A traced request of anybody is recorded by a draw of this service,
 * since its client chooses the id and the flag of the trace. After the operator's token is checked, the flag is another service's decision.
 */
import { Effect, Option } from "effect"
import { HttpServerRequest, HttpTraceContext } from "effect/http"

/** Runs the handler of a request that came with the operator's token. If the caller records the trace, the spans of the handler belong to it. */
export const continued = <A, E, R>(
  handler: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R | HttpServerRequest.HttpServerRequest> =>
  Effect.gen(function* () {
    const { headers } = yield* HttpServerRequest.HttpServerRequest
    const caller = Option.filter(HttpTraceContext.fromHeaders(headers), ({ sampled }) => sampled)
    const span = yield* Effect.option(Effect.currentSpan)
    // A recorded span of the request has the caller's span as its parent.
    if (Option.isNone(caller) || Option.isNone(span) || span.value.sampled) return yield* handler
    return yield* Effect.withParentSpan(handler, caller.value)
  })
