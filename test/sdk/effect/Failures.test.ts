/** The Effect client after the signature: which failures forbid a repetition, and which are kept. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { SweepApi } from "../../../src/sdk/effect.ts"
import { using } from "../EffectClient.ts"
import { known, NOW_MS, owner, request, wireOffer } from "../Offers.ts"
import { type Answer, json } from "../StubFetch.ts"

const ID = "6f1e5f6c-8f0e-4d3c-9a5b-2d7c1f0e9b4a"

const polled = (status: string) => () => json(200, { id: ID, status, crossChain: false })
const offered = () => json(200, wireOffer())
const reset = () => new TypeError("connection reset")
const failed = (status: number) => () => json(status, { error: "internal error" })

describe("a sweep that fails after the signature", () => {
  const review = { delegates: known.delegates ?? {} }
  const accepted = () => json(201, { id: ID, status: "submitted" })
  const limited = () => json(429, { error: "rate limit exceeded" }, { "retry-after": "7" })
  const malformed = () => json(422, { error: "signature: too short" })
  const inProgress = () => json(409, { error: "a request with this idempotency key is in progress" })
  const sweep = (answers: ReadonlyArray<() => Answer>, attempts = 1) =>
    using([offered, ...answers], (sweeps) => Effect.andThen(TestClock.setTime(NOW_MS), sweeps.sweep(request, owner)), {
      retry: { attempts },
      review
    })

  for (const [name, refusal, expected] of [
    ["limited", limited, "RateLimitExceeded"],
    ["malformed", malformed, "ValidationFailed"]
  ] as const) {
    it.effect(`keeps the failure of a submission that is ${name}: nothing was submitted`, () =>
      Effect.gen(function* () {
        const { result } = yield* sweep([refusal])
        assert.isTrue(result._tag === "Failure" && result.failure._tag === expected, String(result))
      })
    )

    it.effect(`is unfinished if the submission is ${name} after an attempt without a known outcome`, () =>
      Effect.gen(function* () {
        for (const unknown of [reset, failed(500), inProgress]) {
          const { asked, result } = yield* sweep([unknown, refusal], 2)
          assert.lengthOf(asked, 3)
          if (result._tag === "Success" || result.failure._tag !== "SweepUnfinished") return assert.fail(String(result))
          assert.propertyVal(result.failure.cause, "_tag", expected)
        }
      })
    )
  }

  it.effect("keeps the failure of a submission that is limited each time", () =>
    Effect.gen(function* () {
      const { asked, result } = yield* sweep([limited, limited], 2)
      assert.lengthOf(asked, 3)
      assert.isTrue(result._tag === "Failure" && result.failure._tag === "RateLimitExceeded")
    })
  )

  for (const [name, answers, cause] of [
    ["no answer", [reset], "HttpClientError"],
    ["a refusal", [failed(400)], "Refused"],
    ["an unknown id", [accepted, () => json(404, { error: "not found" })], "NotFound"]
  ] as const) {
    it.effect(`names its quote and the cause: ${name}`, () =>
      Effect.gen(function* () {
        const { result } = yield* sweep(answers)
        if (result._tag === "Success" || result.failure._tag !== "SweepUnfinished") return assert.fail(String(result))
        assert.deepStrictEqual(result.failure.quoteIds, [String(wireOffer().quote.id)])
        assert.propertyVal(result.failure.cause, "_tag", cause)
        assert.include(result.failure.message, String(wireOffer().quote.id))
      })
    )
  }

  it("has no failure of the submission or of the wait in its type", () => {
    type Failure = Effect.Error<ReturnType<SweepApi["Service"]["sweep"]>>["_tag"]
    const isTyped: "Refused" | "NotFound" extends Exclude<"Refused" | "NotFound", Failure> ? true : false = true
    assert.isTrue(isTyped)
  })

  it.effect("has its own error if it ended without delivery", () =>
    Effect.gen(function* () {
      const { result } = yield* sweep([accepted, polled("failed"), polled("failed")])
      assert.isTrue(result._tag === "Failure" && result.failure._tag === "SweepFailed")
    })
  )
})
