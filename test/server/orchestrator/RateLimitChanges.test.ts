/** The rate limit while the operator changes it, at the real routes. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { serve } from "./Harness.ts"

const TOKEN = { authorization: "Bearer t" }

const server = Effect.gen(function* () {
  const { call, post } = yield* serve({}, { adminToken: Redacted.make("t") })
  return {
    call,
    client: Effect.map(call("/intents/x"), ({ headers, status }) => [status, headers.get("ratelimit")]),
    list: Effect.map(call("/admin/rate-limits", { headers: TOKEN }), ({ json }) => json),
    change: (body: unknown, headers = TOKEN) => post("/admin/rate-limits", body, headers)
  }
})

const DEFAULT = {
  policy: "orchestrator",
  windowSeconds: 60,
  requests: 100,
  configured: 100,
  least: 30,
  most: 1_000_000,
  chosen: null
}

describe("the rate limit", () => {
  it.effect("is 100 in 60 seconds, another number once the operator chose it, and 100 again after that", () =>
    Effect.gen(function* () {
      const { change, client, list } = yield* server
      assert.deepStrictEqual(yield* list, [DEFAULT])
      for (let n = 0; n < 40; n++) yield* client
      assert.deepStrictEqual(yield* client, [404, `"default";r=59;t=60`])

      const chosen = { requests: 30, actor: "admin-token", reason: "a scraper", sinceMs: 0 }
      const set = yield* change({ policy: "orchestrator", requests: 30, reason: "a scraper" })
      assert.deepStrictEqual(set.json, { ...DEFAULT, requests: 30, chosen })
      assert.deepStrictEqual(yield* list, [set.json])
      // The window that has begun is measured by it too.
      assert.deepStrictEqual(yield* client, [429, `"default";r=0;t=60`])
      yield* TestClock.adjust("60 seconds")
      assert.deepStrictEqual(yield* client, [404, `"default";r=29;t=60`])

      yield* change({ policy: "orchestrator", requests: 200 })
      assert.deepStrictEqual(yield* client, [404, `"default";r=198;t=60`])
      const cleared = yield* change({ policy: "orchestrator", requests: null, reason: "gone" })
      assert.deepStrictEqual(cleared.json, DEFAULT)
      assert.deepStrictEqual(yield* client, [404, `"default";r=97;t=60`])
    })
  )

  it.effect("is changed by the operator alone, within bounds alone", () =>
    Effect.gen(function* () {
      const { change, call, list } = yield* server
      const body = { policy: "orchestrator", requests: 60 }
      assert.strictEqual((yield* change(body, { authorization: "Bearer guess" })).status, 401)
      assert.strictEqual((yield* call("/admin/rate-limits")).status, 401)
      for (const requests of [29, 0, -1, 1_000_001, 60.5, "60"]) {
        assert.strictEqual((yield* change({ ...body, requests })).status, 422)
      }
      assert.deepStrictEqual((yield* change({ ...body, requests: 29 })).json, {
        error: "requests: must be from 30 to 1000000 for the policy orchestrator"
      })
      assert.strictEqual((yield* change({ policy: "signup", requests: 60 })).status, 422)
      assert.deepStrictEqual(yield* list, [DEFAULT])
    })
  )
})
