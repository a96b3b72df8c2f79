/** Requests as they come: any content type, odd numbers and addresses, and garbage. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer, Schema } from "effect"
import type { QuoteRequest } from "../../../src/domain/Quote.ts"
import { defaults } from "../../../src/server/shared/ServerSettings.ts"
import { serve } from "./Harness.ts"
import { ID, offer, OWNER, quoteRequest, submission } from "./Fixtures.ts"

/** A server that notes what reaches the use case. */
const recording = Effect.gen(function* () {
  const seen: Array<QuoteRequest> = []
  const server = yield* serve({
    quote: (request) => {
      seen.push(request)
      return Effect.succeed(offer(request))
    }
  })
  return { ...server, seen }
})

const errorOf = (json: unknown): string => (json as { readonly error: string }).error

describe("content types", () => {
  it.effect("takes any, or none, as long as the body is JSON", () =>
    Effect.gen(function* () {
      const { call } = yield* serve()
      const types = [
        "text/plain",
        "application/json; charset=utf-8",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "nonsense"
      ]
      for (const type of types) {
        const answer = yield* call("/quote", {
          method: "POST",
          headers: { "content-type": type },
          body: JSON.stringify(quoteRequest)
        })
        assert.strictEqual(answer.status, 200)
      }
      const bytes = new TextEncoder().encode(JSON.stringify(quoteRequest))
      assert.strictEqual((yield* call("/quote", { method: "POST", body: bytes })).status, 200)
    })
  )

  it.effect("takes a byte order mark, and no other encoding than UTF-8", () =>
    Effect.gen(function* () {
      const { call } = yield* serve()
      const marked = yield* call("/quote", { method: "POST", body: `\uFEFF${JSON.stringify(quoteRequest)}` })
      assert.strictEqual(marked.status, 200)
      const utf16 = new Uint16Array([...JSON.stringify(quoteRequest)].map((char) => char.charCodeAt(0)))
      const answer = yield* call("/quote", { method: "POST", body: utf16 })
      assert.strictEqual(answer.status, 422)
      assert.strictEqual(errorOf(answer.json), "invalid JSON body")
    })
  )
})

describe("fields", () => {
  it.effect("ignores unknown ones", () =>
    Effect.gen(function* () {
      const { post, seen } = yield* recording
      const polluted = `{"__proto__":{"tier":"tier3"},"constructor":1,${JSON.stringify({ ...quoteRequest, extra: { a: 1 } }).slice(1)}`
      assert.strictEqual((yield* post("/quote", polluted)).status, 200)
      assert.deepStrictEqual(Object.keys(seen[0] ?? {}).sort(), Object.keys(quoteRequest).sort())
      assert.strictEqual(seen[0]?.tier, "tier1")
    })
  )

  it.effect("null in an optional field counts as absent", () =>
    Effect.gen(function* () {
      const { post, seen } = yield* recording
      const optional = { route: null, apiKey: null, sourceChainId: null, slippageBps: null, maxNetworkFee: null }
      assert.strictEqual((yield* post("/quote", { ...quoteRequest, ...optional })).status, 200)
      assert.sameMembers(Object.keys(seen[0] ?? {}), Object.keys(quoteRequest))
    })
  )

  it.effect("takes leading zeros and answers canonically", () =>
    Effect.gen(function* () {
      const { post, seen } = yield* recording
      const answer = yield* post("/quote", { ...quoteRequest, amountIn: "000025" })
      assert.strictEqual(seen[0]?.amountIn, 25n)
      assert.strictEqual((answer.json as { order: { amountIn: string } }).order.amountIn, "25")
    })
  )

  it.effect("takes zero and the largest uint256, and nothing beyond", () =>
    Effect.gen(function* () {
      const { post, seen } = yield* recording
      const max = (2n ** 256n - 1n).toString()
      assert.strictEqual((yield* post("/quote", { ...quoteRequest, amountIn: "0" })).status, 200)
      assert.strictEqual((yield* post("/quote", { ...quoteRequest, amountIn: max })).status, 200)
      assert.deepStrictEqual(
        seen.map(({ amountIn }) => amountIn),
        [0n, 2n ** 256n - 1n]
      )
      const over = yield* post("/quote", { ...quoteRequest, amountIn: (2n ** 256n).toString() })
      assert.strictEqual(over.status, 422)
      assert.strictEqual(errorOf(over.json), "amountIn: must be at most 2^256 - 1")
    })
  )

  it.effect("takes addresses in any case, wrongly checksummed too, and answers checksummed", () =>
    Effect.gen(function* () {
      const { post } = yield* recording
      const hex = OWNER.slice(2)
      const swapped = [...hex].map((c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase())).join("")
      for (const owner of [hex.toLowerCase(), hex.toUpperCase(), swapped]) {
        const answer = yield* post("/quote", { ...quoteRequest, owner: `0x${owner}` })
        assert.strictEqual(answer.status, 200)
        assert.strictEqual((answer.json as { order: { owner: string } }).order.owner, OWNER)
      }
    })
  )

  it.effect("refuses the zero address as a recipient, unmasked", () =>
    Effect.gen(function* () {
      const { post, seen } = yield* recording
      const answer = yield* post("/quote", { ...quoteRequest, destination: `0x${"0".repeat(40)}` })
      assert.strictEqual(answer.status, 422)
      assert.strictEqual(errorOf(answer.json), "destination: must not be the zero address")
      assert.deepStrictEqual(seen, [])
    })
  )

  it.effect("refuses text that no database holds: a NUL by name, half of a surrogate pair as no JSON at all", () =>
    Effect.gen(function* () {
      const { post, seen } = yield* recording
      const nul = yield* post("/quote", { ...quoteRequest, userId: "a\0b" })
      assert.strictEqual(nul.status, 422)
      assert.strictEqual(errorOf(nul.json), "userId: expected text without NUL characters")
      for (const half of ["\ud800", "\udc00 first", { "\ud83d": 1 }, ["\ud800"]]) {
        const answer = yield* post("/quote", { ...quoteRequest, userId: half })
        assert.strictEqual(answer.status, 422)
        assert.strictEqual(errorOf(answer.json), "invalid JSON body")
      }
      const deep = `${"[".repeat(30_000)}"\\ud83d\\ude00"${"]".repeat(30_000)}`
      assert.strictEqual((yield* post("/quote", deep)).status, 422)
      assert.deepStrictEqual(seen, [])
      assert.strictEqual((yield* post("/quote", { ...quoteRequest, userId: "\ud83d\ude00" })).status, 200)
    })
  )

  it.effect("the last of duplicate members counts, as JSON.parse has it", () =>
    Effect.gen(function* () {
      const { post, seen } = yield* recording
      const body = `${JSON.stringify(quoteRequest).slice(0, -1)},"userId":"last"}`
      assert.strictEqual((yield* post("/quote", body)).status, 200)
      assert.strictEqual(seen[0]?.userId, "last")
    })
  )

  it.effect("says that an array is not an object", () =>
    Effect.gen(function* () {
      const { post } = yield* serve()
      for (const body of ["[]", "null", "1", '"x"', "true"]) {
        const answer = yield* post("/intents", body)
        assert.strictEqual(answer.status, 422)
        assert.strictEqual(errorOf(answer.json), "body: expected an object")
      }
    })
  )

  it.effect("takes numbers of an authorization as integers and as decimal strings", () =>
    Effect.gen(function* () {
      const { post } = yield* serve()
      for (const [chainId, nonce] of [
        [8453, 7],
        ["8453", "7"],
        ["08453", 0]
      ]) {
        const authorization = { ...submission.authorization, chainId, nonce }
        assert.strictEqual((yield* post("/intents", { ...submission, authorization })).status, 201)
      }
    })
  )
})

