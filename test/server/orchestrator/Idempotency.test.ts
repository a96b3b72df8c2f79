/** `Idempotency-Key` on POST /quote and POST /intents, over the real server. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { SubmissionRefused } from "../../../src/orchestrator/intake/SubmissionRefused.ts"
import { QuoteFailed } from "../../../src/orchestrator/quote/QuoteFailed.ts"
import { Idempotency } from "../../../src/ports/shared/Idempotency.ts"
import { StoreUnavailable } from "../../../src/ports/shared/Store.ts"
import { defaults } from "../../../src/server/shared/ServerSettings.ts"
import { expectAnswer, expectError, storeDown } from "./Expect.ts"
import { serve, type UseCases } from "./Harness.ts"
import { ID, offer, quoteRequest, submission } from "./Fixtures.ts"

const key = (value: string) => ({ "idempotency-key": value })

/** A server whose quotes and submissions differ each time, and are counted. */
const counting = (others: Partial<UseCases> = {}, settings: Parameters<typeof serve>[1] = {}) =>
  Effect.gen(function* () {
    const executed = { quotes: 0, submissions: 0 }
    const server = yield* serve(
      {
        quote: (request) =>
          Effect.sync(() => {
            executed.quotes++
            const made = offer(request)
            return { ...made, quote: { ...made.quote, total: BigInt(executed.quotes) } }
          }),
        submit: ({ quoteId }) =>
          Effect.sync(() => {
            executed.submissions++
            return { id: quoteId, status: "submitted" as const }
          }),
        ...others
      },
      settings
    )
    return { ...server, executed }
  })

const INTERNAL = "internal error"

