/** Every answer of the portfolio routes (spec, "Errors"). */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type Portfolio, PortfolioUnavailable } from "../../../src/orchestrator/portfolio/Portfolio.ts"
import { expectAnswer, expectError } from "./Expect.ts"
import { serve } from "./Harness.ts"
import { OWNER, portfolio, TOKEN } from "./Fixtures.ts"

type Service = (typeof Portfolio)["Service"]

describe("portfolio", () => {
  const token = {
    chainId: 8453,
    address: TOKEN,
    symbol: "USDC",
    name: "USD Coin",
    decimals: 6,
    balance: (2n ** 255n).toString(),
    priceUsd: "1.000000",
    valueUsd: null,
    tier: "tier1"
  }
  const view = { owner: OWNER, totalUsd: "1.000000", updatedAtMs: 5 }

  it.effect("200", () =>
    Effect.gen(function* () {
      const { call } = yield* serve()
      expectAnswer(yield* call(`/portfolio/${OWNER}`), 200, { ...view, tokens: [token] })
      expectAnswer(yield* call(`/portfolio/${OWNER.toLowerCase()}/sweepable`), 200, {
        ...view,
        tokens: [
          {
            ...token,
            sweepable: true,
            reason: null,
            delegation: "none",
            estimatedNetAmount: "12",
            estimatedNetUsd: "0.900000"
          }
        ]
      })
    })
  )

  it.effect("200: prices", () =>
    Effect.gen(function* () {
      const { call } = yield* serve()
      const { address, chainId } = token
      expectAnswer(yield* call("/prices"), 200, {
        prices: [{ chainId, address, priceUsd: "1.000000", ageSeconds: 3, sources: ["uniswap-v3"] }],
        updatedAtMs: 5
      })
    })
  )

  it.effect("422: not an address, unmasked", () =>
    Effect.gen(function* () {
      const { call } = yield* serve()
      for (const path of ["/portfolio/0x12", "/portfolio/vitalik.eth/sweepable", `/portfolio/0x${"a".repeat(9_000)}`]) {
        expectError(yield* call(path), 422, "owner: expected an address: 0x followed by 40 hex digits")
      }
      expectError(yield* call(`/portfolio/0x${"0".repeat(40)}`), 422, "owner: must not be the zero address")
    })
  )

  it.effect("200: with the tokens that the query names, and 422 for others", () =>
    Effect.gen(function* () {
      const asked: Array<unknown> = []
      const noting: Service["portfolio"] = (_owner, tokens) => {
        asked.push(tokens)
        return Effect.succeed(portfolio)
      }
      const { call } = yield* serve({ portfolio: noting })
      yield* call(`/portfolio/${OWNER}`)
      yield* call(`/portfolio/${OWNER}?tokens=${TOKEN.toLowerCase()},${OWNER}&other=1`)
      assert.deepStrictEqual(asked, [[], [TOKEN, OWNER]])
      const problem = "tokens: expected at most 20 addresses, each 0x followed by 40 hex digits, separated by commas"
      for (const path of [`/portfolio/${OWNER}`, `/portfolio/${OWNER}/sweepable`]) {
        expectError(yield* call(`${path}?tokens=USDC`), 422, problem)
        expectError(yield* call(`${path}?tokens=${Array.from({ length: 21 }, () => OWNER).join(",")}`), 422, problem)
      }
      assert.lengthOf(asked, 2)
    })
  )

  it.effect("502 masked: an upstream failed", () =>
    Effect.gen(function* () {
      const down = () => Effect.fail(new PortfolioUnavailable({ detail: "provider said 500" }))
      const { call, logs } = yield* serve({ portfolio: down, sweepable: down, prices: down() })
      expectError(yield* call("/prices"), 502, "internal error")
      expectError(yield* call(`/portfolio/${OWNER}`), 502, "internal error")
      expectError(yield* call(`/portfolio/${OWNER}/sweepable`), 502, "internal error")
      assert.strictEqual(logs.filter(({ message }) => message.includes("provider said 500")).length, 3)
    })
  )
})
