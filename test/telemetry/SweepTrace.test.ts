/** A sweep's later stages belong to the trace of the request that quoted it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Tracer } from "effect"
import { TestClock } from "effect/testing"
import * as TraceContext from "../../src/domain/TraceContext.ts"
import * as SweepTrace from "../../src/telemetry/SweepTrace.ts"

const collecting = () => {
  const spans: Array<Tracer.Span> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  return { spans, run: Effect.withTracer(tracer) }
}

describe("the trace of a sweep", () => {
  it.effect("is that of the current span", () =>
    Effect.gen(function* () {
      const { run, spans } = collecting()
      const trace = yield* run(Effect.withSpan(SweepTrace.current, "POST /quote"))
      assert.deepStrictEqual(trace, { traceId: spans[0]?.traceId, spanId: spans[0]?.spanId })
    })
  )

  it.effect("is none if nothing collects it, and none if it is not recorded", () =>
    Effect.gen(function* () {
      const { run } = collecting()
      assert.isUndefined(yield* Effect.withSpan(SweepTrace.current, "quote"))
      assert.isUndefined(yield* run(SweepTrace.current))
      assert.isUndefined(yield* run(Effect.withSpan(SweepTrace.current, "quote", { sampled: false })))
    })
  )

  it.effect("gets a span for a stage that began long before, linked to what is done now", () =>
    Effect.gen(function* () {
      const { run, spans } = collecting()
      const trace = yield* run(Effect.withSpan(SweepTrace.current, "POST /quote"))
      yield* TestClock.adjust("1 minute")
      yield* run(Effect.withSpan(SweepTrace.mark("sweep.settled", trace, 5_000), "Watcher.conclude"))
      const [quote, pass, settled] = spans
      assert.instanceOf(settled, Tracer.NativeSpan)
      assert.strictEqual(settled.name, "sweep.settled")
      assert.strictEqual(settled.traceId, quote?.traceId)
      assert.strictEqual(Option.getOrUndefined(settled.parent)?.spanId, quote?.spanId)
      assert.notStrictEqual(pass?.traceId, quote?.traceId)
      assert.deepStrictEqual(
        settled.links.map(({ span }) => span.spanId),
        [pass?.spanId]
      )
      assert.strictEqual(settled.status._tag, "Ended")
      if (settled.status._tag === "Ended") assert.strictEqual(settled.status.endTime, 60_000_000_000n)
      assert.strictEqual(settled.status.startTime, 5_000_000_000n)
    })
  )

  it.effect("gets nothing if it is not recorded", () =>
    Effect.gen(function* () {
      const { run, spans } = collecting()
      yield* run(SweepTrace.mark("sweep.settled", undefined, 0))
      yield* run(SweepTrace.within("outbox.offered", undefined)(Effect.void))
      assert.deepStrictEqual(spans, [])
    })
  )

  it("is stored in 24 bytes", () => {
    const trace = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" }
    const bytes = TraceContext.toBytes(trace)
    assert.strictEqual(bytes.length, 2 + 48)
    assert.deepStrictEqual(TraceContext.fromBytes(bytes), Option.some(trace))
    for (const wrong of ["", "0x", "0x12", `${bytes}00`, bytes.slice(2)]) {
      assert.deepStrictEqual(TraceContext.fromBytes(wrong), Option.none())
    }
  })
})
