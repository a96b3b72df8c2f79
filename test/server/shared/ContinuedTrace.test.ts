/** Requests between the services continue their trace. Those of clients are recorded by the draw of the service alone. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted, Tracer } from "effect"
import { HttpServer } from "effect/http"
import * as SafeTracer from "../../../src/adapters/telemetry/SafeTracer.ts"
import * as Builder from "../builder/Harness.ts"
import * as Orchestrator from "../orchestrator/Harness.ts"

const ADMIN = "admin token"
/** The least of all ids, whose last digits were once taken as the draw. */
const TRACE = "0123456789abcdef0123456700000000"

/** A tracer whose draw records no trace that a client begins or continues. Keeps the recorded spans of {@link TRACE}. */
const unlucky = () => {
  const spans: Array<string> = []
  const inner = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      if (span.sampled && options.kind !== "server" && span.traceId === TRACE) spans.push(options.name)
      return span
    }
  })
  return { spans, tracer: SafeTracer.make(inner, Number.MIN_VALUE) }
}

const flagged = (flags: "00" | "01", authorization?: string) => ({
  traceparent: `00-${TRACE}-00f067aa0ba902b7-${flags}`,
  ...(authorization === undefined ? {} : { authorization })
})

const orchestrator = Effect.gen(function* () {
  const { call } = yield* Orchestrator.serve({}, { adminToken: Redacted.make(ADMIN) })
  return (path: string, headers: Record<string, string>) => call(path, { headers })
})

describe("a request with a recorded trace", () => {
  it.live("of another service is recorded in that trace", () => {
    const { spans, tracer } = unlucky()
    return Effect.gen(function* () {
      const call = yield* orchestrator
      assert.strictEqual((yield* call("/admin/alerts", flagged("01", `Bearer ${ADMIN}`))).status, 200)
      assert.include(spans, "GET /admin/alerts")
      spans.length = 0
      assert.strictEqual((yield* call("/admin/alerts", flagged("00", `Bearer ${ADMIN}`))).status, 200)
      assert.deepStrictEqual(spans, [])
    }).pipe(Effect.scoped, Effect.withTracer(tracer))
  })

  it.live("of a client is not recorded for its flag and its id", () => {
    const { spans, tracer } = unlucky()
    return Effect.gen(function* () {
      const call = yield* orchestrator
      assert.strictEqual((yield* call("/readyz", flagged("01"))).status, 200)
      assert.strictEqual((yield* call("/readyz", flagged("01", `Bearer ${ADMIN}`))).status, 200)
      assert.strictEqual((yield* call("/admin/alerts", flagged("01", "Bearer another"))).status, 401)
      assert.deepStrictEqual(spans, [])
    }).pipe(Effect.scoped, Effect.withTracer(tracer))
  })

  it.live("of the orchestrator for an attribution is recorded in that trace, and of anybody else not", () => {
    const { spans, tracer } = unlucky()
    return Effect.gen(function* () {
      const context = yield* Layer.build(Builder.layer())
      const address = Context.get(context, HttpServer.HttpServer).address
      const base = `http://127.0.0.1:${address._tag === "UnixPathAddress" ? assert.fail() : address.port}`
      const attribute = (headers: Record<string, string>) => Builder.askAt(base, "POST /attribute", { headers })
      yield* attribute(flagged("01"))
      yield* attribute(flagged("01", "Bearer another"))
      assert.deepStrictEqual(spans, [])
      yield* attribute(flagged("01", `Bearer ${Builder.ADMIN_TOKEN}`))
      assert.include(spans, "POST /attribute")
    }).pipe(Effect.scoped, Effect.withTracer(tracer))
  })
})
