/** Spans leave the process without secrets, and only those of the traces that are chosen. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Tracer } from "effect"
import * as SafeTracer from "../../../src/adapters/telemetry/SafeTracer.ts"
import { isSampled } from "../../../src/domain/TraceContext.ts"

const SECRET = "https://rpc.example/v2/secret-key"

/** A tracer that keeps the spans that ended. */
const recording = () => {
  const spans: Array<Tracer.Span> = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      const end = span.end.bind(span)
      span.end = (time, exit) => {
        end(time, exit)
        if (options.sampled) spans.push(span)
      }
      return span
    }
  })
  return { spans, tracer }
}

const traced = (percent: number) => {
  const { spans, tracer } = recording()
  const safe = SafeTracer.make(tracer, percent)
  return { spans, run: <A, E>(effect: Effect.Effect<A, E>) => Effect.withTracer(effect, safe) }
}

describe("a span", () => {
  it.effect("keeps of its attributes those that the service chooses", () =>
    Effect.gen(function* () {
      const { run, spans } = traced(100)
      yield* run(
        Effect.annotateCurrentSpan({
          "url.full": SECRET,
          "http.route": "/quote",
          "http.request.header.cookie": SECRET
        }).pipe(Effect.withSpan("request", { attributes: { "url.query": SECRET, "error.type": "500" } }))
      )
      assert.deepStrictEqual(
        [...(spans[0]?.attributes ?? [])],
        [
          ["error.type", "500"],
          ["http.route", "/quote"]
        ]
      )
    })
  )

  const failures: ReadonlyArray<readonly [string, Effect.Effect<unknown, unknown>, string]> = [
    ["an expected failure", Effect.fail({ _tag: "RequestFailed", message: SECRET }), "RequestFailed"],
    ["an error", Effect.fail(new TypeError(SECRET)), "TypeError"],
    ["a defect", Effect.die(new Error(SECRET, { cause: SECRET })), "Error"],
    ["a text", Effect.fail(SECRET), "Defect"]
  ]
  for (const [kind, effect, name] of failures) {
    it.effect(`tells of ${kind} only the name`, () =>
      Effect.gen(function* () {
        const { run, spans } = traced(100)
        yield* Effect.exit(run(Effect.withSpan(effect, "request")))
        const status = spans[0]?.status
        const said = JSON.stringify(status, (_, value) =>
          typeof value === "bigint"
            ? String(value)
            : value instanceof Error
              ? [value.name, value.message, value.stack]
              : value
        )
        assert.notInclude(said, "secret-key")
        assert.include(said, name)
      })
    )
  }

  it.effect("has no events, since logs are exported as logs", () =>
    Effect.gen(function* () {
      const { run, spans } = traced(100)
      yield* run(Effect.withSpan(Effect.logInfo(SECRET), "request"))
      const [span] = spans
      assert.instanceOf(span, Tracer.NativeSpan)
      assert.deepStrictEqual(span.events, [])
    })
  )
})

describe("a trace", () => {
  const parent = (traceId: string, sampled: boolean) =>
    Tracer.externalSpan({ traceId: traceId.padStart(32, "0"), spanId: "00f067aa0ba902b7", sampled })

  it.effect("of a client is recorded in the share that is set, whatever id it chooses, and with all of its spans", () =>
    Effect.gen(function* () {
      const { run, spans } = traced(25)
      const child = Effect.withSpan(Effect.void, "child")
      const request = (id: string, sampled: boolean) =>
        run(Effect.withSpan(child, id, { kind: "server", parent: parent(id, sampled) }))
      for (let index = 0; index < 2_000; index++) {
        yield* request("00000000", true)
        yield* request("ffffffff", true)
        yield* request("00000001", false)
      }
      const count = (wanted: string) => spans.filter(({ name }) => name === wanted).length
      for (const id of ["00000000", "ffffffff"]) {
        assert.isAbove(count(id), 350, id)
        assert.isBelow(count(id), 650, id)
      }
      assert.strictEqual(count("00000001"), 0)
      assert.strictEqual(count("child"), count("00000000") + count("ffffffff"))
      // The client finds the spans in its own trace.
      assert.isTrue(spans.every(({ traceId }) => /^0+$|^0+f{8}$/.test(traceId)))
    })
  )

  it.effect("that a service of the operator began is recorded as that service decided", () =>
    Effect.gen(function* () {
      const { run, spans } = traced(50)
      const child = Effect.withSpan(Effect.void, "child")
      yield* run(Effect.withSpan(child, "low", { parent: parent("7fffffff", true) }))
      yield* run(Effect.withSpan(child, "high", { parent: parent("80000000", true) }))
      yield* run(Effect.withSpan(child, "unwanted", { parent: parent("00000001", false) }))
      assert.deepStrictEqual(
        spans.map(({ name }) => name),
        ["child", "low", "child", "high"]
      )
    })
  )

  it.effect("of this service is recorded in the share that is set, and told to others as such", () =>
    Effect.gen(function* () {
      const { run, spans } = traced(25)
      for (let index = 0; index < 2_000; index++) yield* run(Effect.withSpan(Effect.void, "root"))
      assert.isAbove(spans.length, 350)
      assert.isBelow(spans.length, 650)
      assert.isTrue(spans.every(({ traceId }) => isSampled(traceId, 25)))
    })
  )

  it.effect("is never recorded at 0 %", () =>
    Effect.gen(function* () {
      const { run, spans } = traced(0)
      yield* run(Effect.withSpan(Effect.void, "root", { parent: parent("00000000", true) }))
      yield* run(Effect.withSpan(Effect.void, "request", { kind: "server", parent: parent("00000000", true) }))
      yield* run(Effect.withSpan(Effect.void, "own"))
      assert.deepStrictEqual(spans, [])
    })
  )
})
