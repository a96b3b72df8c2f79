/** `GET /.well-known/security.txt` of the orchestrator. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { serve } from "./Harness.ts"

const PATH = "/.well-known/security.txt"

describe(`GET ${PATH}`, () => {
  it.effect("does not exist while the operator names nobody", () =>
    Effect.gen(function* () {
      const { call } = yield* serve()
      const answer = yield* call(PATH)
      assert.strictEqual(answer.status, 404)
      assert.deepStrictEqual(answer.json, { error: "not found" })
    })
  )

  it.effect("names contact and policy to everybody, with an end that moves on while the service runs", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2026-11-23T23:59:30Z"))
      const { call } = yield* serve(
        {},
        { securityContact: { contacts: ["mailto:security@example.com"], policyUrl: "https://example.com/policy" } }
      )
      const answer = yield* call(PATH)
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.headers.get("content-type"), "text/plain; charset=utf-8")
      assert.strictEqual(answer.headers.get("cache-control"), "public, max-age=3600")
      assert.strictEqual(
        answer.text,
        "Contact: mailto:security@example.com\nExpires: 2027-05-22T00:00:00Z\nPolicy: https://example.com/policy\n"
      )
      yield* TestClock.adjust("1 minute")
      assert.include((yield* call(PATH)).text, "\nExpires: 2027-05-23T00:00:00Z\n")
      assert.strictEqual((yield* call(PATH, { method: "HEAD" })).status, 200)
      assert.strictEqual((yield* call(PATH, { method: "POST" })).status, 405)
    })
  )
})
