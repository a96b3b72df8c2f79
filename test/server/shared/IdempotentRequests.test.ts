/** Responses that are stored under an idempotency key. */
import { assert, describe, it } from "@effect/vitest"
import { HttpServerResponse } from "effect/http"
import { answerOf } from "../../../src/server/shared/IdempotentRequests.ts"

const response = (status: number, bytes: number, headers: Record<string, string> = {}) =>
  HttpServerResponse.text("x".repeat(bytes), { status, headers, contentType: "application/json" })

const MAXIMUM = 65_536

describe("a response under an idempotency key", () => {
  it.each([400, 409, 422])("is not stored if it is a failure (%d) of more than 64 KiB", (status) => {
    assert.deepStrictEqual(answerOf(response(status, MAXIMUM)), { status, body: "x".repeat(MAXIMUM) })
    assert.isUndefined(answerOf(response(status, MAXIMUM + 1)))
    assert.isUndefined(answerOf(HttpServerResponse.text("€".repeat(MAXIMUM / 2), { status })))
  })

  it.each([200, 201])("is stored at any size if it is a success (%d), which must not be executed again", (status) => {
    assert.deepStrictEqual(answerOf(response(status, 1_000_000)), { status, body: "x".repeat(1_000_000) })
  })

  it("is not stored if the request may be repeated", () => {
    assert.isUndefined(answerOf(response(500, 1)))
    assert.isUndefined(answerOf(response(503, 1)))
    assert.isUndefined(answerOf(response(499, 1)))
    assert.isUndefined(answerOf(response(400, 1, { "retry-after": "1" })))
  })

  it("keeps the reason of a quote that cannot be made", () => {
    assert.deepStrictEqual(answerOf(response(422, 1, { "sweep-reason": "no_route" })), {
      status: 422,
      body: "x",
      sweepReason: "no_route"
    })
  })
})
