/** Every answer of POST /quotes. */
import { assert, describe, it } from "@effect/vitest"
import { TypedDataEncoder } from "ethers"
import { Effect } from "effect"
import * as SweepBatch from "../../../src/domain/SweepBatch.ts"
import type { SweepQuotesRequest } from "../../../src/domain/SweepQuotes.ts"
import { RequestRefused } from "../../../src/orchestrator/quote/RequestRefused.ts"
import type { WalletOffer } from "../../../src/orchestrator/quote/WalletQuotes.ts"
import { ScreeningBlocked } from "../../../src/ports/shared/Screening.ts"
import { expectAnswer, expectError } from "./Expect.ts"
import { DELEGATE, decodedRequest, ID, offer, OUT, OWNER, quoteRequest, TOKEN } from "./Fixtures.ts"
import { serve } from "./Harness.ts"

const { order, quote } = offer(decodedRequest)
const LEGS = [{ chainId: quote.sourceChainId, order }] as const

const walletOffer: WalletOffer = {
  id: ID,
  expiresAtMs: quote.expiresAtMs,
  quotes: [
    { order, quote, fees: { protocol: 1n, network: 2n, builder: 3n }, tokenIn: { usd: 1n, decimals: 6 } },
    { chainId: 1, token: OUT, reason: "no_route" }
  ],
  signing: {
    typedData: SweepBatch.typedData(LEGS, "Service"),
    authorizations: [{ address: DELEGATE, chainId: 8453, nonce: 7n }]
  },
  totals: {
    minAmountOut: { amount: 2n ** 200n, usd: "1.5" },
    estimatedAmountOut: { amount: 2n ** 201n, usd: "3" },
    fees: {
      protocol: { amount: 1n, usd: "0.1" },
      network: { amount: null, usd: "0.2" },
      builder: { amount: 0n, usd: null }
    }
  }
}

const sweepQuotes = {
  owner: OWNER,
  destination: OWNER,
  destChainId: 8453,
  tokenOut: OUT,
  tokens: [
    { chainId: 8453, token: TOKEN, amount: "25000000" },
    { chainId: 1, token: OUT, amount: "max" }
  ],
  userId: "user-1",
  subscriptionActive: false
}

interface Wire {
  readonly quotes: ReadonlyArray<{ readonly quote?: object; readonly order?: object }>
  readonly signing: {
    readonly typedData: {
      readonly domain: { readonly name: string; readonly version: string; readonly verifyingContract: string }
      readonly types: Record<string, Array<{ name: string; type: string }>>
      readonly message: { readonly legs: ReadonlyArray<object> }
    }
  }
}

const serving = (quoteAll: () => ReturnType<NonNullable<Parameters<typeof serve>[0]>["quoteAll"] & {}>) =>
  serve({ quoteAll })