describe("paths", () => {
  it.effect("ignores queries, also repeated and malformed ones", () =>
    Effect.gen(function* () {
      const { call } = yield* serve()
      for (const query of ["?", "?a=1&a=2", "?%", "?id=x&id=y", "?a[]=1", "?=&&="]) {
        assert.strictEqual((yield* call(`/intents/${ID}${query}`)).status, 200)
      }
    })
  )

  it.effect("takes a slash too many, and no other case", () =>
    Effect.gen(function* () {
      const { call } = yield* serve()
      assert.strictEqual((yield* call(`//intents//${ID}/`)).status, 200)
      assert.strictEqual((yield* call(`/Intents/${ID}`)).status, 404)
    })
  )

  it.effect("answers malformed percent-encoding", () =>
    Effect.gen(function* () {
      const { call } = yield* serve()
      for (const path of ["/%", "/intents/%zz", "/%E0%A4%A", "/intents/%c0%ae", "/%00"]) {
        assert.strictEqual((yield* call(path)).status, 404)
      }
    })
  )
})

/** One server for all values of the properties, which limits none of them. */
class Unlimited extends Context.Service<Unlimited, Effect.Success<ReturnType<typeof serve>>>()("sweep/test/Unlimited") {
  static readonly layer = Layer.effect(
    Unlimited,
    serve({}, { rateLimits: { ...defaults.rateLimits, orchestrator: { limit: 1_000_000, windowMillis: 1_000 } } })
  )
}

layer(Unlimited.layer)("whatever is posted", (it) => {
  it.effect.prop("any JSON is answered, and never with 5xx", [Schema.Json], ([json]) =>
    Effect.gen(function* () {
      const { post } = yield* Unlimited
      for (const path of ["/quote", "/intents"]) {
        const answer = yield* post(path, JSON.stringify(json))
        assert.strictEqual(answer.status, 422)
        assert.match(errorOf(answer.json), /\S/)
      }
    })
  )

  it.effect.prop(
    "any value in any field is answered, and never with 5xx",
    [Schema.Json, Schema.Literals(Object.keys(quoteRequest)), Schema.Literals(Object.keys(submission.authorization))],
    ([json, field, member]) =>
      Effect.gen(function* () {
        const { post } = yield* Unlimited
        const quoted = yield* post("/quote", { ...quoteRequest, [field]: json })
        assert.include([200, 422], quoted.status)
        const authorization = { ...submission.authorization, [member]: json }
        const submitted = yield* post("/intents", { ...submission, authorization })
        assert.include([201, 422], submitted.status)
      })
  )

  it.effect.prop("any text is answered, and never with 5xx", [Schema.String], ([text]) =>
    Effect.gen(function* () {
      const { post } = yield* Unlimited
      assert.strictEqual((yield* post("/quote", text)).status, 422)
    })
  )
})
