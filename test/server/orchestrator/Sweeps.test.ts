/** The routes of sweeps of many tokens. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { LASTING, PASSING } from "../../../src/domain/SweepRefusal.ts"
import { refuse, SubmissionRefused } from "../../../src/orchestrator/intake/SubmissionRefused.ts"
import type { SweepIntake } from "../../../src/orchestrator/intake/SweepIntake.ts"
import { StoreUnavailable } from "../../../src/ports/shared/Store.ts"
import type { StoredSweep } from "../../../src/ports/orchestrator/Sweeps.ts"
import { withLiveClock } from "../../support/LiveClock.ts"
import { expectAnswer, expectError } from "./Expect.ts"
import { DELEGATE, ID, intent, OWNER, TX } from "./Fixtures.ts"
import { serve } from "./Harness.ts"

const SWEEP = "2f9d1c1e-7d52-4b8e-8a55-0e6a9a1b3c77"
const OTHER = "0b0e8d0a-5f64-4c1e-9f0e-3c1d2b7a6e55"

const body = {
  quoteIds: [ID.toUpperCase(), OTHER],
  signature: `0x${"12".repeat(64)}1b`,
  authorizations: [
    { address: DELEGATE, chainId: 8453, nonce: "7", r: `0x${"34".repeat(32)}`, s: `0x${"56".repeat(32)}` }
  ]
}

const sweeps = (
  submit: SweepIntake["Service"]["submit"],
  accepted: SweepIntake["Service"]["accepted"] = () => Effect.succeedNone
) => ({
  sweeps: { submit, accepted }
})

const answered = (id = SWEEP) => ({
  id,
  intents: [
    { id: ID, status: "submitted" as const },
    { id: OTHER, status: "submitted" as const, waitingFor: "gas_price" as const }
  ]
})

const stored: StoredSweep = { id: SWEEP, number: 9n, owner: OWNER, intentIds: [OTHER, ID], createdAtMs: 1 }

const both = {
  findSweep: (id: string) => Effect.succeed(id === SWEEP ? Option.some(stored) : Option.none()),
  find: (id: string) => Effect.succeed(Option.some({ ...intent, id }))
}

describe("POST /sweeps", () => {
  it.effect("201: one intent for each quote, in their order", () =>
    Effect.gen(function* () {
      const asked: Array<Parameters<SweepIntake["Service"]["submit"]>[0]> = []
      const { post } = yield* serve(
        sweeps((submission) =>
          Effect.sync(() => {
            asked.push(submission)
            return answered()
          })
        ),
        { trustedProxyHops: 1 }
      )
      expectAnswer(yield* post("/sweeps", body, { "x-forwarded-for": "203.0.113.9" }), 201, answered())
      assert.deepStrictEqual(asked[0]?.quoteIds, [ID, OTHER])
      assert.deepStrictEqual(
        asked[0]?.authorizations.map(({ chainId, nonce, yParity }) => [chainId, nonce, yParity]),
        [[8453, 7n, 0]]
      )
      assert.strictEqual(asked[0]?.network, "203.0.113.0/24")
    })
  )

  it.effect("400: every lasting reason, by its name", () =>
    Effect.forEach(
      Object.keys(LASTING) as ReadonlyArray<keyof typeof LASTING>,
      (reason) =>
        Effect.gen(function* () {
          const { logs, post } = yield* serve(sweeps(() => Effect.fail(refuse(reason, "the detail"))))
          const answer = yield* post("/sweeps", body)
          expectError(answer, 400, reason)
          assert.isNull(answer.headers.get("retry-after"))
          assert.isTrue(logs.some(({ message }) => message.includes("the detail")))
        }).pipe(Effect.scoped),
      { discard: true }
    )
  )

  it.effect("503: every passing reason with Retry-After, and the next request with the key is executed", () =>
    Effect.forEach(
      Object.keys(PASSING) as ReadonlyArray<keyof typeof PASSING>,
      (reason) =>
        Effect.gen(function* () {
          let calls = 0
          const { post } = yield* serve(
            sweeps(() =>
              Effect.suspend(() =>
                calls++ === 0
                  ? Effect.fail(new SubmissionRefused({ reason, detail: "d", retryAfterMillis: 4_200 }))
                  : Effect.succeed(answered())
              )
            )
          )
          const answer = yield* post("/sweeps", body, { "idempotency-key": "one" })
          expectError(answer, 503, reason)
          assert.strictEqual(answer.headers.get("retry-after"), "5")
          const shown = reason === "screening_unavailable" ? reason : "unavailable"
          assert.strictEqual(answer.headers.get("sweep-reason"), shown)
          assert.strictEqual((yield* post("/sweeps", body, { "idempotency-key": "one" })).status, 201)
        }).pipe(Effect.scoped),
      { discard: true }
    )
  )

  it.effect("400: an id that is not a UUID is unknown, without a query", () =>
    Effect.gen(function* () {
      const { post } = yield* serve(sweeps(() => Effect.die("asked")))
      expectError(yield* post("/sweeps", { ...body, quoteIds: ["quote"] }), 400, "unknown_quote")
    })
  )

  it.effect("422: each field that is missing or wrong, by its name", () =>
    Effect.gen(function* () {
      const { post } = yield* serve(sweeps(() => Effect.die("a malformed request must not be submitted")))
      const many = Array.from({ length: 51 }, (_, index) => `${OTHER.slice(0, -2)}${String(10 + index)}`)
      const cases: ReadonlyArray<readonly [string, object]> = [
        ["quoteIds: expected at least 1 quote", { quoteIds: [] }],
        ["quoteIds: expected at most 50 quotes", { quoteIds: many }],
        ["quoteIds: expected each quote at most once", { quoteIds: [ID, ID] }],
        ["quoteIds: expected each quote at most once", { quoteIds: [OTHER, ID, OTHER.toUpperCase()] }],
        ["quoteIds: missing", { quoteIds: undefined }],
        ["authorizations: missing", { authorizations: undefined }],
        ["signature: missing", { signature: undefined }]
      ]
      for (const [error, changes] of cases) expectError(yield* post("/sweeps", { ...body, ...changes }), 422, error)
    })
  )

  it.effect("replays its answer under an idempotency key, and counts towards the rate limit", () =>
    Effect.gen(function* () {
      let calls = 0
      const { post } = yield* serve(sweeps(() => Effect.sync(() => answered(`${++calls}`))))
      const first = yield* post("/sweeps", body, { "idempotency-key": "one" })
      const again = yield* post("/sweeps", body, { "idempotency-key": "one" })
      assert.strictEqual(again.text, first.text)
      assert.strictEqual(again.status, 201)
      assert.strictEqual(calls, 1)
      assert.isNotNull(first.headers.get("ratelimit"))
    })
  )

  it.effect("gets what its lost attempt achieved, not a refusal for having achieved it", () =>
    Effect.gen(function* () {
      let isSubmitted = false
      const { post } = yield* serve(
        sweeps(
          () =>
            Effect.suspend((): ReturnType<SweepIntake["Service"]["submit"]> => {
              if (isSubmitted) return Effect.fail(refuse("already_submitted", "twice"))
              isSubmitted = true
              return Effect.fail(new StoreUnavailable({ operation: "submitSweep", detail: "no answer" }))
            }),
          () => Effect.succeed(isSubmitted ? Option.some(answered()) : Option.none())
        )
      )
      assert.strictEqual((yield* post("/sweeps", body, { "idempotency-key": "a" })).status, 503)
      expectAnswer(yield* post("/sweeps", body, { "idempotency-key": "a" }), 201, answered())
      expectError(yield* post("/sweeps", body, { "idempotency-key": "new" }), 400, "already_submitted")
    })
  )

  it.effect("gets what its lost attempt achieves while it is repeated", () =>
    Effect.gen(function* () {
      let attempts = 0
      const { post } = yield* serve(
        sweeps(
          () =>
            Effect.suspend((): ReturnType<SweepIntake["Service"]["submit"]> =>
              attempts++ === 0
                ? Effect.fail(new StoreUnavailable({ operation: "submitSweep", detail: "no answer" }))
                : Effect.fail(refuse("already_submitted", "twice"))
            ),
          () => Effect.sync(() => (attempts > 1 ? Option.some(answered()) : Option.none()))
        )
      )
      assert.strictEqual((yield* post("/sweeps", body, { "idempotency-key": "a" })).status, 503)
      expectAnswer(yield* post("/sweeps", body, { "idempotency-key": "a" }), 201, answered())
      expectError(yield* post("/sweeps", body, { "idempotency-key": "new" }), 400, "already_submitted")
    })
  )

  it.effect("503: the database does not answer", () =>
    Effect.gen(function* () {
      const { post } = yield* serve(
        sweeps(() => Effect.fail(new StoreUnavailable({ operation: "submitSweep", detail: "down" })))
      )
      expectError(yield* post("/sweeps", body), 503, "internal error")
    })
  )
})

describe("GET /sweeps/:id", () => {
  it.effect("200: the intents as GET /intents/:id shows them, in signing order", () =>
    Effect.gen(function* () {
      const { call } = yield* serve(both)
      const views = [(yield* call(`/intents/${OTHER}`)).json, (yield* call(`/intents/${ID}`)).json]
      expectAnswer(yield* call(`/sweeps/${SWEEP.toUpperCase()}`), 200, { id: SWEEP, intents: views })
      expectError(yield* call(`/sweeps/${OTHER}`), 404, "not found")
      expectError(yield* call("/sweeps/not-a-uuid"), 404, "not found")
    })
  )

  it.effect("streams the whole sweep at each change, and ends when all intents are final", () =>
    withLiveClock(
      Effect.gen(function* () {
        const statuses = new Map<string, "submitted" | "delivered">([
          [ID, "submitted"],
          [OTHER, "submitted"]
        ])
        const { base } = yield* serve({
          ...both,
          find: (id) => Effect.sync(() => Option.some({ ...intent, id, status: statuses.get(id) ?? "submitted" }))
        })
        const response = yield* Effect.promise(() => fetch(`${base}/sweeps/${SWEEP}/events`))
        assert.strictEqual(response.headers.get("content-type"), "text/event-stream")
        const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
        assert.isDefined(reader)
        let text = ""
        yield* Effect.promise(async () => {
          for (;;) {
            const { done, value } = await reader.read()
            if (done) return
            text += value
            // One after the other, each when the last change has been told.
            const told = text.match(/^id: .*$/gm) ?? []
            if (told.length === 1) statuses.set(ID, "delivered")
            if (told.length === 2) statuses.set(OTHER, "delivered")
          }
        })
        assert.deepStrictEqual(text.match(/^id: .*$/gm), [
          "id: submitted,submitted",
          "id: submitted,delivered",
          "id: delivered,delivered"
        ])
        const ended = yield* Effect.promise(() =>
          fetch(`${base}/sweeps/${SWEEP}/events`, { headers: { "last-event-id": "delivered,delivered" } })
        )
        assert.strictEqual(ended.status, 204)
      })
    )
  )
})

describe("GET /owners/:owner/sweeps", () => {
  it.effect("200: pages of sweeps, with only what the chains show", () =>
    Effect.gen(function* () {
      const asked: Array<readonly [string, { readonly limit: number; readonly before?: bigint | undefined }]> = []
      const all = Array.from({ length: 21 }, (_, index) => ({ ...stored, number: BigInt(41 - index) }))
      const { call } = yield* serve({
        find: (id) =>
          Effect.succeed(
            Option.some({ ...intent, id, status: "failed" as const, failureReason: "reverted" as const, txHash: TX })
          ),
        sweepsOf: (owner, page) =>
          Effect.sync(() => {
            asked.push([owner, page])
            return page.before === undefined ? all : all.slice(-1)
          })
      })
      const first = yield* call(`/owners/${OWNER.toLowerCase()}/sweeps`)
      assert.strictEqual(first.status, 200)
      const { next, sweeps } = first.json as { readonly next: string; readonly sweeps: ReadonlyArray<unknown> }
      assert.lengthOf(sweeps, 20)
      const shown = (id: string) => ({ id, status: "failed", crossChain: intent.quote.crossChain, txHash: TX })
      assert.deepStrictEqual(sweeps[0], { id: SWEEP, intents: [shown(OTHER), shown(ID)] })
      assert.strictEqual(next, "22")
      const second = yield* call(`/owners/${OWNER}/sweeps?cursor=${next}`)
      assert.deepStrictEqual(second.json, { sweeps: [sweeps[0]] })
      assert.deepStrictEqual(asked, [
        [OWNER, { limit: 21, before: undefined }],
        [OWNER, { limit: 21, before: 22n }]
      ])
      assert.isNotNull(first.headers.get("ratelimit"))
    })
  )

  it.effect("422: owner or cursor is malformed", () =>
    Effect.gen(function* () {
      const { call } = yield* serve()
      assert.strictEqual((yield* call("/owners/somebody/sweeps")).status, 422)
      expectError(
        yield* call(`/owners/${OWNER}/sweeps?cursor=-1`),
        422,
        "cursor: expected the cursor of an earlier page"
      )
    })
  )
})