describe("POST /quotes", () => {
  it.effect("200: an entry for each token, what to sign, and totals", () =>
    Effect.gen(function* () {
      const asked: Array<SweepQuotesRequest> = []
      const { post } = yield* serve({
        quoteAll: (request) =>
          Effect.sync(() => {
            asked.push(request)
            return walletOffer
          })
      })
      const single = (yield* post("/quote", quoteRequest)).json as { readonly quote: object; readonly order: object }
      const answer = yield* post("/quotes", sweepQuotes)
      const { types } = (answer.json as Wire).signing.typedData
      expectAnswer(answer, 200, {
        id: ID,
        expiresAtMs: quote.expiresAtMs,
        quotes: [
          { quote: single.quote, order: single.order },
          { chainId: 1, token: OUT, reason: "no_route" }
        ],
        signing: {
          typedData: {
            domain: { name: "Service", version: "1", verifyingContract: OWNER },
            types,
            primaryType: "SweepBatch",
            message: { legs: [{ chainId: "8453", order: single.order }] }
          },
          authorizations: [{ address: DELEGATE, chainId: 8453, nonce: "7" }]
        },
        totals: {
          minAmountOut: { amount: (2n ** 200n).toString(), usd: "1.5" },
          estimatedAmountOut: { amount: (2n ** 201n).toString(), usd: "3" },
          fees: {
            protocol: { amount: "1", usd: "0.1" },
            network: { amount: null, usd: "0.2" },
            builder: { amount: "0", usd: null }
          }
        }
      })
      assert.deepStrictEqual(asked, [
        {
          ...sweepQuotes,
          owner: OWNER,
          destination: OWNER,
          tokens: [
            { chainId: 8453, token: TOKEN, amount: 25_000_000n },
            { chainId: 1, token: OUT, amount: "max" }
          ]
        }
      ])
    })
  )

  it.effect("200: typed data as another library hashes it, in a domain without a chain", () =>
    Effect.gen(function* () {
      const { post } = yield* serving(() => Effect.succeed(walletOffer))
      const { domain, message, types } = ((yield* post("/quotes", sweepQuotes)).json as Wire).signing.typedData
      const { EIP712Domain, ...others } = types
      assert.deepStrictEqual(
        EIP712Domain?.map(({ name }) => name),
        ["name", "version", "verifyingContract"]
      )
      assert.strictEqual(TypedDataEncoder.hash(domain, others, message), SweepBatch.digest(LEGS, "Service"))
    })
  )

  it.effect("200: nothing to sign if no token can be quoted", () =>
    Effect.gen(function* () {
      const { signing: _signing, ...unsigned } = walletOffer
      const { post } = yield* serving(() => Effect.succeed({ ...unsigned, quotes: walletOffer.quotes.slice(1) }))
      const answer = yield* post("/quotes", sweepQuotes)
      assert.strictEqual(answer.status, 200)
      assert.notProperty(answer.json, "signing")
    })
  )

  it.effect("403: an address is listed", () =>
    Effect.gen(function* () {
      const { post } = yield* serving(() => Effect.fail(new ScreeningBlocked({ cause: "listed" })))
      const answer = yield* post("/quotes", sweepQuotes)
      expectError(answer, 403, "request blocked by sanctions screening")
      assert.isNull(answer.headers.get("sweep-reason"))
    })
  )

  it.effect("422: the destination would burn the output", () =>
    Effect.gen(function* () {
      const { post } = yield* serving(() => Effect.fail(new RequestRefused({ problems: ["destination: a token"] })))
      expectError(yield* post("/quotes", sweepQuotes), 422, "destination: a token")
    })
  )

  it.effect("422: each field that is missing or wrong, by its name", () =>
    Effect.gen(function* () {
      const { post } = yield* serving(() => Effect.die("a malformed request must not be quoted"))
      const cases: ReadonlyArray<readonly [string, object]> = [
        ["userId: expected at least 1 character", { userId: "" }],
        ["userId: expected at most 256 characters", { userId: "u".repeat(257) }],
        ["userId: missing", { userId: undefined }],
        ["tokens: expected at least 1 token", { tokens: [] }],
        [
          "tokens: expected at most 50 tokens",
          {
            tokens: Array.from({ length: 51 }, (_, index) => ({ chainId: index + 1, token: TOKEN, amount: "1" }))
          }
        ],
        [
          "tokens: expected each token at most once",
          { tokens: ["1", "max"].map((amount) => ({ chainId: 1, token: TOKEN, amount })) }
        ],
        ["slippageBps: expected an integer between 1 and 1000", { slippageBps: 0 }],
        ["slippageBps: expected an integer between 1 and 1000", { slippageBps: 1_001 }],
        [
          "tokens.0.maxNetworkFee: expected a non-negative integer as a decimal string",
          { tokens: [{ chainId: 1, token: TOKEN, amount: "1", maxNetworkFee: 5 }] }
        ]
      ]
      for (const [error, changes] of cases)
        expectError(yield* post("/quotes", { ...sweepQuotes, ...changes }), 422, error)
      const amounts = yield* post("/quotes", { ...sweepQuotes, tokens: [{ chainId: 1, token: TOKEN, amount: "all" }] })
      assert.strictEqual(amounts.status, 422)
      assert.match(amounts.text, /tokens/)
    })
  )

  it.effect("replays its answer under an idempotency key, and counts towards the rate limit", () =>
    Effect.gen(function* () {
      let calls = 0
      const { post } = yield* serving(() => Effect.sync(() => ({ ...walletOffer, id: `${++calls}` })))
      const first = yield* post("/quotes", sweepQuotes, { "idempotency-key": "one" })
      const again = yield* post("/quotes", sweepQuotes, { "idempotency-key": "one" })
      assert.strictEqual(again.text, first.text)
      assert.strictEqual(calls, 1)
      assert.isNotNull(first.headers.get("ratelimit"))
    })
  )
})
