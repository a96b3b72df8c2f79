import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { IntentSubmission } from "../../../src/api/orchestrator/Schemas.ts"
import { QuoteRequest } from "../../../src/domain/Quote.ts"
import * as SchemaMessages from "../../../src/server/shared/SchemaMessages.ts"
import { quoteRequest, submission } from "../orchestrator/Fixtures.ts"

const messagesOf = <A, I>(schema: Schema.Codec<A, I>, value: unknown): ReadonlyArray<string> => {
  const result = Schema.decodeUnknownResult(schema, { errors: "all" })(value)
  return Result.isFailure(result) ? SchemaMessages.messages(result.failure.issue, "body") : []
}

const ADDRESS = "expected an address: 0x followed by 40 hex digits"
const DECIMAL = "expected a non-negative integer as a decimal string"
const zero = `0x${"0".repeat(40)}`

describe("SchemaMessages", () => {
  it("names every missing field, in the order of the contract", () => {
    assert.deepStrictEqual(messagesOf(QuoteRequest, {}), [
      "owner: missing",
      "tokenIn: missing",
      "amountIn: missing",
      "tokenOut: missing",
      "destination: missing",
      "destChainId: missing",
      "tier: missing",
      "subscriptionActive: missing",
      "userId: missing"
    ])
    assert.deepStrictEqual(messagesOf(IntentSubmission, { ...submission, authorization: {} }), [
      "authorization.address: missing",
      "authorization.chainId: missing",
      "authorization.nonce: missing",
      "authorization.r: missing",
      "authorization.s: missing"
    ])
  })

  it.each([[null], [[]], [5], ["x"], [true]])("says that %s is not an object", (value) => {
    assert.deepStrictEqual(messagesOf(QuoteRequest, value), ["body: expected an object"])
  })

  it.each([
    ["owner", 5, ADDRESS],
    ["owner", "0x12", ADDRESS],
    ["owner", zero, "must not be the zero address"],
    ["destination", zero, "must not be the zero address"],
    ["amountIn", 25, DECIMAL],
    ["amountIn", "1".repeat(79), "must have at most 78 digits"],
    ["amountIn", "-1", DECIMAL],
    ["amountIn", "1.5", DECIMAL],
    ["amountIn", "", DECIMAL],
    ["amountIn", "0x10", DECIMAL],
    ["amountIn", "1e18", DECIMAL],
    ["amountIn", " 1", DECIMAL],
    ["amountIn", (2n ** 256n).toString(), "must be at most 2^256 - 1"],
    ["destChainId", "1", "expected a number"],
    ["destChainId", 1.5, "expected an integer"],
    ["destChainId", 0, "expected a positive integer chain id"],
    ["tier", "tier4", "expected one of tier1, tier2, tier3"],
    ["tier", 1, "expected one of tier1, tier2, tier3"],
    ["route", 4, "expected a string or null"],
    ["maxNetworkFee", 5, DECIMAL],
    ["maxNetworkFee", "1.5", DECIMAL],
    ["sourceChainId", "1", "expected a number or null"],
    ["sourceChainId", 0, "expected a positive integer chain id"],
    ["subscriptionActive", "yes", "expected true or false"],
    ["userId", null, "expected a string"],
    ["apiKey", {}, "expected a string or null"]
  ])("%s: %j → %s", (field, value, message) => {
    assert.deepStrictEqual(messagesOf(QuoteRequest, { ...quoteRequest, [field]: value }), [`${field}: ${message}`])
  })

  it.each([
    ["chainId", {}, "expected a number or a string"],
    ["chainId", "eight", "expected an integer, a decimal string or a JSON-RPC quantity"],
    ["nonce", (2n ** 64n).toString(), "expected an account nonce (uint64)"],
    ["r", "0x", "expected at most 32 bytes as 0x-prefixed hex"],
    ["yParity", 2, "expected 0 or 1"]
  ])("authorization.%s: %j → %s", (field, value, message) => {
    const authorization = { ...submission.authorization, [field]: value }
    assert.deepStrictEqual(messagesOf(IntentSubmission, { ...submission, authorization }), [
      `authorization.${field}: ${message}`
    ])
  })

  it("says which object is missing or wrong", () => {
    const { authorization, ...rest } = submission
    assert.isObject(authorization)
    assert.deepStrictEqual(messagesOf(IntentSubmission, rest), ["authorization: missing"])
    assert.deepStrictEqual(messagesOf(IntentSubmission, { ...rest, authorization: "0x" }), [
      "authorization: expected an object"
    ])
    for (const signature of ["0x1", "12", "", 5, null]) {
      assert.deepStrictEqual(messagesOf(IntentSubmission, { ...submission, signature }), [
        "signature: expected bytes: 0x followed by hex digits"
      ])
    }
  })

  it("names at most 20 problems, and counts the others", () => {
    const Wide = Schema.Record(Schema.String, Schema.String)
    const wrong = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`f${index}`, index]))
    const lines = (count: number) => Array.from({ length: count }, (_, index) => `f${index}: expected a string`)
    assert.deepStrictEqual(messagesOf(Wide, wrong(20)), lines(20))
    assert.deepStrictEqual(messagesOf(Wide, wrong(21)), [...lines(20), "and 1 more"])
    assert.deepStrictEqual(messagesOf(Wide, wrong(5_000)), [...lines(20), "and 4980 more"])
  })

  it("joins with '; '", () => {
    const result = Schema.decodeUnknownResult(QuoteRequest, { errors: "all" })({ ...quoteRequest, owner: 1, tier: 2 })
    assert.isTrue(Result.isFailure(result))
    if (Result.isFailure(result)) {
      assert.strictEqual(
        SchemaMessages.format(result.failure.issue, "body"),
        `owner: ${ADDRESS}; tier: expected one of tier1, tier2, tier3`
      )
    }
  })

  it.prop("never shows the input or a type name of the service", [Schema.Json], ([json]) => {
    for (const line of messagesOf(IntentSubmission, json)) {
      assert.match(line, /^(body|quoteId|signature|authorization(\.\w+)?): [a-z0-9 ,:()^-]+$/i)
      assert.notMatch(line, /IntentSubmission|Authorization\b|Hex\b|undefined|\[object/)
    }
  })
})
