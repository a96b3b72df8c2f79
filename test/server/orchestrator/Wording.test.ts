/** Texts of 422 answers, cause by cause, as the specification lists them ("Errors"). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { expectError } from "./Expect.ts"
import { serve } from "./Harness.ts"
import { quoteRequest, submission } from "./Fixtures.ts"

const ADDRESS = "expected an address: 0x followed by 40 hex digits"
const DECIMAL = "expected a non-negative integer as a decimal string"
const BYTES = "expected bytes: 0x followed by hex digits"

/** Values of one field, and the text about each of them. */
const quotes: ReadonlyArray<readonly [field: string, problem: string, ...values: ReadonlyArray<unknown>]> = [
  ["owner", ADDRESS, "0x12", "", "0X" + "11".repeat(20), "0x" + "zz".repeat(20), "11".repeat(20), 5, null, {}, []],
  ["tokenIn", ADDRESS, "USDC", 0],
  ["tokenOut", ADDRESS, "USDC", 0],
  ["destination", ADDRESS, "alice.eth", null],
  ["amountIn", DECIMAL, "-1", "1.5", "1e3", "0x10", " 1", "", "one", 1, -1, 1.5, null, {}, true],
  ["amountIn", "must have at most 78 digits", "1".repeat(79), "9".repeat(5_000)],
  ["amountIn", "must be at most 2^256 - 1", (2n ** 256n).toString()],
  ["tier", "expected one of tier1, tier2, tier3", "tier4", "Tier1", "", 1, null],
  ["subscriptionActive", "expected true or false", "true", 1, null],
  ["userId", "expected a string", 5, null, {}],
  ["userId", "expected at least 1 character", ""],
  ["userId", "expected at most 256 characters", "u".repeat(257)],
  ["sourceChainId", "expected a positive integer chain id", 0, -1],
  ["slippageBps", "expected an integer between 1 and 1000", 0, 1_001, -5],
  ["maxNetworkFee", DECIMAL, "-1", 5]
]

const submissions: ReadonlyArray<readonly [field: string, problem: string, ...values: ReadonlyArray<unknown>]> = [
  ["authorization", "expected an object", null, "0x", 5, []],
  ["signature", BYTES, "12", "0x1", "0xzz", "", 5, null, {}],
  ["quoteId", "expected a string", 5, null]
]

const REQUIRED = Object.keys(quoteRequest).filter((field) => field !== "route" && field !== "apiKey")

describe("422", () => {
  it.effect("says which field of a quote is missing or wrong, and what is expected", () =>
    Effect.gen(function* () {
      const { post } = yield* serve()
      for (const field of REQUIRED) {
        const { [field]: _, ...rest } = { ...quoteRequest } as Record<string, unknown>
        expectError(yield* post("/quote", rest), 422, `${field}: missing`)
      }
      for (const [field, problem, ...values] of quotes) {
        for (const value of values) {
          expectError(yield* post("/quote", { ...quoteRequest, [field]: value }), 422, `${field}: ${problem}`)
        }
      }
    })
  )

  it.effect("says which field of a submission is missing or wrong", () =>
    Effect.gen(function* () {
      const { post } = yield* serve()
      for (const field of Object.keys(submission)) {
        const { [field]: _, ...rest } = { ...submission } as Record<string, unknown>
        expectError(yield* post("/intents", rest), 422, `${field}: missing`)
      }
      for (const [field, problem, ...values] of submissions) {
        for (const value of values) {
          expectError(yield* post("/intents", { ...submission, [field]: value }), 422, `${field}: ${problem}`)
        }
      }
    })
  )

  it.effect("joins the problems with '; ', and has texts of its own only for bodies that are no JSON", () =>
    Effect.gen(function* () {
      const { call, post } = yield* serve()
      expectError(
        yield* post("/quote", { ...quoteRequest, owner: 1, amountIn: 1 }),
        422,
        `owner: ${ADDRESS}; amountIn: ${DECIMAL}`
      )
      for (const path of ["/quote", "/intents"]) expectError(yield* post(path, "{"), 422, "invalid JSON body")
      for (const path of ["/portfolio/me", "/portfolio/0x12/sweepable"]) {
        expectError(yield* call(path), 422, `owner: ${ADDRESS}`)
      }
      assert.isAbove(REQUIRED.length, 8)
    })
  )
})
