/** Quotes that renew themselves while the plan is looked at: a plan that brings less is said and held, any other comes silently. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { BatchReview, ReviewedLeg } from "../../src/sdk/index.ts"
import { leastOf } from "../../src/web/sweep/plan.ts"
import { afterPlan, begin, changeToShow, type Renewal } from "../../src/web/sweep/useRenewal.ts"

const TOKEN = `0x${"a".repeat(40)}` as const
const OTHER = `0x${"b".repeat(40)}` as const

interface Shown {
  readonly request: string
  readonly review: BatchReview | undefined
}

const shown = (least: bigint | undefined, request = "all"): Shown => ({
  request,
  review:
    least === undefined
      ? undefined
      : ({
          legs: [
            {
              send: { chainId: 1, token: TOKEN, amount: 1n },
              fees: { protocol: 0n, builder: 0n, total: 0n, builderAddress: undefined },
              delegate: TOKEN,
              receive: { minAmount: least },
              warnings: []
            } as unknown as ReviewedLeg
          ],
          authorizations: []
        } as unknown as BatchReview)
})

/** A plan of two tokens, by this delegate. */
const split = (first: bigint, second: bigint, delegate: ReviewedLeg["delegate"] = TOKEN): Shown => {
  const legs = [first, second].flatMap((least, index) =>
    (shown(least).review?.legs ?? []).map((leg) => ({ ...leg, delegate, send: { ...leg.send, chainId: index } }))
  )
  return { request: "all", review: { legs, authorizations: [] } as unknown as BatchReview }
}

const START: Renewal<Shown> = begin<Shown>(undefined)

const after = (...plans: ReadonlyArray<Shown | undefined>): Renewal<Shown> =>
  plans.reduce<Renewal<Shown>>((state, plan) => afterPlan(state, plan, (a, b) => a.request === b.request), START)

const { prop } = it

describe("a plan that renews itself", () => {
  it("comes silently if it brings as much", () => {
    for (const least of [100n, 101n]) {
      const { isHeld, renewed } = after(shown(100n), shown(least))
      assert.isUndefined(renewed)
      assert.isFalse(isHeld)
    }
  })

  it("is said and held if it brings less, or nothing", () => {
    for (const least of [99n, undefined]) {
      const { isHeld, renewed } = after(shown(100n), shown(least))
      assert.deepStrictEqual(renewed, { kind: "lower", agreed: 100n })
      assert.isTrue(isHeld)
    }
  })

  it("is compared with the best plan that was shown, until it brings as much again", () => {
    assert.deepStrictEqual(after(shown(100n), shown(99n), shown(98n)).renewed, { kind: "lower", agreed: 100n })
    assert.deepStrictEqual(after(shown(100n), shown(98n), shown(99n)).renewed, { kind: "lower", agreed: 100n })
    assert.isUndefined(after(shown(100n), shown(98n), shown(100n)).renewed)
  })

  it("begins anew with another request", () => {
    assert.isUndefined(after(shown(100n), shown(1n, "some")).renewed)
    assert.isUndefined(after(shown(100n), undefined, shown(1n)).renewed)
    assert.isUndefined(after(shown(100n), shown(99n), shown(98n, "some")).renewed)
  })

  it("is compared with the last plan that had something to sweep, after one that had nothing", () => {
    const empty = shown(undefined)
    assert.deepStrictEqual(after(shown(100n), empty, shown(99n)).renewed, { kind: "lower", agreed: 100n })
    assert.deepStrictEqual(after(shown(100n), empty, empty, shown(99n)).renewed, { kind: "lower", agreed: 100n })
    assert.isUndefined(after(shown(100n), empty, shown(100n)).renewed)
    const other = after(split(50n, 50n), empty, split(50n, 50n, OTHER))
    assert.deepStrictEqual(other.renewed, { kind: "different", agreed: 100n })
    assert.isTrue(other.isHeld)
    assert.isUndefined(after(empty, shown(1n)).renewed, "nothing was shown before")
    assert.isUndefined(after(shown(100n), { ...empty, request: "some" }, shown(1n, "some")).renewed)
  })

  it("stays different when it brings as much again", () => {
    const [first, second] = [split(50n, 50n), split(50n, 49n, OTHER)]
    assert.strictEqual(after(first, second).renewed?.kind, "different")
    assert.strictEqual(after(first, second, split(50n, 50n, OTHER)).renewed?.kind, "different")
    assert.strictEqual(after(first, second, split(49n, 49n, OTHER)).renewed?.kind, "different", "and less")
    assert.strictEqual(after(first, second, shown(undefined)).renewed?.kind, "different", "and nothing")
  })

  it("is compared with what was agreed to, if it brings as much from other tokens", () => {
    const lower = after(split(50n, 50n), split(1n, 50n))
    assert.strictEqual(lower.renewed?.kind, "lower")
    const moved = after(split(50n, 50n), split(1n, 50n), split(1n, 99n))
    assert.deepStrictEqual(moved.renewed, { kind: "different", agreed: 100n })
    assert.isUndefined(after(split(50n, 50n), split(1n, 50n), split(50n, 50n)).renewed)
  })

  it("is held anew when it becomes different, and not by a plan that changes nothing", () => {
    const released = (...plans: ReadonlyArray<Shown>) => ({ ...after(...plans), isHeld: false })
    const before = released(split(50n, 50n), split(1n, 50n))
    const isSameRequest = () => true
    assert.isTrue(afterPlan(before, split(1n, 99n), isSameRequest).isHeld)
    assert.isFalse(afterPlan(before, split(1n, 50n), isSameRequest).isHeld)
    const different = released(split(50n, 50n), split(50n, 50n, OTHER))
    assert.isFalse(afterPlan(different, split(50n, 50n, OTHER), isSameRequest).isHeld)
  })

  prop(
    "is said whenever it brings less than a plan before it, also with plans of nothing between them",
    [Schema.Array(Schema.UndefinedOr(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 50 }))))],
    ([steps]) => {
      const best = Math.max(0, ...steps.map((step) => step ?? 0))
      const { renewed } = after(...steps.map((step) => shown(step === undefined ? undefined : BigInt(step))))
      assert.strictEqual(renewed?.agreed, (steps.at(-1) ?? 0) < best ? BigInt(best) : undefined)
    }
  )
})

describe("the change to show", () => {
  const [lower, different] = [
    { kind: "lower", agreed: 100n },
    { kind: "different", agreed: 100n }
  ] as const

  it("is that of the last press, until the plan brings as much again", () => {
    assert.strictEqual(changeToShow(lower, undefined, leastOf(shown(99n).review)), lower)
    assert.isUndefined(changeToShow(lower, undefined, 100n))
    assert.strictEqual(changeToShow(different, undefined, 100n), different)
    assert.strictEqual(changeToShow(different, lower, 99n), different)
  })

  it("is that of the renewals without a press, and after one that is mended", () => {
    assert.strictEqual(changeToShow(undefined, lower, 99n), lower)
    assert.strictEqual(changeToShow(lower, different, 100n), different)
  })

  it("is different if a renewal after the press is", () => {
    assert.strictEqual(changeToShow(lower, different, 99n), different)
  })
})
