/** Calculations of the plan: what a renewed one may change without a question, and its values in dollars. */
import { assert, describe, it } from "@effect/vitest"
import type { Address, BatchReview, Guarantee, ReviewedLeg, SweepableToken, SweepQuotes } from "../../src/sdk/index.ts"
import { NodeError, RateLimitedError, UnavailableError } from "../../src/sdk/index.ts"
import { explain, explainChange } from "../../src/web/sweep/explain.ts"
import { changeOf, figuresOf, isPassing, promptsOf } from "../../src/web/sweep/plan.ts"
import { amountUsd } from "../../src/web/sweep/selection.ts"

const at = (digit: string): Address => `0x${digit.repeat(40)}`

const [OWNER, DELEGATE, USDC] = [at("9"), at("d"), at("c")]

const leg = (token: Address, minAmount: bigint, more: Partial<ReviewedLeg> = {}): ReviewedLeg =>
  ({
    quoteId: token,
    owner: OWNER,
    chainId: 1,
    send: { chainId: 1, token, amount: 1_000n },
    fees: { protocol: 0n, builder: 0n, total: 0n, builderAddress: undefined },
    receive: { chainId: 1, token: USDC, minAmount, estimatedAmount: minAmount, destination: OWNER },
    delegate: DELEGATE,
    warnings: [],
    ...more
  }) as ReviewedLeg

const plan = (first: ReviewedLeg, ...others: ReadonlyArray<ReviewedLeg>): BatchReview =>
  ({ legs: [first, ...others], leftOut: [], authorizations: [] }) as unknown as BatchReview

const [A, B] = [at("a"), at("b")]