describe("an idempotency key", () => {
  it.effect("replays status and body to the same request", () =>
    Effect.gen(function* () {
      const { executed, post } = yield* counting()
      const first = yield* post("/intents", submission, key("a"))
      assert.isNull(first.headers.get("idempotent-replayed"))
      const second = yield* post("/intents", submission, { ...key("a"), origin: "https://app.example" })
      expectAnswer(second, 201, { id: ID, status: "submitted" })
      assert.strictEqual(second.text, first.text)
      assert.strictEqual(second.headers.get("idempotent-replayed"), "true")
      assert.match(second.headers.get("access-control-expose-headers") ?? "", /Idempotent-Replayed/)
      assert.notStrictEqual(second.headers.get("x-request-id"), first.headers.get("x-request-id"))
      assert.strictEqual(executed.submissions, 1)
    })
  )

  it.effect("replays the reason of a quote that cannot be made", () =>
    Effect.gen(function* () {
      const { post } = yield* counting({
        quote: () => Effect.fail(new QuoteFailed({ reason: "no_route", detail: "no pool" }))
      })
      for (const replayed of [null, "true"]) {
        const answer = yield* post("/quote", quoteRequest, key("a"))
        expectError(answer, 422, INTERNAL)
        assert.strictEqual(answer.headers.get("idempotent-replayed"), replayed)
        assert.strictEqual(answer.headers.get("sweep-reason"), "no_route")
      }
    })
  )

  it.effect("does not replay a refusal for want of screening", () =>
    Effect.gen(function* () {
      let isAnswering = false
      const { post } = yield* counting({
        submit: ({ quoteId }) =>
          isAnswering
            ? Effect.succeed({ id: quoteId, status: "submitted" as const })
            : Effect.fail(new SubmissionRefused({ reason: "screening_unavailable", detail: "unavailable" }))
      })
      expectError(yield* post("/intents", submission, key("a")), 400, INTERNAL)
      isAnswering = true
      expectAnswer(yield* post("/intents", submission, key("a")), 201, { id: ID, status: "submitted" })
    })
  )

  it.effect("that is new, on another route, or absent, executes", () =>
    Effect.gen(function* () {
      const { executed, post } = yield* counting()
      const one = yield* post("/quote", quoteRequest, key("a"))
      assert.strictEqual((yield* post("/quote", quoteRequest, key("a"))).text, one.text)
      assert.notStrictEqual((yield* post("/quote", quoteRequest, key("b"))).text, one.text)
      yield* post("/quote", quoteRequest)
      yield* post("/quote", quoteRequest)
      assert.strictEqual(executed.quotes, 4)
      assert.strictEqual((yield* post("/intents", submission, key("a"))).status, 201)
    })
  )

  it.effect("cannot be used with another body", () =>
    Effect.gen(function* () {
      const { executed, post } = yield* counting()
      yield* post("/quote", quoteRequest, key("a"))
      const other = yield* post("/quote", { ...quoteRequest, userId: "user-2" }, key("a"))
      expectError(other, 409, "idempotency key was used with another request")
      assert.strictEqual(executed.quotes, 1)
    })
  )

  it.effect("means the same in quotes, as the draft writes it", () =>
    Effect.gen(function* () {
      const { executed, post } = yield* counting()
      yield* post("/quote", quoteRequest, key(`"a \\"b\\""`))
      const again = yield* post("/quote", quoteRequest, key(`a "b"`))
      assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
      assert.strictEqual(executed.quotes, 1)
    })
  )

  it.effect("has 1 to 255 printable ASCII characters", () =>
    Effect.gen(function* () {
      const { executed, post } = yield* counting()
      const problem = "idempotency-key: expected 1 to 255 printable ASCII characters"
      assert.strictEqual((yield* post("/quote", quoteRequest, key("k".repeat(255)))).status, 200)
      for (const wrong of ["k".repeat(256), `""`, "a\tb", "é"]) {
        expectError(yield* post("/quote", quoteRequest, key(wrong)), 422, problem)
      }
      assert.strictEqual(executed.quotes, 1)
    })
  )

  it.effect("keeps refusals: whatever failed for good would fail again", () =>
    Effect.gen(function* () {
      const { post } = yield* counting({
        submit: () => Effect.fail(new SubmissionRefused({ reason: "expired_quote", detail: "" })),
        quote: () => Effect.fail(new QuoteFailed({ reason: "no_route", detail: "" }))
      })
      for (const [path, body, status] of [
        ["/intents", submission, 400],
        ["/quote", quoteRequest, 422]
      ] as const) {
        expectError(yield* post(path, body, key("a")), status, INTERNAL)
        const again = yield* post(path, body, key("a"))
        expectError(again, status, INTERNAL)
        assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
      }
      const malformed = yield* post("/quote", "nope", key("b"))
      expectError(malformed, 422, "invalid JSON body")
      assert.strictEqual((yield* post("/quote", "nope", key("b"))).text, malformed.text)
    })
  )

  it.effect("keeps neither what failed unexpectedly nor what the database could not do", () =>
    Effect.gen(function* () {
      let submissions = 0
      const { post } = yield* counting({
        submit: ({ quoteId }) => {
          submissions++
          if (submissions === 1) return Effect.die("boom")
          return submissions === 2 ? storeDown : Effect.succeed({ id: quoteId, status: "submitted" as const })
        }
      })
      expectError(yield* post("/intents", submission, key("a")), 500, INTERNAL)
      expectError(yield* post("/intents", submission, key("a")), 503, INTERNAL)
      const third = yield* post("/intents", submission, key("a"))
      assert.strictEqual(third.status, 201)
      assert.isNull(third.headers.get("idempotent-replayed"))
      assert.strictEqual(submissions, 3)
    })
  )

  it.effect("is taken while its first request executes", () =>
    Effect.gen(function* () {
      const [begun, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const { post } = yield* counting({
        quote: (request) =>
          Deferred.succeed(begun, undefined).pipe(Effect.andThen(Deferred.await(goOn)), Effect.as(offer(request)))
      })
      const first = yield* Effect.forkChild(post("/quote", quoteRequest, key("a")))
      yield* Deferred.await(begun)
      for (const _ of [1, 2, 3]) {
        const second = yield* post("/quote", quoteRequest, key("a"))
        expectError(second, 409, "a request with this idempotency key is in progress")
        assert.strictEqual(second.headers.get("retry-after"), "1")
        yield* TestClock.adjust("1 second")
      }
      yield* Deferred.succeed(goOn, undefined)
      const answered = yield* Fiber.join(first)
      assert.strictEqual(answered.status, 200)
      const replayed = yield* post("/quote", quoteRequest, key("a"))
      assert.strictEqual(replayed.text, answered.text)
    })
  )

  it.effect("executes once, however many requests come at once", () =>
    Effect.gen(function* () {
      const { executed, post } = yield* counting()
      const answers = yield* Effect.forEach(Array.from({ length: 50 }), () => post("/intents", submission, key("a")), {
        concurrency: "unbounded"
      })
      assert.strictEqual(executed.submissions, 1)
      for (const { status } of answers) assert.include([201, 409], status)
    })
  )

  it.effect("is freed when its client leaves", () =>
    Effect.gen(function* () {
      const begun = yield* Deferred.make<void>()
      let quotes = 0
      const { base, post } = yield* counting({
        quote: (request) => {
          quotes++
          return quotes === 1
            ? Effect.andThen(Deferred.succeed(begun, undefined), Effect.never)
            : Effect.succeed(offer(request))
        }
      })
      const leaving = new AbortController()
      const left = fetch(`${base}/quote`, {
        method: "POST",
        headers: key("a"),
        body: JSON.stringify(quoteRequest),
        signal: leaving.signal
      }).catch(() => undefined)
      yield* Deferred.await(begun)
      leaving.abort()
      yield* Effect.promise(() => left)
      // Few requests, since all of them count against the rate limit.
      const pause = Effect.promise(() => Bun.sleep(200))
      const again = yield* Effect.andThen(pause, post("/quote", quoteRequest, key("a"))).pipe(
        Effect.repeat({ until: ({ status }) => status !== 409, times: 50 })
      )
      assert.strictEqual(again.status, 200)
    })
  )

  it.effect("counts against the rate limit like any request, and a 429 is not kept", () =>
    Effect.gen(function* () {
      const { post } = yield* counting(
        {},
        { rateLimits: { ...defaults.rateLimits, orchestrator: { limit: 2, windowMillis: 60_000 } } }
      )
      yield* post("/quote", quoteRequest, key("a"))
      yield* post("/quote", quoteRequest, key("a"))
      assert.strictEqual((yield* post("/quote", quoteRequest, key("a"))).status, 429)
      assert.strictEqual((yield* post("/quote", quoteRequest, key("b"))).status, 429)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual((yield* post("/quote", quoteRequest, key("b"))).status, 200)
    })
  )

  it.effect("is forgotten after a day, and that of a quote after an hour", () =>
    Effect.gen(function* () {
      const { executed, post } = yield* counting()
      yield* post("/quote", quoteRequest, key("a"))
      yield* post("/intents", submission, key("a"))
      yield* TestClock.adjust("59 minutes")
      yield* post("/quote", quoteRequest, key("a"))
      assert.strictEqual(executed.quotes, 1)
      yield* TestClock.adjust("1 minute")
      yield* post("/quote", quoteRequest, key("a"))
      assert.strictEqual(executed.quotes, 2)
      yield* TestClock.adjust("22 hours")
      yield* post("/intents", submission, key("a"))
      assert.strictEqual(executed.submissions, 1)
      yield* TestClock.adjust("1 hour")
      yield* post("/intents", submission, key("a"))
      assert.strictEqual(executed.submissions, 2)
    })
  )

  it.effect("executes nothing when keys cannot be looked up, and answers when they cannot be kept", () =>
    Effect.gen(function* () {
      const down = Effect.fail(new StoreUnavailable({ operation: "idempotency", detail: "away" }))
      const blind = yield* counting({ keys: Layer.mock(Idempotency, { claim: () => down }) })
      expectError(yield* blind.post("/intents", submission, key("a")), 503, INTERNAL)
      expectError(yield* blind.post("/quote", quoteRequest, key("a")), 503, INTERNAL)
      assert.deepStrictEqual(blind.executed, { quotes: 0, submissions: 0 })
      assert.strictEqual((yield* blind.post("/intents", submission)).status, 201)
      const forgetful = yield* counting({
        keys: Layer.mock(Idempotency, {
          claim: () => Effect.succeed({ _tag: "Claimed", resumed: false }),
          complete: () => down
        })
      })
      assert.strictEqual((yield* forgetful.post("/intents", submission, key("a"))).status, 201)
    })
  )
})
