/** A request under an `Idempotency-Key` whose earlier attempt got no answer, although it may have been accepted. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SubmissionRefused } from "../../../src/orchestrator/intake/SubmissionRefused.ts"
import { expectAnswer, expectError, storeDown } from "./Expect.ts"
import { serve } from "./Harness.ts"
import { ID, submission } from "./Fixtures.ts"

const key = (value: string) => ({ "idempotency-key": value })

const INTERNAL = "internal error"

describe("a repeated submission", () => {
  it.effect("gets what its lost attempt achieved, not a refusal for having achieved it", () =>
    Effect.gen(function* () {
      let submitted = false
      const { post } = yield* serve({
        submit: () => {
          if (submitted) return Effect.fail(new SubmissionRefused({ reason: "already_submitted", detail: "" }))
          submitted = true
          return storeDown
        },
        accepted: ({ quoteId }) => Effect.succeed(Option.some({ id: quoteId, status: "submitted" as const }))
      })
      assert.strictEqual((yield* post("/intents", submission, key("a"))).status, 503)
      expectAnswer(yield* post("/intents", submission, key("a")), 201, { id: ID, status: "submitted" })
      expectError(yield* post("/intents", submission, key("new")), 400, INTERNAL)
    })
  )

  it.effect("gets what its lost attempt achieves while it is repeated", () =>
    Effect.gen(function* () {
      for (const reason of ["already_submitted", "expired_quote"] as const) {
        let attempts = 0
        const { post } = yield* serve({
          submit: () =>
            attempts++ === 0
              ? storeDown
              : Effect.fail(new SubmissionRefused({ reason, detail: "the first one is stored" })),
          accepted: ({ quoteId }) =>
            Effect.sync(() =>
              attempts > 1 ? Option.some({ id: quoteId, status: "submitted" as const }) : Option.none()
            )
        })
        assert.strictEqual((yield* post("/intents", submission, key("a"))).status, 503)
        const repeated = yield* post("/intents", submission, key("a"))
        expectAnswer(repeated, 201, { id: ID, status: "submitted" })
        const replayed = yield* post("/intents", submission, key("a"))
        assert.strictEqual(replayed.text, repeated.text)
        assert.strictEqual(replayed.headers.get("idempotent-replayed"), "true")
        expectError(yield* post("/intents", submission, key("new")), 400, INTERNAL)
        expectError(yield* post("/intents", submission), 400, INTERNAL)
      }
    })
  )

  it.effect("is refused if its lost attempt achieved nothing, and another submission took the quote", () =>
    Effect.gen(function* () {
      let attempts = 0
      const { post } = yield* serve({
        submit: () =>
          attempts++ === 0
            ? storeDown
            : Effect.fail(new SubmissionRefused({ reason: "already_submitted", detail: "by another one" })),
        accepted: () => Effect.succeedNone
      })
      assert.strictEqual((yield* post("/intents", submission, key("a"))).status, 503)
      expectError(yield* post("/intents", submission, key("a")), 400, INTERNAL)
      assert.strictEqual((yield* post("/intents", submission, key("a"))).headers.get("idempotent-replayed"), "true")
    })
  )
})