describe("a plan that is renewed before it is signed", () => {
  const agreed = plan(leg(A, 10_000n), leg(B, 20_000n))

  it("is signed if it brings as much from the same tokens", () => {
    assert.isUndefined(changeOf(agreed, agreed))
    assert.isUndefined(changeOf(agreed, plan(leg(A, 10_500n), leg(B, 20_000n))))
    assert.isUndefined(changeOf(agreed, plan(leg(A, 9_900n), leg(B, 20_100n))), "a token that brings 1% less")
    assert.isUndefined(changeOf(agreed, plan(leg(B, 20_000n), leg(A, 10_000n))), "another order")
  })

  it("is shown again if it brings less, or nothing", () => {
    assert.strictEqual(changeOf(agreed, plan(leg(A, 10_000n), leg(B, 19_999n))), "lower")
    assert.strictEqual(changeOf(agreed, undefined), "lower")
  })

  it("is shown again if it has a token that was left out, or lacks one", () => {
    assert.strictEqual(changeOf(plan(leg(A, 10_000n)), plan(leg(A, 10_000n), leg(B, 20_000n))), "different")
    assert.strictEqual(changeOf(agreed, plan(leg(B, 40_000n))), "different")
    assert.strictEqual(changeOf(plan(leg(A, 10_000n)), plan(leg(B, 10_000n))), "different")
  })

  it("is shown again if one token brings far less, because the other may fail alone", () => {
    assert.strictEqual(changeOf(agreed, plan(leg(A, 1n), leg(B, 40_000n))), "different")
    assert.strictEqual(changeOf(agreed, plan(leg(A, 9_899n), leg(B, 20_101n))), "different")
  })

  it("is shown again if it authorizes another delegate or nonce, or a leg names another delegate", () => {
    const authorization = { address: DELEGATE, chainId: 1, nonce: 7 }
    const authorizing = (...authorizations: BatchReview["authorizations"]) => ({ ...agreed, authorizations })
    const shown = authorizing(authorization)
    for (const change of [{ address: B }, { nonce: 8 }, { chainId: 2 }]) {
      assert.strictEqual(changeOf(shown, authorizing({ ...authorization, ...change })), "different")
    }
    assert.isUndefined(changeOf(shown, authorizing({ ...authorization })))
    assert.isUndefined(changeOf(shown, agreed), "an authorization that is not needed any more")
    const other = leg(B, 20_000n, { delegate: B })
    assert.strictEqual(changeOf(agreed, plan(leg(A, 10_000n), other)), "different")
  })

  it("is shown again if the builder's fee goes elsewhere, the guarantee changes, or the refund is lower", () => {
    const of = (more: Partial<ReviewedLeg>) => plan(leg(A, 10_000n), leg(B, 20_000n, more))
    const { fees, receive } = leg(B, 20_000n)
    const [one, another] = [OWNER, USDC].map((builderAddress) => of({ fees: { ...fees, builderAddress } }))
    if (one === undefined || another === undefined) return assert.fail("no plans")
    assert.isUndefined(changeOf(one, one))
    assert.strictEqual(changeOf(one, another), "different")
    assert.strictEqual(changeOf(agreed, one), "different")
    assert.isUndefined(changeOf(one, agreed), "a builder that is gone")
    const guaranteed = (guaranteedBy: Guarantee) => of({ receive: { ...receive, guaranteedBy } })
    for (const better of ["bridge", "order", "service"] as const) {
      assert.isUndefined(changeOf(guaranteed("service"), guaranteed(better)), better)
      assert.isUndefined(changeOf(guaranteed(better), guaranteed(better)), better)
    }
    for (const [before, after] of [
      ["bridge", "service"],
      ["order", "service"],
      ["order", "bridge"]
    ] as const) {
      assert.strictEqual(changeOf(guaranteed(before), guaranteed(after)), "different", `${before} to ${after}`)
    }
    const refunded = (token: Address, minAmount: bigint) =>
      of({ receive: { ...receive, via: { token, minAmount, chainId: 1 } } })
    assert.isUndefined(changeOf(refunded(A, 500n), refunded(A, 495n)))
    assert.isUndefined(changeOf(refunded(A, 500n), agreed), "the refund is the token itself")
    for (const renewed of [refunded(A, 5n), refunded(USDC, 500n)]) {
      assert.strictEqual(changeOf(refunded(A, 500n), renewed), "different")
      assert.strictEqual(changeOf(agreed, renewed), "different")
    }
  })

  it("is shown again with a warning, a delegation or a fallback that was not shown", () => {
    const warned = leg(B, 20_000n, { warnings: ["only the service says so"] })
    assert.strictEqual(changeOf(agreed, plan(leg(A, 10_000n), warned)), "different")
    assert.isUndefined(changeOf(plan(leg(A, 10_000n), warned), plan(leg(A, 10_000n), warned)))
    const authorizations = [{ address: DELEGATE, chainId: 1, nonce: 0n }] as unknown as BatchReview["authorizations"]
    assert.strictEqual(changeOf(agreed, { ...agreed, authorizations }), "different")
    assert.isUndefined(changeOf({ ...agreed, authorizations }, { ...agreed, authorizations }))
    const { receive } = leg(B, 20_000n)
    const instead = (minAmount: bigint) =>
      leg(B, 20_000n, { receive: { ...receive, insteadIfSwapFails: { token: A, minAmount } } })
    assert.strictEqual(changeOf(agreed, plan(leg(A, 10_000n), instead(5n))), "different")
    assert.strictEqual(changeOf(plan(leg(A, 10_000n), instead(500n)), plan(leg(A, 10_000n), instead(5n))), "different")
  })
})

