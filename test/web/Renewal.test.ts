/** Quotes that renew themselves while the plan is looked at: a plan that brings less is said and held, any other comes silently. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { BatchReview, ReviewedLeg } from "../../src/sdk/index.ts"
import { afterPlan, type Renewal } from "../../src/web/sweep/useRenewal.ts"

const TOKEN = `0x${"a".repeat(40)}` as const

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

const START: Renewal<Shown> = { plan: undefined, renewed: undefined, isHeld: false }

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

  prop(
    "is said whenever it brings less than a plan before it",
    [Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 50 })))],
    ([steps]) => {
      const best = Math.max(0, ...steps)
      const { renewed } = after(...steps.map((step) => shown(BigInt(step))))
      assert.strictEqual(renewed?.agreed, (steps.at(-1) ?? 0) < best ? BigInt(best) : undefined)
    }
  )
})
