/** Every answer of the operator routes and of liveness (spec, "Errors"). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { classOf } from "../../../src/domain/Exposure.ts"
import { expectAnswer, expectError, storeDown } from "./Expect.ts"
import { serve } from "./Harness.ts"
import { health, ID, stuckIntent } from "./Fixtures.ts"

const TOKEN_OF_OPERATOR = "operator-token"
const asOperator = { headers: { authorization: `Bearer ${TOKEN_OF_OPERATOR}` } }
const withOperator = { adminToken: Redacted.make(TOKEN_OF_OPERATOR) }
describe("operator routes", () => {
  const routes = [
    ["POST", "/watch/tick"],
    ["GET", "/admin/health"],
    ["GET", "/admin/alerts"],
    ["GET", "/admin/exposure"],
    ["GET", "/admin/intents?state=stuck"],
    ["GET", "/admin/find?q=x"],
    ["GET", `/admin/intents/${ID}`],
    ["POST", `/admin/intents/${ID}/retry`],
    ["POST", "/admin/outbox/41/close"],
    ["POST", "/admin/alerts/7/close"]
  ] as const

  it.effect("200 with the token, however the scheme is written", () =>
    Effect.gen(function* () {
      const { call } = yield* serve({}, withOperator)
      expectAnswer(yield* call("/watch/tick", { method: "POST", ...asOperator }), 200, {
        transactions: 1,
        rebroadcast: 2,
        replaced: 3,
        settledSource: 4,
        delivered: 5,
        failed: 6,
        outboxDelivered: 7,
        unavailableChains: [8]
      })
      expectAnswer(yield* call("/admin/health", { headers: { authorization: `bearer ${TOKEN_OF_OPERATOR}` } }), 200, {
        ...health,
        chains: [{ ...health.chains[0], blockNumber: "12" }],
        lanes: [{ ...health.lanes[0], balance: "1000000000000000000" }],
        relaying: [{ ...health.relaying[0], spent: "1000000000000000", dailyCap: "1000000000000000000" }]
      })
      expectAnswer(yield* call("/admin/alerts", asOperator), 200, [
        {
          id: "1",
          severity: "critical",
          kind: "lane_low",
          message: "fund the lane",
          sinceMs: 7,
          details: { balance: "1", low: true, n: 2 }
        }
      ])
    })
  )

  it.effect("200 with the sweeps that a text names, 422 without one, 404 for a story that nobody knows", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const find = (text: string) => {
        asked.push(text)
        return Effect.succeed({ sweeps: [], more: false, roles: [{ role: "lane" as const, chainId: 8453 }] })
      }
      const { call } = yield* serve({ stories: { find, story: () => Effect.succeedNone } }, withOperator)
      const roles = [{ role: "lane", chainId: 8453 }]
      expectAnswer(yield* call("/admin/find?q=a%20b", asOperator), 200, { sweeps: [], more: false, roles })
      assert.deepStrictEqual(asked, ["a b"])
      assert.strictEqual((yield* call("/admin/find", asOperator)).status, 422)
      expectError(yield* call("/admin/find?q=", asOperator), 422, "q: expected 1 to 200 characters")
      expectError(yield* call("/admin/intents/unknown", asOperator), 404, "not found")
    })
  )

  it.effect("take the id of a sweep in any case", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const noted = (id: string) => {
        asked.push(id)
        return Effect.succeedNone
      }
      const { call } = yield* serve(
        { retry: noted, stories: { find: () => Effect.die("asked"), story: noted } },
        withOperator
      )
      yield* call(`/admin/intents/${ID.toUpperCase()}`, asOperator)
      yield* call(`/admin/intents/${ID.toUpperCase()}/retry`, { method: "POST", ...asOperator })
      assert.deepStrictEqual(asked, [ID, ID])
    })
  )

  it.effect("200 with the budgets of each chain, and the largest losses", () =>
    Effect.gen(function* () {
      const sums = { open: 3n, hour: { lost: 1n, earned: 0n }, day: { lost: 2n, earned: 4n } }
      const { call } = yield* serve(
        {
          exposures: {
            sums: (keys) => Effect.succeed(new Map(keys.map((key) => [key, sums]))),
            largest: () => Effect.succeed([{ key: classOf("unlisted", "network", 8453, "2001:db8::/64"), ...sums }])
          }
        },
        withOperator
      )
      const answer = yield* call("/admin/exposure", asOperator)
      const lost = { lostHour: "1", lostDay: "2", reserved: "3" }
      const found = answer.json as { readonly budgets: ReadonlyArray<unknown>; readonly classes: unknown }
      assert.deepInclude(found.budgets[0], { scope: "unlisted", budgetHour: "20000000000000000", ...lost })
      assert.deepStrictEqual(found.classes, [
        { chainId: 8453, scope: "unlisted", kind: "network", value: "2001:db8::/64", earnedDay: "4", ...lost }
      ])
    })
  )

  it.effect("401 without it, or with another", () =>
    Effect.gen(function* () {
      const credentials = [
        "",
        "Bearer",
        "Bearer ",
        "Bearer x",
        `Bearer ${TOKEN_OF_OPERATOR}x`,
        `Bearer ${TOKEN_OF_OPERATOR.slice(1)}`
      ]
      credentials.push(`Basic ${TOKEN_OF_OPERATOR}`, TOKEN_OF_OPERATOR, `Bearer ${"x".repeat(5_000)}`)
      for (const [method, path] of routes) {
        const { call } = yield* serve({}, withOperator)
        for (const authorization of credentials) {
          const answer = yield* call(path, { method, headers: authorization === "" ? {} : { authorization } })
          expectError(answer, 401, "unauthorized")
          assert.strictEqual(answer.headers.get("www-authenticate"), "Bearer")
        }
      }
    })
  )

  it.effect("429 for a client that guessed too often, with the right token too, until its window ends", () =>
    Effect.gen(function* () {
      const { call } = yield* serve({}, { ...withOperator, trustedProxyHops: 1 })
      const ask = (client: string, token: string | undefined) =>
        call("/admin/alerts", {
          headers: { "x-forwarded-for": client, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) }
        })
      for (let n = 0; n < 30; n++) assert.strictEqual((yield* ask("192.0.2.1", undefined)).status, 401)
      for (let n = 0; n < 30; n++) assert.strictEqual((yield* ask("192.0.2.1", TOKEN_OF_OPERATOR)).status, 200)
      for (let n = 0; n < 20; n++) assert.strictEqual((yield* ask("192.0.2.1", `guess ${n}`)).status, 401)
      for (const token of ["guess 20", TOKEN_OF_OPERATOR]) {
        const refused = yield* ask("192.0.2.1", token)
        expectError(refused, 429, "rate limit exceeded")
        assert.strictEqual(refused.headers.get("retry-after"), "60")
        assert.isNull(refused.headers.get("www-authenticate"))
      }
      assert.strictEqual((yield* ask("192.0.2.2", TOKEN_OF_OPERATOR)).status, 200)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* ask("192.0.2.1", TOKEN_OF_OPERATOR)).status, 200)
    })
  )

  it.effect("401 for everybody when no token, or an empty one, is configured", () =>
    Effect.gen(function* () {
      for (const adminToken of [undefined, Redacted.make("")]) {
        const { call } = yield* serve({}, { adminToken })
        for (const [method, path] of routes) {
          expectError(yield* call(path, { method }), 401, "unauthorized")
          expectError(yield* call(path, { method, headers: { authorization: "Bearer " } }), 401, "unauthorized")
          expectError(
            yield* call(path, { method, headers: { authorization: "Bearer undefined" } }),
            401,
            "unauthorized"
          )
        }
      }
    })
  )

  it.effect("503 masked: the database is away", () =>
    Effect.gen(function* () {
      const { call } = yield* serve(
        { tick: storeDown, alerts: storeDown, stuck: () => storeDown, retry: () => storeDown, close: () => storeDown },
        withOperator
      )
      expectError(yield* call("/watch/tick", { method: "POST", ...asOperator }), 503, "internal error")
      expectError(yield* call("/admin/alerts", asOperator), 503, "internal error")
      expectError(yield* call("/admin/intents", asOperator), 503, "internal error")
      expectError(yield* call(`/admin/intents/${ID}/retry`, { method: "POST", ...asOperator }), 503, "internal error")
      expectError(yield* call("/admin/outbox/41/close", { method: "POST", ...asOperator }), 503, "internal error")
      expectError(yield* call("/admin/alerts/7/close", { method: "POST", ...asOperator }), 503, "internal error")
    })
  )

  it.effect("200 with the sweeps that do not get on, as many and as old as asked", () =>
    Effect.gen(function* () {
      const asked: Array<unknown> = []
      const { call } = yield* serve(
        {
          stuck: (query) => {
            asked.push(query)
            return Effect.succeed({ intents: [stuckIntent], total: 7 })
          }
        },
        withOperator
      )
      expectAnswer(yield* call("/admin/intents?state=stuck", asOperator), 200, {
        intents: [{ ...stuckIntent, deadline: "2" }],
        total: 7
      })
      yield* call("/admin/intents?olderThanSeconds=0&limit=200", asOperator)
      assert.deepStrictEqual(asked, [
        { limit: 50, olderThanMillis: 120_000 },
        { limit: 200, olderThanMillis: 0 }
      ])
    })
  )

  it.effect("422 for what it cannot ask", () =>
    Effect.gen(function* () {
      const { call } = yield* serve({}, withOperator)
      for (const [query, problem] of [
        ["limit=0", "limit: expected an integer from 1 to 200"],
        ["limit=201", "limit: expected an integer from 1 to 200"],
        ["limit=1e2", "limit: expected an integer from 1 to 200"],
        ["olderThanSeconds=-1", "olderThanSeconds: expected an integer from 0 to 86400"],
        ["state=slow", "state: expected stuck"]
      ] as const) {
        expectError(yield* call(`/admin/intents?${query}`, asOperator), 422, problem)
      }
    })
  )

  it.effect("200 with what a retry did, and 404 for an unknown id", () =>
    Effect.gen(function* () {
      const { call } = yield* serve({}, withOperator)
      const post = { method: "POST", ...asOperator }
      expectAnswer(yield* call(`/admin/intents/${ID.toUpperCase()}/retry`, post), 200, {
        id: ID,
        outcome: "requeued",
        explanation: "It is free."
      })
      expectError(yield* call("/admin/intents/x/retry", post), 404, "not found")
    })
  )

  it.effect("200 for a message that is closed, and 404 if no alert stands for it", () =>
    Effect.gen(function* () {
      const { call } = yield* serve({}, withOperator)
      const post = { method: "POST", ...asOperator }
      expectAnswer(yield* call("/admin/outbox/41/close", post), 200, { id: "41", outcome: "closed" })
      expectError(yield* call("/admin/outbox/42/close", post), 404, "not found")
    })
  )
})

describe("GET /healthz", () => {
  it.effect("200, without a credential", () =>
    Effect.gen(function* () {
      const { call } = yield* serve()
      expectAnswer(yield* call("/healthz"), 200, { ok: true })
    })
  )
})

describe("GET /readyz", () => {
  const chain = { id: 8453, name: "base", ready: false, missingContracts: ["guard"] }

  it.effect("200, without a credential, and shows the chains that are not served", () =>
    Effect.gen(function* () {
      const chains = [chain, { id: 1, name: "one", ready: true, missingContracts: [] }]
      const { call } = yield* serve({ ready: Effect.succeed({ unready: [], chains }) })
      expectAnswer(yield* call("/readyz"), 200, { ok: true, chains })
    })
  )

  it.effect("503 and a time to retry, with the parts that are missing", () =>
    Effect.gen(function* () {
      const unready = ["database", "chains"] as const
      const { call } = yield* serve({ ready: Effect.succeed({ unready, chains: [chain] }) })
      const answer = yield* call("/readyz")
      expectAnswer(answer, 503, { error: "not ready", unready, chains: [chain] })
      assert.strictEqual(answer.headers.get("retry-after"), "1")
    })
  )
})