describe("a plan that brings less and has other terms", () => {
  const { fees, receive } = leg(B, 20_000n)
  const via = (token: Address) => ({ ...receive, via: { token, minAmount: 20_000n, chainId: 1 } })
  const authorizations = [{ address: DELEGATE, chainId: 1, nonce: 7 }] as unknown as BatchReview["authorizations"]

  it.each<readonly [string, BatchReview, BatchReview]>([
    ["the delegate", plan(leg(B, 20_000n)), plan(leg(B, 19_999n, { delegate: A }))],
    ["the builder", plan(leg(B, 20_000n)), plan(leg(B, 19_999n, { fees: { ...fees, builderAddress: A } }))],
    [
      "the guarantee",
      plan(leg(B, 20_000n, { receive: { ...receive, guaranteedBy: "bridge" } })),
      plan(leg(B, 20_000n, { receive: { ...receive, minAmount: 19_999n, guaranteedBy: "service" } }))
    ],
    [
      "the token of the refund",
      plan(leg(B, 20_000n, { receive: via(A) })),
      plan(leg(B, 20_000n, { receive: { ...via(USDC), minAmount: 19_999n } }))
    ],
    ["a warning", plan(leg(B, 20_000n)), plan(leg(B, 19_999n, { warnings: ["new"] }))],
    ["an authorization", plan(leg(B, 20_000n)), { ...plan(leg(B, 19_999n)), authorizations }],
    [
      "the amount to send",
      plan(leg(B, 20_000n)),
      plan(leg(B, 19_999n, { send: { chainId: 1, token: B, amount: 1n } }))
    ],
    ["a token that was left out", plan(leg(A, 10_000n), leg(B, 20_000n)), plan(leg(A, 9_000n), leg(USDC, 20_000n))]
  ])("is shown again for its terms: %s", (_, agreed, renewed) => {
    assert.strictEqual(changeOf(agreed, renewed), "different")
  })

  it("brings less if one of its tokens is gone, which may come back", () => {
    assert.strictEqual(changeOf(plan(leg(A, 10_000n), leg(B, 20_000n)), plan(leg(B, 20_000n))), "lower")
  })
})

describe("the notice of a change", () => {
  const notice = (kind: "lower" | "different", agreed: bigint, hasDelegation = false): string =>
    explainChange({ kind, agreed }, { least: 90n, hasDelegation }, (amount) => `${amount} USDC`)

  it("says what to check, and why the delegation to sign may have changed", () => {
    assert.include(notice("different", 90n), "Check its tokens, warnings and delegations. Nothing was signed.")
    assert.include(notice("different", 90n, true), "Your account may have sent a transaction")
    assert.notInclude(notice("lower", 100n, true), "sent a transaction")
  })

  it("says the amounts if the plan brings less, whatever else changed", () => {
    for (const kind of ["lower", "different"] as const) {
      assert.include(notice(kind, 100n), " You would receive at least 90 USDC now, not 100 USDC. Nothing was signed.")
    }
    assert.notInclude(notice("different", 90n), "USDC")
  })
})

describe("a revocation that failed", () => {
  it("is explained with its transaction, if it has one", () => {
    const hash = `0x${"ab".repeat(32)}`
    assert.strictEqual(
      explain(new NodeError(`transaction ${hash} had no effect: the nonce changed; try again`)),
      `Transaction ${hash} had no effect: the nonce changed; try again.`
    )
    assert.include(explain(new NodeError("the node did not answer eth_getCode")), "did not answer. Please try again")
  })
})

describe("the requests of the wallet", () => {
  it("tell a delegation that takes the place of another one", () => {
    const review = {
      ...plan(leg(A, 1n)),
      authorizations: [1, 2].map((chainId) => ({ chainId }))
    } as unknown as BatchReview
    const on = (chainId: number, delegation: string) => ({
      token: { chainId, delegation } as SweepableToken,
      amount: 1n
    })
    const prompts = promptsOf(review, { tokens: [on(1, "other"), on(2, "none")] })
    assert.deepStrictEqual(
      prompts.map(({ chainIds, kind, replaces }) => [kind, chainIds.join(), replaces]),
      [
        ["sweep", "1", false],
        ["delegation", "1", true],
        ["delegation", "2", false]
      ]
    )
  })
})

describe("a plan of nothing", () => {
  const without = (...reasons: ReadonlyArray<string>) => ({
    review: undefined,
    leftOut: reasons.map((reason) => ({ chainId: 1, token: A, reason, mismatches: [] }))
  })

  it("passes if a token was refused for the moment alone", () => {
    for (const reason of ["busy", "chain_unavailable", "screening_unavailable", "unavailable"]) {
      assert.isTrue(isPassing(without("no_route", reason)), reason)
    }
    assert.isFalse(isPassing(without("no_route", "fees_exceed_amount", "over_limit")))
    assert.isFalse(isPassing({ ...without("busy"), review: plan(leg(A, 1n)) }), "something can be swept")
  })
})

