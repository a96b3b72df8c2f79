/** Every answer of POST /intents and GET /intents/:id (spec, "Errors"). */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { SubmissionRefused } from "../../../src/orchestrator/intake/SubmissionRefused.ts"
import { TooBusy } from "../../../src/orchestrator/shared/RequestTurns.ts"
import { expectAnswer, expectError, storeDown } from "./Expect.ts"
import { serve } from "./Harness.ts"
import { ID, intent, submission, TX, wireTerms } from "./Fixtures.ts"

describe("POST /intents", () => {
  it.effect("201: accepted", () =>
    Effect.gen(function* () {
      const { post } = yield* serve()
      expectAnswer(yield* post("/intents", submission), 201, { id: ID, status: "submitted" })
    })
  )

  it.effect("201: with the transaction's hash when there is one already", () =>
    Effect.gen(function* () {
      const { post } = yield* serve({
        submit: ({ quoteId }) => Effect.succeed({ id: quoteId, status: "submitted", txHash: TX })
      })
      expectAnswer(yield* post("/intents", submission), 201, { id: ID, status: "submitted", txHash: TX })
    })
  )

  it.effect("hands over what was signed, with yParity 0 when there is none", () =>
    Effect.gen(function* () {
      const seen: Array<unknown> = []
      const { post } = yield* serve({
        submit: (given) => {
          seen.push(given)
          return Effect.succeed({ id: given.quoteId, status: "submitted" })
        }
      })
      yield* post("/intents", submission)
      assert.deepStrictEqual(seen, [
        {
          quoteId: ID,
          signature: submission.signature,
          authorization: { ...submission.authorization, nonce: 7n, yParity: 0 }
        }
      ])
    })
  )

  const reasons = [
    "unknown_quote",
    "expired_quote",
    "already_submitted",
    "screening_blocked",
    "wrong_authorization_chain",
    "wrong_delegate",
    "no_set_code_support",
    "bad_signature",
    "bad_authorization"
  ] as const
  it.effect("400 masked: every reason to refuse", () =>
    Effect.gen(function* () {
      for (const reason of reasons) {
        const { logs, post } = yield* serve({
          submit: () => Effect.fail(new SubmissionRefused({ reason, detail: "the detail" }))
        })
        expectError(yield* post("/intents", submission), 400, "internal error")
        assert.isTrue(logs.some(({ annotations }) => annotations["failure"] === reason))
      }
    })
  )

  it.effect("400 masked: screening without an answer, with a reason and a time to retry", () =>
    Effect.gen(function* () {
      const { post } = yield* serve({
        submit: () => Effect.fail(new SubmissionRefused({ reason: "screening_unavailable", detail: "unavailable" }))
      })
      const answer = yield* post("/intents", submission)
      expectError(answer, 400, "internal error")
      assert.strictEqual(answer.headers.get("sweep-reason"), "screening_unavailable")
      assert.strictEqual(answer.headers.get("retry-after"), "2")
    })
  )

  it.effect("400 masked: a spent budget, with a reason and a time to retry", () =>
    Effect.gen(function* () {
      const refusal = new SubmissionRefused({ reason: "budget_spent", detail: "d", retryAfterMillis: 15_000 })
      const { post } = yield* serve({ submit: () => Effect.fail(refusal) })
      const answer = yield* post("/intents", submission)
      expectError(answer, 400, "internal error")
      assert.strictEqual(answer.headers.get("sweep-reason"), "unavailable")
      assert.strictEqual(answer.headers.get("retry-after"), "15")
    })
  )

  it.effect("503 masked: too many submissions wait, with a reason and a time to retry", () =>
    Effect.gen(function* () {
      const { post } = yield* serve({ submit: () => Effect.fail(new TooBusy({ retryAfterMillis: 2_000 })) })
      const answer = yield* post("/intents", submission)
      expectError(answer, 503, "internal error")
      assert.strictEqual(answer.headers.get("sweep-reason"), "unavailable")
      assert.strictEqual(answer.headers.get("retry-after"), "2")
    })
  )

  it.effect("400 masked: a quote id that cannot be one", () =>
    Effect.gen(function* () {
      const { post } = yield* serve()
      for (const quoteId of ["", "1", "' OR 1=1", `${ID}0`, "\u0000"]) {
        expectError(yield* post("/intents", { ...submission, quoteId }), 400, "internal error")
      }
    })
  )

  it.effect("422: authorization absent or malformed", () =>
    Effect.gen(function* () {
      const { post } = yield* serve()
      const { authorization, ...rest } = submission
      expectError(yield* post("/intents", rest), 422, "authorization: missing")
      expectError(
        yield* post("/intents", { ...rest, authorization: { ...authorization, r: "0x", chainId: null } }),
        422,
        "authorization.chainId: expected a number or a string; authorization.r: expected at most 32 bytes as 0x-prefixed hex"
      )
      expectError(yield* post("/intents", "nope"), 422, "invalid JSON body")
    })
  )

  it.effect("503 masked: the database is away", () =>
    Effect.gen(function* () {
      const { logs, post } = yield* serve({ submit: () => storeDown })
      const answer = yield* post("/intents", submission)
      expectError(answer, 503, "internal error")
      assert.strictEqual(answer.headers.get("sweep-reason"), "unavailable")
      assert.strictEqual(answer.headers.get("retry-after"), "1")
      assert.isTrue(logs.some(({ message }) => message.includes("10.0.0.7")))
    })
  )
})

