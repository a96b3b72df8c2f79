/** Assertions on responses. */
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { StoreUnavailable } from "../../../src/ports/shared/Store.ts"
import type { Answer } from "./Harness.ts"

/** Exactly this status and body, as JSON, with the headers that every answer has. */
export const expectAnswer = (answer: Answer, status: number, body: unknown) => {
  assert.strictEqual(answer.status, status)
  assert.deepStrictEqual(answer.json, body)
  assert.strictEqual(answer.headers.get("content-type"), "application/json")
  assert.match(answer.headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/)
}

export const expectError = (answer: Answer, status: number, error: string) => expectAnswer(answer, status, { error })

export const storeDown = Effect.fail(
  new StoreUnavailable({ operation: "find", detail: "connection refused at 10.0.0.7" })
)
