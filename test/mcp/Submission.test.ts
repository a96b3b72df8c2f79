/** Both tools that submit: repeated calls, and calls whose response is lost. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type HttpClientRequest } from "effect/http"
import { answering, bare, call, losing, responding, textOf } from "./inProcess.ts"

const OWNER = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
const [ID, OTHER_ID] = ["6f1e5f6c-8f0e-4d3c-9a5b-2d7c1f0e9b4a", "0b0e8d0a-5f64-4c1e-9f0e-3c1d2b7a6e55"]
const authorization = { address: OWNER, chainId: 8453, nonce: 7, r: `0x${"34".repeat(32)}`, s: `0x${"56".repeat(32)}` }
const signature = `0x${"12".repeat(65)}`

/** Each tool: its arguments, others of it, and the response that accepts it. */
const TOOLS = [
  {
    name: "submit_signed",
    args: { quoteId: ID, signature, authorization },
    others: [
      { quoteId: OTHER_ID, signature, authorization },
      { quoteId: ID, signature: `0x${"13".repeat(65)}`, authorization },
      { quoteId: ID, signature, authorization: { ...authorization, nonce: 8 } }
    ],
    accepted: { id: ID, status: "submitted" }
  },
  {
    name: "submit_sweep",
    args: { quoteIds: [ID, OTHER_ID], signature, authorizations: [authorization] },
    others: [
      { quoteIds: [OTHER_ID, ID], signature, authorizations: [authorization] },
      { quoteIds: [ID, OTHER_ID], signature: `0x${"13".repeat(65)}`, authorizations: [authorization] },
      { quoteIds: [ID, OTHER_ID], signature, authorizations: [] }
    ],
    accepted: {
      id: "2f9d1c1e-7d52-4b8e-8a55-0e6a9a1b3c77",
      intents: [
        { id: ID, status: "submitted" },
        { id: OTHER_ID, status: "submitted" }
      ]
    }
  }
] as const

const html = (status: number, headers: Readonly<Record<string, string>> = {}) =>
  responding(
    () => new Response("<html>Bad gateway</html>", { status, headers: { "content-type": "text/html", ...headers } })
  )

/** Responses after which nobody knows if the sweep was submitted, each with the seconds until the next attempt. */
const UNKNOWN = [
  ["a lost connection", losing, "15", "does not respond"],
  ["an internal error", answering(500, "internal error", {}), "15", "failed"],
  ["an unavailable service", answering(503, "internal error", { "retry-after": "7" }), "7", "failed"],
  ["a proxy without a service", html(502), "15", "contract"],
  ["a proxy that names a pause", html(503, { "retry-after": "20" }), "20", "contract"],
  ["a timeout of a proxy", html(504), "15", "contract"],
  ["a success that cannot be read", html(201), "15", "contract"],
  ["another shape of a success", responding(() => Response.json({}, { status: 201 })), "15", "contract"],
  [
    "an earlier call that is not done",
    answering(409, "a request with this idempotency key is in progress", { "retry-after": "1" }),
    "1",
    "in progress"
  ]
] as const

for (const { accepted, args, name, others } of TOOLS) {
  describe(name, () => {
    it.effect("sends the same idempotency key with the same arguments, and another with others", () =>
      Effect.gen(function* () {
        const keys: Array<string | undefined> = []
        const network = responding(({ headers }: HttpClientRequest.HttpClientRequest) => {
          keys.push(headers["idempotency-key"])
          return Response.json(accepted, { status: 201 })
        })
        for (const each of [args, args, ...others]) {
          const result = yield* call(bare, name, each, network)
          assert.deepStrictEqual(result.structuredContent, accepted)
        }
        const [first, repeated, ...rest] = keys
        assert.match(first ?? "", /^[0-9a-f]{64}$/)
        assert.strictEqual(repeated, first)
        assert.lengthOf(new Set([first, ...rest]), 1 + others.length)
      })
    )

    it.effect("says that it may have been submitted if the outcome is unknown, and how to find out", () =>
      Effect.gen(function* () {
        for (const [what, network, seconds, problem] of UNKNOWN) {
          const result = yield* call(bare, name, args, network)
          assert.isTrue(result.isError, what)
          const [happened = "", next = ""] = textOf(result).split("Next: ")
          assert.include(happened, problem, what)
          assert.include(happened, "may have been submitted", what)
          assert.notInclude(textOf(result), "Nothing was submitted", what)
          assert.match(next, /^call get_intent_status /, what)
          assert.include(next, `after ${seconds} seconds`, what)
          assert.include(next, `call ${name} again with the same arguments`, what)
          assert.notInclude(next, "sign the new", what)
        }
      })
    )

    it.effect("repeats a call that a limit refused, after the pause that the service asks for", () =>
      Effect.gen(function* () {
        const text = textOf(
          yield* call(bare, name, args, answering(429, "rate limit exceeded", { "retry-after": "9" }))
        )
        assert.include(text, "wait 9 seconds")
        assert.notInclude(text, "may have been submitted")
      })
    )

    it.effect("waits 15 seconds if the response names no pause in seconds", () =>
      Effect.gen(function* () {
        for (const asked of ["soon", "-1", ""]) {
          const text = textOf(yield* call(bare, name, args, html(503, { "retry-after": asked })))
          assert.include(text, "after 15 seconds", asked)
        }
      })
    )
  })
}
