/** The text that an owner reads before `sweep sweep` signs. */
import { assert, describe, it } from "@effect/vitest"
import { amounts, asReview } from "../../src/cli/SweepTokensTables.ts"
import type { BatchReview, ReviewedLeg } from "../../src/sdk/index.ts"
import { address } from "../support/FakeChain.ts"

const [TOKEN, USDC, OWNER, OTHER, BUILDER] = [0xe1, 0xe2, 0x01, 0x02, 0x03].map(address)

const leg = {
  send: { token: TOKEN, amount: 1_000n, chainId: 1 },
  fees: { protocol: 7n, builder: 13n, total: 20n, builderAddress: BUILDER },
  receive: {
    token: USDC,
    minAmount: 2_500_000n,
    estimatedAmount: 2_600_000n,
    chainId: 8_453,
    destination: OTHER,
    guaranteedBy: "order"
  },
  expiresAt: new Date("2026-01-31T12:00:00Z"),
  deadline: new Date("2026-01-31T12:15:00Z"),
  warnings: []
} as unknown as ReviewedLeg

const review = {
  legs: [leg, { ...leg, deadline: new Date("2026-01-31T12:20:00Z") }],
  leftOut: [],
  expiresAt: leg.expiresAt,
  authorizations: []
} as unknown as BatchReview

const show = amounts([
  { chainId: 1, address: TOKEN ?? "0x", symbol: "DAI", decimals: 2 },
  { chainId: 8_453, address: USDC ?? "0x", symbol: "USDC", decimals: 6 }
] as never)

describe("the reviewed orders", () => {
  const text = asReview(review, show)

  it("show the receiver of the tokens", () => {
    assert.include(text, OTHER ?? "none")
    assert.notInclude(text, OWNER ?? "none")
  })

  it("show the fee of the service and that of the builder apart, and who gets the latter", () => {
    assert.match(text, /PROTOCOL FEE +BUILDER FEE/)
    assert.match(text, /10 DAI +0\.07 DAI +0\.13 DAI +2\.5 USDC/)
    assert.include(text, `builder fees go to ${BUILDER}`)
    const free = { ...leg, fees: { protocol: 7n, builder: 0n, total: 7n, builderAddress: undefined } }
    assert.notInclude(asReview({ ...review, legs: [free] }, show), "builder fees go")
  })

  it("show until when they can be submitted and settle", () => {
    assert.include(text, "submit until 2026-01-31T12:00:00.000Z, the orders can settle until 2026-01-31T12:20:00.000Z")
  })
})
