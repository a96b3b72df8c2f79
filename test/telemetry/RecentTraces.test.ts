/** A message that this process queued is delivered in the trace that queued it. */
import { assert, it } from "@effect/vitest"
import { Effect, Tracer } from "effect"
import * as RecentTraces from "../../src/telemetry/RecentTraces.ts"
import * as SweepTrace from "../../src/telemetry/SweepTrace.ts"

const tracer = Tracer.make({ span: (options) => new Tracer.NativeSpan(options) })

/** Notes a message in a span, and returns the trace of the span. */
const noted = (id: string, sampled = true) =>
  Effect.andThen(RecentTraces.note(id), SweepTrace.current).pipe(
    Effect.withSpan("report", { sampled }),
    Effect.withTracer(tracer)
  )

it.effect("a message has the recorded trace in which it was noted last", () =>
  Effect.gen(function* () {
    const trace = yield* noted("message noted twice")
    assert.isDefined(trace)
    assert.deepStrictEqual(yield* RecentTraces.find("message noted twice"), trace)
    const later = yield* noted("message noted twice")
    assert.notDeepEqual(later, trace)
    assert.deepStrictEqual(yield* RecentTraces.find("message noted twice"), later)
    yield* noted("message noted twice", false)
    assert.deepStrictEqual(yield* RecentTraces.find("message noted twice"), later)
    assert.isUndefined(yield* RecentTraces.find("message that nobody noted"))
  })
)
