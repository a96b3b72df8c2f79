/** `sweep alerts` against the real routes of the orchestrator, and destinations on loopback. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { Alerts } from "../../src/ports/shared/Alerts.ts"
import * as Backend from "../server/builder/Harness.ts"
import { serve } from "../server/orchestrator/Harness.ts"
import { StubServer } from "../support/StubServer.ts"
import { sweepHere } from "./inProcess.ts"

const TOKEN = "operator-token"

const alert = (id: string, severity: "critical" | "warning") => ({
  id,
  key: `lane_low:${id}`,
  severity,
  kind: "lane_low",
  message: `Lane ${id} is short of gas.`,
  details: { lane: id },
  sinceMs: 1_767_225_600_000 + Number(id)
})

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

const stub = Effect.map(StubServer, ({ url }) => ({
  ALERT_ESCALATION_PAGERDUTY_KEY: "e93facc04764012d7bfb002500d5d1a6",
  ALERT_PAGERDUTY_URL: url,
  ALERT_SLACK_URL: `${url}/services/T0/B0/X0`,
  ALERT_WEBHOOK_SECRET: SECRET,
  ALERT_WEBHOOK_URL: `${url}/hook`
}))

describe("sweep alerts", () => {
  it.live("lists the alerts of the services that are configured, critical first", () =>
    Effect.gen(function* () {
      const standing = [alert("2", "warning"), alert("3", "critical")]
      const { base } = yield* serve({ alerts: Effect.succeed(standing) }, { adminToken: Redacted.make(TOKEN) })
      const settings = { ORCHESTRATOR_URL: base, ORCHESTRATOR_ADMIN_TOKEN: TOKEN }
      const { code, err, out } = yield* sweepHere(["alerts"], settings)
      assert.strictEqual(code, 0, err)
      assert.deepStrictEqual(
        out.split("\n").map((line) => line.split(/ {2,}/)),
        [
          ["SEVERITY", "SERVICE", "ID", "KIND", "SINCE", "MESSAGE"],
          ["critical", "orchestrator", "3", "lane_low", "2026-01-01T00:00:00.003Z", "Lane 3 is short of gas."],
          ["warning", "orchestrator", "2", "lane_low", "2026-01-01T00:00:00.002Z", "Lane 2 is short of gas."],
          [""]
        ]
      )
      assert.include(err, "not listed: BUILDER_URL and BUILDER_ADMIN_TOKEN are not set")
      // The other service is configured, and does not answer.
      const half = yield* sweepHere(["alerts", "--json"], {
        ...settings,
        BUILDER_URL: "http://127.0.0.1:1",
        BUILDER_ADMIN_TOKEN: TOKEN
      })
      assert.strictEqual(half.code, 1)
      assert.lengthOf(JSON.parse(half.out) as ReadonlyArray<unknown>, 2)
      assert.include(half.err, "the builder backend does not answer")
    }).pipe(Effect.scoped)
  )

  it.live("closes an alert that nothing else ends", () =>
    Effect.gen(function* () {
      const cleared: Array<string> = []
      const standing = [alert("2", "critical"), { ...alert("3", "critical"), kind: "settlement_lost" }]
      const { base } = yield* serve(
        { alerts: Effect.succeed(standing), clearAlert: (key) => Effect.sync(() => void cleared.push(key)) },
        { adminToken: Redacted.make(TOKEN) }
      )
      const run = (id: string) =>
        sweepHere(["alerts", "close", id], { ORCHESTRATOR_URL: base, ORCHESTRATOR_ADMIN_TOKEN: TOKEN })
      assert.deepStrictEqual(yield* run("3"), { code: 0, out: "alert 3 is closed\n", err: "" })
      assert.deepStrictEqual(cleared, ["lane_low:3"])
      const { code, err } = yield* run("2")
      assert.strictEqual(code, 1)
      assert.include(err, "the orchestrator has no alert 2 that you can close")
      assert.lengthOf(cleared, 1)
    }).pipe(Effect.scoped)
  )

  it.live("closes an alert of the builder backend by its id", () =>
    Effect.gen(function* () {
      const { list, raise } = yield* Alerts
      yield* raise({ key: "accrual_unpaid:b", severity: "warning", kind: "accrual_unpaid", message: "", details: {} })
      const [unpaid] = yield* list
      assert.isDefined(unpaid)
      const settings = { BUILDER_URL: yield* Backend.url, BUILDER_ADMIN_TOKEN: Backend.ADMIN_TOKEN }
      const run = sweepHere(["alerts", "close", "--service", "builder", unpaid.id], settings)
      assert.deepStrictEqual(yield* run, { code: 0, out: `alert ${unpaid.id} is closed\n`, err: "" })
      assert.deepStrictEqual(yield* list, [])
      const { code, err } = yield* run
      assert.strictEqual(code, 1)
      assert.include(err, `the builder backend has no alert ${unpaid.id}`)
    }).pipe(Effect.provide(Backend.layer({})))
  )

  it.live("sends a test to every destination, and tells the outcome of each", () =>
    Effect.gen(function* () {
      const { answer, seen } = yield* StubServer
      const settings = yield* stub
      yield* answer({ status: 202 })
      const well = yield* sweepHere(["alerts", "test"], settings)
      assert.strictEqual(well.code, 0, well.err)
      assert.include(well.out, "escalation_pagerduty  accepted")
      assert.deepStrictEqual((yield* seen).map(({ path }) => path).toSorted(), [
        "/hook",
        "/services/T0/B0/X0",
        "/v2/enqueue",
        "/v2/enqueue"
      ])
      yield* answer(({ path }) => ({ status: path === "/hook" ? 202 : 403 }))
      const { code, err, out } = yield* sweepHere(["alerts", "test", "--json"], settings)
      assert.strictEqual(code, 1)
      assert.deepStrictEqual(JSON.parse(out), [
        { destination: "webhook", accepted: true, detail: "accepted" },
        { destination: "slack", accepted: false, detail: "HTTP 403" },
        { destination: "escalation_pagerduty", accepted: false, detail: "HTTP 403" }
      ])
      assert.include(err, "slack, escalation_pagerduty did not accept the test")
    }).pipe(Effect.provide(StubServer.layer))
  )

  it.live("says which setting is missing or wrong, without its value", () =>
    Effect.gen(function* () {
      for (const [settings, said] of [
        [{}, "no destination of alerts is set"],
        [{ ALERT_WEBHOOK_URL: "https://a.example" }, "ALERT_WEBHOOK_SECRET is not set. Set it to whsec_"],
        [
          { ALERT_WEBHOOK_URL: "https://a.example", ALERT_WEBHOOK_SECRET: "whsec_c2hvcnQ=" },
          "ALERT_WEBHOOK_SECRET is not valid"
        ],
        [{ ALERT_SLACK_URL: "hooks.slack.example/T0-secret" }, "ALERT_SLACK_URL is not a URL"],
        [{ ALERT_PAGERDUTY_URL: "nowhere" }, "ALERT_PAGERDUTY_URL is nowhere"]
      ] as const) {
        const { code, err, out } = yield* sweepHere(["alerts", "test"], settings)
        assert.strictEqual(code, 1)
        assert.include(err, said)
        assert.notInclude(err + out, "T0-secret")
      }
    })
  )
})
