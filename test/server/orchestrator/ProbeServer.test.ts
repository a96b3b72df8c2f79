/** The server of a process without the role `api`. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import type { ChainReadiness } from "../../../src/domain/Readiness.ts"
import { Readiness } from "../../../src/orchestrator/operate/Readiness.ts"
import * as ProbeServer from "../../../src/server/orchestrator/ProbeServer.ts"
import * as RateLimitStore from "../../../src/server/shared/RateLimitStore.ts"
import { ServerSettings } from "../../../src/server/shared/ServerSettings.ts"
import { SERVE_OPTIONS } from "../../../src/server/shared/ServiceServer.ts"
import { Stopping } from "../../../src/server/shared/Stopping.ts"

const CHAIN: ChainReadiness = { id: 8453, name: "base", ready: true, missingContracts: [] }

const parts = Layer.mergeAll(
  Layer.succeed(Readiness, { check: Effect.succeed({ unready: [], chains: [CHAIN] }) }),
  ServerSettings.layer({ metricsToken: Redacted.make("scraper") }),
  RateLimitStore.layerMemory,
  Stopping.layer,
  HttpServer.layerServices
)

const server = Effect.acquireRelease(
  Effect.sync(() =>
    HttpRouter.toWebHandler(
      ProbeServer.routes(new Set(["relay", "watch"])).pipe(Layer.provideMerge(parts)),
      SERVE_OPTIONS
    )
  ),
  ({ dispose }) => Effect.promise(dispose)
)

describe("a process without the role api", () => {
  it.live("answers probes and metrics, and says at other routes where to send the request", () =>
    Effect.gen(function* () {
      const { handler } = yield* server
      const ask = (path: string, init: RequestInit = {}) =>
        Effect.promise(() => handler(new Request(`http://localhost${path}`, init)))
      assert.strictEqual((yield* ask("/healthz")).status, 200)
      const ready = yield* ask("/readyz")
      assert.deepStrictEqual(yield* Effect.promise(() => ready.json()), { ok: true, chains: [CHAIN] })
      assert.strictEqual((yield* ask("/metrics")).status, 401)
      assert.strictEqual((yield* ask("/metrics", { headers: { authorization: "Bearer scraper" } })).status, 200)
      for (const [method, path] of [
        ["POST", "/quote"],
        ["POST", "/intents"],
        ["GET", "/intents/1?x=y"],
        ["GET", "/chains"],
        ["GET", "/admin/health"],
        ["GET", "/docs"],
        ["GET", "/openapi.json"]
      ] as const) {
        const answer = yield* ask(path, { method })
        assert.strictEqual(answer.status, 503, path)
        assert.isNotNull(answer.headers.get("retry-after"))
        assert.deepStrictEqual(yield* Effect.promise(() => answer.json()), {
          error: "this process has no role api, only relay, watch: send the request to a process with the role api"
        })
      }
      assert.strictEqual((yield* ask("/nothing")).status, 404)
      assert.strictEqual((yield* ask("/healthz", { method: "POST" })).status, 405)
    }).pipe(Effect.scoped)
  )
})
