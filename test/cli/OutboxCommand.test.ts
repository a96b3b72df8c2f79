/** `sweep outbox` against the real routes of the orchestrator. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { storeDown } from "../server/orchestrator/Expect.ts"
import { serve, type UseCases } from "../server/orchestrator/Harness.ts"
import { sweepHere } from "./inProcess.ts"

const TOKEN = "operator-token"

const alert = (outboxId: string, kind: string, details: Readonly<Record<string, string>>) => ({
  id: outboxId,
  key: `${kind}:${outboxId}`,
  severity: "critical" as const,
  kind,
  message: "the books differ",
  details: { outboxId, ...details },
  sinceMs: 1_767_225_600_000
})

const standing = [
  alert("41", "outbox_rejected", { sweepId: "0xab_0", detail: "another amount is booked" }),
  alert("43", "outbox_unreadable", { detail: "Expected a string" }),
  alert("44", "lane_low", {})
]

const shell = Effect.fnUntraced(function* (useCases: Partial<UseCases> = {}) {
  const { base } = yield* serve({ alerts: Effect.succeed(standing), ...useCases }, { adminToken: Redacted.make(TOKEN) })
  return (args: ReadonlyArray<string>, token = TOKEN) =>
    sweepHere(["outbox", ...args], { ORCHESTRATOR_URL: base, ORCHESTRATOR_ADMIN_TOKEN: token })
})

describe("sweep outbox", () => {
  it.live("lists the messages that an operator can close, with the reason of each", () =>
    Effect.gen(function* () {
      const run = yield* shell()
      const { code, err, out } = yield* run(["list"])
      assert.strictEqual(code, 0, err)
      assert.deepStrictEqual(
        out.split("\n").map((line) => line.split(/ {2,}/)),
        [
          ["ID", "STATE", "SINCE", "SWEEP", "DETAIL"],
          ["41", "rejected", "2026-01-01T00:00:00.000Z", "0xab_0", "another amount is booked"],
          ["43", "unreadable", "2026-01-01T00:00:00.000Z", "–", "Expected a string"],
          [""]
        ]
      )
      const [first] = JSON.parse((yield* run(["list", "--json"])).out) as ReadonlyArray<{ details: unknown }>
      assert.deepStrictEqual(first?.details, standing[0]?.details)
    }).pipe(Effect.scoped)
  )

  it.live("closes a message", () =>
    Effect.gen(function* () {
      const closed: Array<string> = []
      const run = yield* shell({ close: (id) => Effect.sync(() => closed.push(id) > 0) })
      assert.deepStrictEqual(yield* run(["close", "41"]), {
        code: 0,
        out: "message 41 is closed and not delivered\n",
        err: ""
      })
      assert.deepStrictEqual(JSON.parse((yield* run(["close", "43", "--json"])).out), { id: "43", outcome: "closed" })
      assert.deepStrictEqual(closed, ["41", "43"])
    }).pipe(Effect.scoped)
  )

  it.live("fails in one sentence that says what to do", () =>
    Effect.gen(function* () {
      const run = yield* shell()
      const down = yield* shell({
        close: () => storeDown
      })
      for (const [outcome, said] of [
        [yield* run(["close", "42"]), "no alert stands for a message 42"],
        [yield* run(["close", "41"], "a guess"), "Set ORCHESTRATOR_ADMIN_TOKEN to the orchestrator's ORCH_ADMIN_TOKEN"],
        [yield* down(["close", "41"]), "the orchestrator's database is unavailable"],
        [
          yield* sweepHere(["outbox", "list"], {
            ORCHESTRATOR_URL: "http://127.0.0.1:1",
            ORCHESTRATOR_ADMIN_TOKEN: TOKEN
          }),
          "does not answer at http://127.0.0.1:1"
        ],
        [
          yield* sweepHere(["outbox", "list"], { ORCHESTRATOR_URL: "http://127.0.0.1:1" }),
          "ORCHESTRATOR_ADMIN_TOKEN is not set. Set it to the ORCH_ADMIN_TOKEN of the orchestrator"
        ],
        [yield* sweepHere(["outbox", "list"], { ORCHESTRATOR_ADMIN_TOKEN: TOKEN }), "ORCHESTRATOR_URL is not set"]
      ] as const) {
        assert.strictEqual(outcome.code, 1)
        assert.strictEqual(outcome.out, "")
        assert.match(outcome.err, /^sweep: [^\n]+\n$/)
        assert.include(outcome.err, said)
        assert.notInclude(outcome.err, "a guess")
      }
    }).pipe(Effect.scoped)
  )
})