describe("a refusal for the moment", () => {
  const after = (retryAfterSeconds: number) => ({ status: 503, reason: "", requestId: undefined, retryAfterSeconds })

  it("names the pause in seconds", () => {
    assert.match(explain(new UnavailableError(after(1))), / Try again in 1 second\.$/)
    assert.match(explain(new RateLimitedError(after(2))), / wait 2 seconds\.$/)
  })
})

describe("the values of a plan", () => {
  it("leave out what the review leaves out, although the totals of the service have it", () => {
    const none = { amount: 0n, usd: "0" }
    const totals = {
      minAmountOut: { amount: 40_000_000n, usd: "40" },
      estimatedAmountOut: { amount: 44_000_000n, usd: "44" },
      fees: { protocol: none, network: none, builder: none }
    }
    const kept = plan(leg(A, 10_000_000n))
    const figures = figuresOf(kept, { quotes: [], totals } as unknown as SweepQuotes, { tokens: [] })
    assert.strictEqual(figures.leastUsd, "10")
    assert.strictEqual(figures.expectedUsd, "10")
    const unpriced = { ...totals, minAmountOut: { amount: 40_000_000n, usd: null } }
    assert.isNull(figuresOf(kept, { quotes: [], totals: unpriced } as unknown as SweepQuotes, { tokens: [] }).leastUsd)
  })
})

describe("the fees of a plan", () => {
  const none = { amount: 0n, usd: "0" }
  const totals = (network: string | null) => ({
    minAmountOut: none,
    estimatedAmountOut: { amount: 20n, usd: "18" },
    fees: { protocol: none, network: { amount: null, usd: network }, builder: none }
  })
  const of = (
    priceOfB: string | null,
    { builder = 20n, network = "0.25" }: { builder?: bigint; network?: string | null } = {}
  ) => {
    const fees = { protocol: 500n, builder: 0n, total: 500n, builderAddress: undefined }
    const first = leg(A, 10n, { fees })
    const second = leg(B, 10n, { fees: { ...fees, builder, total: 500n + builder } })
    const token = (address: Address, priceUsd: string | null) => ({
      token: { chainId: 1, address, decimals: 3, priceUsd } as SweepableToken,
      amount: 1_000n
    })
    const quotes = { quotes: [], totals: totals(network) } as unknown as SweepQuotes
    return figuresOf(plan(first, second), quotes, { tokens: [token(A, "10"), token(B, priceOfB)] })
  }

  it("are the sums of the legs", () => {
    assert.deepInclude(of("1"), {
      sentUsd: "11",
      serviceFeeUsd: "5.25",
      networkFeeUsd: "0.25",
      builderFeeUsd: "0.02"
    })
  })

  it("are not known if a token has no price, instead of nothing", () => {
    assert.deepInclude(of(null), {
      sentUsd: undefined,
      serviceFeeUsd: undefined,
      networkFeeUsd: undefined,
      builderFeeUsd: undefined,
      priceImpactBps: undefined
    })
  })

  it("are nothing without a price if no token pays them", () => {
    assert.strictEqual(of(null, { builder: 0n }).builderFeeUsd, "0")
  })

  it("are not split if the service does not tell which part pays for gas", () => {
    assert.deepInclude(of("1", { network: null }), { serviceFeeUsd: undefined, networkFeeUsd: undefined })
  })
})

describe("the value of what is selected", () => {
  it("is that of the amount to sweep, not of the balance", () => {
    const token = { balance: 40_000_000n, decimals: 6, priceUsd: "1", valueUsd: "40" } as SweepableToken
    assert.strictEqual(amountUsd(token, 40_000_000n), "40")
    assert.strictEqual(amountUsd(token, 10_000_000n), "10")
    assert.isNull(amountUsd({ ...token, priceUsd: null, valueUsd: null }, 10_000_000n))
  })
})
