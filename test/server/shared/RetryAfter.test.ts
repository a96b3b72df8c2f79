import { assert, it } from "@effect/vitest"
import { Duration } from "effect"
import { retryAfterSeconds } from "../../../src/server/shared/RetryAfter.ts"

it("rounds Retry-After up, and never to 0", () => {
  assert.strictEqual(retryAfterSeconds(Duration.millis(0)), 1)
  assert.strictEqual(retryAfterSeconds(Duration.millis(1)), 1)
  assert.strictEqual(retryAfterSeconds(Duration.millis(1_001)), 2)
  assert.strictEqual(retryAfterSeconds(Duration.millis(60_000)), 60)
})
