/** Rate limits of the backend while an operator changes them, on two replicas with one database. */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schedule } from "effect"
import { HttpServer } from "effect/http"
import { AuditLog } from "../../../src/ports/builder/AuditLog.ts"
import { defaults } from "../../../src/server/shared/ServerSettings.ts"
import * as Harness from "./Harness.ts"

const { asAdmin, ask, field } = Harness

const OPTIONS = { server: { rateLimits: defaults.rateLimits } }

layer(Harness.layer(OPTIONS), { excludeTestServices: true })("rate limits of the backend", (it) => {
  it.effect("change on every replica within two seconds, are recorded, and hold again as set when cleared", () =>
    Effect.gen(function* () {
      const context = yield* Layer.build(
        Harness.serverOnStores(OPTIONS).pipe(Layer.provide(Layer.fresh(Harness.stores)))
      )
      const { address } = Context.get(context, HttpServer.HttpServer)
      const other = `http://127.0.0.1:${address._tag === "UnixPathAddress" ? 0 : address.port}`
      const change = (requests: number | null) =>
        asAdmin("POST /admin/rate-limits", { body: { policy: "signup", requests, reason: "bots" } })
      const policies = Effect.map(asAdmin("GET /admin/rate-limits"), ({ body }) => body)
      const told = Effect.map(Harness.askAt(other, "POST /builders/self"), ({ headers }) =>
        headers.get("ratelimit-policy")
      )
      const follows = (policy: string) =>
        told.pipe(
          Effect.repeat({ schedule: Schedule.spaced("20 millis"), until: (seen) => seen === policy }),
          Effect.timeout("20 seconds")
        )
      assert.strictEqual(yield* told, `"signup";q=10;w=3600`)
      const set = yield* change(2_000)
      assert.strictEqual(set.status, 200)
      assert.deepInclude(field(set, "chosen"), { requests: 2_000, actor: "admin-token", reason: "bots" })
      assert.deepInclude(set.body, { policy: "signup", windowSeconds: 3_600, requests: 2_000, configured: 10 })
      yield* follows(`"signup";q=2000;w=3600`)
      const here = yield* ask("POST /builders/self")
      assert.strictEqual(here.headers.get("ratelimit-policy"), `"signup";q=2000;w=3600`)
      assert.deepStrictEqual(
        ((yield* policies) as ReadonlyArray<{ readonly policy: string; readonly requests: number }>).map(
          ({ policy, requests }) => [policy, requests]
        ),
        [
          ["attribution", 100],
          ["signup", 2_000],
          ["builder", 300]
        ]
      )
      yield* change(null)
      yield* follows(`"signup";q=10;w=3600`)
      const records = yield* Effect.flatMap(AuditLog, ({ list }) => list({ limit: 2 }))
      assert.deepStrictEqual(
        records.map(({ action, actor, details, subject }) => [action, actor, subject, details]),
        [
          ["rate_limit.cleared", "admin-token", "signup", { reason: "bots" }],
          ["rate_limit.set", "admin-token", "signup", { reason: "bots", requests: "2000" }]
        ]
      )
    })
  )

  it.effect("are changed by operators alone, within bounds alone", () =>
    Effect.gen(function* () {
      const change = (body: unknown) => asAdmin("POST /admin/rate-limits", { body })
      assert.strictEqual((yield* ask("GET /admin/rate-limits")).status, 401)
      for (const body of [
        { policy: "signup", requests: 0 },
        { policy: "builder", requests: 29 },
        { policy: "attribution", requests: 1_000_001 },
        { policy: "orchestrator", requests: 100 },
        { policy: "builder" }
      ]) {
        const refused = yield* change(body)
        assert.strictEqual(refused.status, 422)
        assert.isNotEmpty(field(refused, "error", "issues"))
      }
    })
  )
})