describe("GET /intents/:id", () => {
  it.effect("200: only what there is", () =>
    Effect.gen(function* () {
      const { call } = yield* serve()
      expectAnswer(yield* call(`/intents/${ID}`), 200, { id: ID, status: "submitted", crossChain: false, ...wireTerms })
      expectAnswer(yield* call(`/intents/${ID.toUpperCase()}`), 200, {
        id: ID,
        status: "submitted",
        crossChain: false,
        ...wireTerms
      })
    })
  )

  it.effect("200: hashes and the reason of a failure", () =>
    Effect.gen(function* () {
      const { call } = yield* serve({
        find: () =>
          Effect.succeed(
            Option.some({
              ...intent,
              status: "failed" as const,
              txHash: TX,
              deliveryTxHash: TX,
              failureReason: "reverted" as const,
              failureDetail: "not told"
            })
          )
      })
      expectAnswer(yield* call(`/intents/${ID}`), 200, {
        id: ID,
        status: "failed",
        txHash: TX,
        crossChain: false,
        failureReason: "reverted",
        deliveryTxHash: TX,
        ...wireTerms
      })
    })
  )

  it.effect("200: the amount that arrived, and no terms that the quote's release did not store", () =>
    Effect.gen(function* () {
      const { feeBreakdown: _fees, ...old } = intent.quote
      const { call } = yield* serve({
        find: () =>
          Effect.succeed(
            Option.some({ ...intent, quote: old, status: "delivered" as const, txHash: TX, amountOut: 2n ** 202n })
          )
      })
      const { feeBreakdown: _wire, ...terms } = wireTerms
      expectAnswer(yield* call(`/intents/${ID}`), 200, {
        id: ID,
        status: "delivered",
        txHash: TX,
        crossChain: false,
        amountOut: (2n ** 202n).toString(),
        ...terms
      })
    })
  )

  it.effect("200: the reason of a sweep that is no longer sent, while its end waits for the chain's proof", () =>
    Effect.gen(function* () {
      const givenUp = new Map([[ID, "simulation_failed" as const]])
      const open = yield* serve({ givenUp })
      expectAnswer(yield* open.call(`/intents/${ID}`), 200, {
        id: ID,
        status: "submitted",
        crossChain: false,
        pendingFailureReason: "simulation_failed",
        ...wireTerms
      })
      // It settled all the same.
      const settled = yield* serve({
        givenUp,
        find: () => Effect.succeed(Option.some({ ...intent, status: "settled_source" as const, txHash: TX }))
      })
      expectAnswer(yield* settled.call(`/intents/${ID}`), 200, {
        id: ID,
        status: "settled_source",
        txHash: TX,
        crossChain: false,
        ...wireTerms
      })
    })
  )

  it.effect("404: unknown, also when it cannot be an id", () =>
    Effect.gen(function* () {
      const { call } = yield* serve({ find: (id) => (id === ID ? Effect.succeedNone : Effect.die(`asked for ${id}`)) })
      for (const id of [ID, "nope", "1", "%00", "%27", "..%2f", "a".repeat(4_000), "%E0%A4%A", "%"]) {
        expectError(yield* call(`/intents/${id}`), 404, "not found")
      }
    })
  )

  it.effect("503 masked: the database is away", () =>
    Effect.gen(function* () {
      const { call } = yield* serve({ find: () => storeDown })
      const answer = yield* call(`/intents/${ID}`)
      expectError(answer, 503, "internal error")
      // It is no refusal of a sweep.
      assert.isNull(answer.headers.get("sweep-reason"))
      assert.strictEqual(answer.headers.get("retry-after"), "1")
    })
  )
})
