/**
 * Traces that follow a sweep. The trace of the request that quoted it is stored with the intent, and every later stage adds a span to
 * it, in any process and at any time. Nothing is stored or added for traces that are not recorded.
 */
import { Clock, Context, Effect, Exit, Option, Tracer } from "effect"
import type { TraceContext } from "../domain/TraceContext.ts"

const NANOS_PER_MILLI = 1_000_000n

const spanOf = ({ spanId, traceId }: TraceContext) => Tracer.externalSpan({ traceId, spanId, sampled: true })

/** Context of the current span. Undefined if its trace is not recorded, or if nothing collects traces. */
export const current: Effect.Effect<TraceContext | undefined> = Effect.gen(function* () {
  if ((yield* Tracer.Tracer) === Tracer.nativeTracer) return undefined
  const span = yield* Effect.option(Effect.currentSpan)
  return Option.getOrUndefined(
    Option.map(
      Option.filter(span, ({ sampled }) => sampled),
      ({ spanId, traceId }): TraceContext => ({ traceId: traceId.padStart(32, "0"), spanId })
    )
  )
})

/** Adds a span to the trace of a sweep for what began at `sinceMs` (UNIX milliseconds) and ends now. Links it to the current span. */
export const mark = (name: string, trace: TraceContext | undefined, sinceMs: number): Effect.Effect<void> =>
  trace === undefined
    ? Effect.void
    : Effect.gen(function* () {
        const tracer = yield* Tracer.Tracer
        const doing = yield* Effect.option(Effect.currentSpan)
        const span = tracer.span({
          name,
          parent: Option.some(spanOf(trace)),
          annotations: Context.empty(),
          links: Option.isSome(doing) ? [{ span: doing.value, attributes: {} }] : [],
          startTime: BigInt(Math.round(sinceMs)) * NANOS_PER_MILLI,
          kind: "internal",
          root: false,
          sampled: true
        })
        const end = yield* Clock.currentTimeMillis
        span.end(BigInt(end) * NANOS_PER_MILLI, Exit.void)
      })

/** Runs an effect in a span of the trace of a sweep, so that its requests to other services continue the trace. */
export const within =
  (name: string, trace: TraceContext | undefined) =>
  <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    trace === undefined ? effect : Effect.withSpan(effect, name, { parent: spanOf(trace) })
