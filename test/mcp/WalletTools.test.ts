/** The tools that sweep many tokens under one signature, in process. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { LASTING, PASSING } from "../../src/domain/SweepRefusal.ts"
import { answering, bare, call, full, textOf } from "./inProcess.ts"

const OWNER = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
const TOKEN = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
const SWEEP_QUOTES = {
  owner: OWNER,
  destination: OWNER,
  destChainId: 8453,
  tokenOut: "0x4200000000000000000000000000000000000006",
  tokens: [
    { chainId: 8453, token: TOKEN, amount: "max" },
    { chainId: 10, token: TOKEN, amount: "25000000", tier: "tier1" }
  ],
  userId: "user-1",
  subscriptionActive: false
}
const SWEEP = {
  quoteIds: ["6f1e5f6c-8f0e-4d3c-9a5b-2d7c1f0e9b4a", "0b0e8d0a-5f64-4c1e-9f0e-3c1d2b7a6e55"],
  signature: `0x${"12".repeat(65)}`,
  authorizations: []
}

const value = { amount: "0", usd: "0" }

const NO_QUOTES = {
  id: "2f9d1c1e-7d52-4b8e-8a55-0e6a9a1b3c77",
  expiresAtMs: 1_767_225_600_000,
  quotes: SWEEP_QUOTES.tokens.map(({ chainId, token }) => ({ chainId, token, reason: "no_route" })),
  totals: {
    minAmountOut: value,
    estimatedAmountOut: value,
    fees: { protocol: value, network: value, builder: value }
  }
}

describe("the tools of sweeps of many tokens", () => {
  it.effect("ask for the quotes of many tokens as the service takes them, attributed by the environment's key", () =>
    Effect.gen(function* () {
      const asked: Array<unknown> = []
      const recording = Layer.succeed(
        HttpClient.HttpClient,
        HttpClient.make((sent) =>
          Effect.sync(() => {
            assert.strictEqual(sent.url, "https://sweep.test/quotes")
            if (sent.body._tag === "Uint8Array") asked.push(JSON.parse(new TextDecoder().decode(sent.body.body)))
            return HttpClientResponse.fromWeb(sent, Response.json(NO_QUOTES))
          })
        )
      )
      const result = yield* call(full, "sweep_quotes", SWEEP_QUOTES, recording)
      assert.deepStrictEqual(result.structuredContent, NO_QUOTES)
      const given = yield* call(full, "sweep_quotes", { ...SWEEP_QUOTES, apiKey: "swp_other" }, recording)
      assert.isNotTrue(given.isError)
      assert.deepStrictEqual(asked, [
        { ...SWEEP_QUOTES, apiKey: "swp_key" },
        { ...SWEEP_QUOTES, apiKey: "swp_other" }
      ])
    })
  )

  it.effect("name every malformed argument of a sweep of many tokens", () =>
    Effect.gen(function* () {
      const token = SWEEP_QUOTES.tokens[0]
      const malformed = { ...SWEEP_QUOTES, tokens: [token, { ...token, amount: "all" }, { ...token, token: "0x12" }] }
      const quoted = yield* call(bare, "sweep_quotes", malformed)
      assert.isTrue(quoted.isError)
      for (const field of ["tokens.1.amount", "tokens.2.token"]) assert.include(textOf(quoted), `- ${field}:`)
      const twice = yield* call(bare, "sweep_quotes", { ...SWEEP_QUOTES, tokens: [token, token] })
      assert.include(textOf(twice), "- tokens: expected each token at most once")
      const submitted = yield* call(bare, "submit_sweep", { ...SWEEP, authorizations: [{ address: "0x12" }] })
      assert.include(textOf(submitted), "- authorizations.0.address:")
    })
  )

  it.effect("say why a sweep of many tokens was not accepted, and what to do about each reason", () =>
    Effect.gen(function* () {
      for (const [status, error, problem, next] of [
        [400, "expired_quote", LASTING.expired_quote, "call sweep_quotes again"],
        [400, "screening_blocked", LASTING.screening_blocked, "do not try again"],
        [400, "missing_authorization", LASTING.missing_authorization, "with `authorizations`"],
        [400, "wrong_authorization_chain", LASTING.wrong_authorization_chain, "and no other"],
        [400, "bad_signature", LASTING.bad_signature, "order of the signed legs"],
        [503, "budget_spent", PASSING.budget_spent, "with the same arguments"]
      ] as const) {
        const result = yield* call(bare, "submit_sweep", SWEEP, answering(status, error, {}))
        assert.isTrue(result.isError, error)
        assert.include(textOf(result), `Nothing was submitted: ${problem}`)
        assert.include(textOf(result).split("Next: ")[1], next)
      }
      const twice = textOf(yield* call(bare, "submit_sweep", SWEEP, answering(400, "already_submitted", {})))
      assert.include(twice, LASTING.already_submitted)
      assert.notInclude(twice, "Nothing was submitted")
      assert.include(twice.split("Next: ")[1], "call get_intent_status for each quoteId")
      const postponed = answering(503, "budget_spent", { "retry-after": "60" })
      assert.include(textOf(yield* call(bare, "submit_sweep", SWEEP, postponed)), "after 60 seconds")
      const blocked = answering(403, "request blocked by sanctions screening", {})
      assert.include(textOf(yield* call(bare, "sweep_quotes", SWEEP_QUOTES, blocked)), "do not try again")
      const limited = answering(429, "rate limit exceeded", { "retry-after": "7" })
      assert.include(textOf(yield* call(bare, "sweep_quotes", SWEEP_QUOTES, limited)), "wait 7 seconds")
    })
  )
})
