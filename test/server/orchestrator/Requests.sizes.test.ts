/** Sizes of request bodies. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { connect } from "node:net"
import { expectError } from "./Expect.ts"
import { serve } from "./Harness.ts"
import { ID, quoteRequest } from "./Fixtures.ts"

const KIB_64 = 64 * 1024

const quotesRequest = {
  owner: quoteRequest.owner,
  destination: quoteRequest.destination,
  destChainId: 1,
  tokenOut: quoteRequest.tokenOut,
  userId: "user-1",
  subscriptionActive: false
}

describe("sizes", () => {
  const padded = (bytes: number) => {
    const json = JSON.stringify(quoteRequest)
    return json + " ".repeat(bytes - json.length)
  }
  const chunked = (bytes: number) =>
    new ReadableStream({
      start(controller) {
        const body = new TextEncoder().encode(padded(bytes))
        for (let at = 0; at < body.length; at += 1_000) controller.enqueue(body.slice(at, at + 1_000))
        controller.close()
      }
    })

  it.effect("takes 64 KiB and not a byte more, whether or not the length is declared", () =>
    Effect.gen(function* () {
      const { call, post } = yield* serve()
      assert.strictEqual((yield* post("/quote", padded(KIB_64))).status, 200)
      assert.strictEqual((yield* call("/quote", { method: "POST", body: chunked(KIB_64) })).status, 200)
      for (const answer of [
        yield* post("/quote", padded(KIB_64 + 1)),
        yield* post("/intents", padded(KIB_64 + 1)),
        yield* post("/quote", padded(5_000_000)),
        yield* call("/quote", { method: "POST", body: chunked(KIB_64 + 1) }),
        yield* call("/quote", { method: "POST", body: chunked(1_000_000) })
      ]) {
        assert.strictEqual(answer.status, 413)
        assert.deepStrictEqual(answer.json, { error: "request body too large" })
      }
      assert.strictEqual((yield* post("/quote", quoteRequest)).status, 200)
    })
  )

  it.effect("counts bytes, not characters", () =>
    Effect.gen(function* () {
      const { post } = yield* serve()
      const answer = yield* post("/quote", { ...quoteRequest, userId: "€".repeat(22_000) })
      assert.strictEqual(answer.status, 413)
    })
  )

  it.effect("refuses a declared length without waiting for the body", () =>
    Effect.gen(function* () {
      const { base } = yield* serve()
      const { hostname, port } = new URL(base)
      const reply = yield* Effect.callback<string>((resume) => {
        const socket = connect(Number(port), hostname, () => {
          socket.write(`POST /quote HTTP/1.1\r\nHost: ${hostname}\r\nContent-Length: 99999999\r\n\r\n{`)
        })
        socket.once("data", (data) => {
          socket.destroy()
          resume(Effect.succeed(data.toString()))
        })
      })
      assert.match(reply, /^HTTP\/1\.1 413 /)
    })
  )

  it.effect("survives deeply nested JSON", () =>
    Effect.gen(function* () {
      const { post } = yield* serve()
      assert.strictEqual((yield* post("/quote", "[".repeat(30_000) + "]".repeat(30_000))).status, 422)
      assert.strictEqual((yield* post("/quote", `{"owner":${"[".repeat(30_000)}${"]".repeat(30_000)}}`)).status, 422)
    })
  )

  it.effect("names only the length of an array that is too long, whatever its elements are", () =>
    Effect.gen(function* () {
      const { post } = yield* serve()
      const elements = Array.from({ length: 21_000 }, () => ({}))
      const sweep = { quoteIds: [ID], signature: "0x12", authorizations: [] }
      const cases: ReadonlyArray<readonly [string, object, string]> = [
        [
          "/sweeps",
          { ...sweep, authorizations: elements },
          "authorizations: expected a value with a length of at most 50"
        ],
        ["/sweeps", { ...sweep, quoteIds: elements }, "quoteIds: expected at most 50 quotes"],
        ["/quotes", { ...quotesRequest, tokens: elements }, "tokens: expected at most 50 tokens"]
      ]
      for (const [path, body, error] of cases) expectError(yield* post(path, body), 422, error)
    })
  )

  it.effect("names at most 20 problems of a body, and counts the others", () =>
    Effect.gen(function* () {
      const { post } = yield* serve()
      const answer = yield* post("/quotes", { ...quotesRequest, tokens: Array.from({ length: 50 }, () => ({})) })
      const problems = Array.from({ length: 20 }, (_, index) => {
        const field = ["chainId", "token", "amount"][index % 3]
        return `tokens.${Math.floor(index / 3)}.${field}: missing`
      })
      expectError(answer, 422, [...problems, "and 130 more"].join("; "))
    })
  )
})
