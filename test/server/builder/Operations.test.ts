/** The console's view of the orchestrator: what it passes on, what it says when it cannot, and what it writes down. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import * as OrchestratorOperationsInMemory from "../../../src/adapters/memory/builder/OrchestratorOperations.ts"
import { Health } from "../../../src/domain/Health.ts"
import { SweepStory } from "../../../src/domain/SweepStory.ts"
import { StuckIntents } from "../../../src/domain/StuckIntent.ts"
import { OperationsUnavailable, OrchestratorOperations } from "../../../src/ports/builder/OrchestratorOperations.ts"
import { parts } from "../../ports/builder/OrchestratorOperations.suite.ts"
import { hash } from "../../support/IntentFixtures.ts"
import * as Harness from "./Harness.ts"

const { asAdmin, ask, field } = Harness
const live = { excludeTestServices: true }

const ROUTES = [
  "GET /admin/operations/health",
  "GET /admin/operations/alerts",
  "GET /admin/operations/intents",
  "GET /admin/operations/treasury",
  "GET /admin/operations/money",
  "GET /admin/operations/pauses",
  "GET /admin/operations/find?q=x",
  "GET /admin/operations/intents/x",
  "POST /admin/operations/intents/x/retry"
]

const ID = "2f9d1c1e-7d52-4b8e-8a55-0e6a9a1b3c77"

const audited = Effect.map(asAdmin("GET /admin/audit"), (answer) => {
  const records = field(answer, "records")
  return Array.isArray(records)
    ? records.map(({ action, actor, subject }) => `${actor} ${action} ${subject}`)
    : assert.fail(answer.text)
})

layer(Harness.layer({ operations: OrchestratorOperationsInMemory.layer(parts) }), live)("the console", (it) => {
  it.effect("shows the orchestrator's health, alerts and stuck sweeps", () =>
    Effect.gen(function* () {
      const health = yield* asAdmin("GET /admin/operations/health")
      assert.strictEqual(health.status, 200)
      assert.deepStrictEqual(health.body, yield* Schema.encodeEffect(Health)(parts.health))
      assert.deepStrictEqual((yield* asAdmin("GET /admin/operations/alerts")).body, parts.alerts)
      const stuck = yield* Schema.encodeEffect(StuckIntents)({ intents: parts.stuck, total: 2 })
      assert.deepStrictEqual((yield* asAdmin("GET /admin/operations/intents")).body, stuck)
      assert.deepStrictEqual((yield* asAdmin("GET /admin/operations/intents?state=stuck&limit=1")).body, {
        intents: stuck.intents.slice(0, 1),
        total: 2
      })
      const refused = yield* asAdmin("GET /admin/operations/intents?limit=0")
      assert.strictEqual(refused.status, 422)
      assert.deepStrictEqual(field(refused, "error", "issues", 0, "path"), ["limit"])
    })
  )

  it.effect("retries a sweep, and writes down who asked for it", () =>
    Effect.gen(function* () {
      const retry = (id: string) => asAdmin(`POST /admin/operations/intents/${id}/retry`)
      assert.deepStrictEqual((yield* retry("rests")).body, {
        id: "rests",
        outcome: "requeued",
        explanation: "It is free to be taken."
      })
      assert.strictEqual(field(yield* retry("carried"), "outcome"), "carried")
      const unknown = yield* retry("unknown")
      assert.deepStrictEqual([unknown.status, unknown.body], [404, { error: "not found" }])
      assert.strictEqual((yield* retry(ID.toUpperCase())).status, 404)
      assert.deepStrictEqual(yield* audited, [
        `admin-token intent.retry ${ID}`,
        "admin-token intent.retry unknown",
        "admin-token intent.retry carried",
        "admin-token intent.retry rests"
      ])
    })
  )

  it.effect("finds a sweep by a hash of its transaction, and tells its story", () =>
    Effect.gen(function* () {
      const [story] = parts.stories
      const found = yield* asAdmin(`GET /admin/operations/find?q=${hash("second")}`)
      assert.strictEqual(field(found, "sweeps", 0, "id"), "rests")
      const told = yield* asAdmin("GET /admin/operations/intents/rests")
      assert.deepStrictEqual(told.body, yield* Schema.encodeEffect(SweepStory)(story ?? assert.fail("no story")))
      assert.strictEqual((yield* asAdmin("GET /admin/operations/intents/unknown")).status, 404)
      for (const q of ["", "?q=", `?q=${"x".repeat(201)}`]) {
        assert.strictEqual((yield* asAdmin(`GET /admin/operations/find${q}`)).status, 422, q)
      }
    })
  )

  it.effect("pauses a builder and resumes it, and writes down who asked for it, and why", () =>
    Effect.gen(function* () {
      const subject = { scope: "builder", builderId: "bld" }
      const change = (body: unknown) => asAdmin("POST /admin/operations/pauses", { body })
      const paused = yield* change({ subject, state: "paused", reason: "it attacks" })
      assert.strictEqual(field(paused, "chosen", "reason"), "it attacks")
      assert.strictEqual(field(yield* asAdmin("GET /admin/operations/pauses"), 1, "state"), "paused")
      assert.strictEqual((yield* change({ subject, state: "default" })).status, 200)
      assert.strictEqual((yield* change({ subject: { scope: "chain", chainId: 99 }, state: "paused" })).status, 404)
      assert.strictEqual((yield* change({ subject: { scope: "planet" }, state: "paused" })).status, 422)
      assert.deepStrictEqual((yield* audited).slice(0, 3), [
        "admin-token pause.change chain:99",
        "admin-token pause.change builder:bld",
        "admin-token pause.change builder:bld"
      ])
      const details = field(yield* asAdmin("GET /admin/audit"), "records", 2, "details")
      assert.deepStrictEqual(details, { state: "paused", reason: "it attacks" })
    })
  )

  it.effect("shows nothing of it to anybody else", () =>
    Effect.gen(function* () {
      for (const route of ROUTES) {
        assert.strictEqual((yield* ask(route)).status, 401, route)
        assert.strictEqual((yield* ask(route, { headers: { authorization: "Bearer wrong" } })).status, 401, route)
      }
    })
  )
})

layer(Harness.layer(), live)("the console of a backend that was told of no orchestrator", (it) => {
  it.effect("says what to set", () =>
    Effect.gen(function* () {
      for (const route of ROUTES) {
        const answer = yield* asAdmin(route)
        assert.strictEqual(answer.status, 501, route)
        assert.deepStrictEqual(answer.body, {
          error: "not_configured",
          missing: ["ORCHESTRATOR_URL", "ORCHESTRATOR_ADMIN_TOKEN"]
        })
      }
    })
  )
})

const away = Effect.fail(new OperationsUnavailable({ detail: "no answer within 8000 ms" }))

layer(
  Harness.layer({
    operations: Layer.succeed(OrchestratorOperations, {
      health: away,
      alerts: away,
      stuck: () => away,
      treasury: away,
      money: () => away,
      find: () => away,
      story: () => away,
      pauses: away,
      changePause: () => away,
      retry: () => away
    })
  }),
  live
)("the console whose orchestrator is away", (it) => {
  it.effect("says so, and what was asked for stays written down", () =>
    Effect.gen(function* () {
      for (const route of ROUTES) {
        const answer = yield* asAdmin(route)
        assert.strictEqual(answer.status, 502, route)
        assert.deepStrictEqual(answer.body, { error: "orchestrator_unavailable", detail: "no answer within 8000 ms" })
      }
      assert.deepStrictEqual(yield* audited, ["admin-token intent.retry x"])
    })
  )
})
