/** Quotes that renew themselves while the plan is looked at: a plan that brings less is said and held, any other comes silently. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import type { BatchReview, ReviewedLeg } from "../../src/sdk/index.ts"
import { leastOf } from "../../src/web/sweep/plan.ts"
import {
  afterPlan,
  begin,
  changeToShow,
  counted,
  type Counted,
  followed,
  type Followed,
  type Renewal
} from "../../src/web/sweep/useRenewal.ts"

const TOKEN: `0x${string}` = `0x${"a".repeat(40)}`
const OTHER: `0x${string}` = `0x${"b".repeat(40)}`

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
              receive: { chainId: 1, token: TOKEN, destination: TOKEN, minAmount: least },
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

  it("needs no notice once it is again what was agreed to, and is held while that is new", () => {
    const both = split(50n, 50n)
    // One of the chains is silent for one answer.
    const review = { legs: [both.review?.legs[0]], authorizations: [] } as unknown as BatchReview
    const one: Shown = { ...both, review }
    const lower = after(both, one)
    assert.deepStrictEqual(lower.renewed, { kind: "lower", agreed: 100n })
    const back = afterPlan({ ...lower, isHeld: false }, both, () => true)
    assert.isUndefined(back.renewed)
    assert.isTrue(back.isHeld)
    const next = afterPlan({ ...back, isHeld: false }, both, () => true)
    assert.isUndefined(next.renewed)
    assert.isFalse(next.isHeld)
    assert.deepStrictEqual(afterPlan(next, one, () => true).renewed, { kind: "lower", agreed: 100n })
    const other = afterPlan(lower, split(50n, 50n, OTHER), () => true)
    assert.strictEqual(afterPlan(other, both, () => true).renewed?.kind, "different", "other terms stay")
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

describe("a plan whose request changes", () => {
  const start: Followed<Shown> = { ...begin<Shown>(undefined), choices: 0 }
  const follow = (...steps: ReadonlyArray<readonly [plan: Shown | undefined, choices: number]>) =>
    steps.reduce((state, [plan, choices]) => followed(state, plan, choices), start)

  it("by itself is said and held, also if it brings more", () => {
    for (const grown of [split(100n, 10n), split(100n, 100n)]) {
      const { isHeld, renewed } = follow([shown(100n), 1], [undefined, 1], [grown, 1])
      assert.deepStrictEqual(renewed, { kind: "different", agreed: 100n })
      assert.isTrue(isHeld)
    }
    const fewer = follow([split(50n, 50n), 1], [undefined, 1], [shown(50n), 1])
    assert.isTrue(fewer.isHeld)
    assert.isDefined(fewer.renewed)
  })

  it("by itself to another target is said and held", () => {
    const moved = (chainId: number, token = TOKEN, destination = TOKEN): Shown => {
      const { review } = shown(100n)
      const legs = (review?.legs ?? []).map((leg) => ({
        ...leg,
        receive: { ...leg.receive, chainId, token, destination }
      }))
      return { request: "all", review: { legs, authorizations: [] } as unknown as BatchReview }
    }
    for (const other of [moved(2), moved(1, OTHER), moved(1, TOKEN, OTHER)]) {
      const { isHeld, renewed } = follow([moved(1), 1], [undefined, 1], [other, 1])
      assert.strictEqual(renewed?.kind, "different")
      assert.isTrue(isHeld)
    }
    assert.isUndefined(follow([moved(1), 1], [undefined, 1], [moved(1), 1]).renewed)
  })

  it("by a choice of the user begins anew", () => {
    const { isHeld, renewed } = follow([split(50n, 50n), 1], [undefined, 2], [shown(1n), 2])
    assert.isUndefined(renewed)
    assert.isFalse(isHeld)
    assert.isUndefined(follow([shown(100n), 1], [shown(99n), 1], [undefined, 2], [shown(99n), 2]).renewed)
  })

  it("by itself after a choice that changed nothing is held", () => {
    const plan = shown(100n)
    assert.isTrue(follow([plan, 1], [plan, 3], [undefined, 3], [split(100n, 9n), 3]).isHeld)
    const lower = shown(99n)
    assert.isTrue(follow([plan, 1], [lower, 1], [lower, 2]).isHeld, "a choice does not end the hold of the same plan")
  })
})

describe("a choice of the user", () => {
  const START_OF_A: Counted = { text: "a", choices: 0, sweeps: 0, changes: 0 }
  const changes = (...steps: ReadonlyArray<readonly [text: string, choices: number]>) =>
    steps.reduce<Counted>((state, [text, choices]) => counted(state, text, { choices, sweeps: 0 }), START_OF_A).changes

  it("counts if the request differs by it", () => {
    assert.strictEqual(changes(["b", 1], ["c", 2], ["a", 3]), 3)
    assert.strictEqual(changes(["", 1], ["a", 2]), 2, "also if nothing is selected between")
  })

  it("does not count if it leaves the request as it is, nor if the request changes by itself", () => {
    assert.strictEqual(changes(["a", 1], ["a", 3]), 0)
    assert.strictEqual(changes(["b", 0], ["c", 0]), 0)
    assert.strictEqual(changes(["a", 1], ["b", 1], ["b", 2]), 0)
  })

  it("does not end the hold of a change by itself that is being priced", () => {
    const [before, after] = [shown(100n), split(100n, 9n)]
    // The request changes by itself, and the user then does what leaves it as it is.
    const steps = [
      ["a", 1, before],
      ["b", 1, undefined],
      ["b", 2, undefined],
      ["b", 2, after]
    ] as const
    let request: Counted = { ...START_OF_A, choices: 1 }
    let state: Followed<Shown> = { ...begin<Shown>(undefined), choices: 0 }
    for (const [text, choices, plan] of steps) {
      request = counted(request, text, { choices, sweeps: 0 })
      state = followed(state, plan, request.changes)
    }
    assert.isTrue(state.isHeld)
    assert.deepStrictEqual(state.renewed, { kind: "different", agreed: 100n })
  })

  it("is a submission too, before which the swept tokens leave the request by themselves", () => {
    const sent = counted(START_OF_A, "b", { choices: 0, sweeps: 0 })
    assert.strictEqual(sent.changes, 0)
    assert.strictEqual(counted(sent, "b", { choices: 0, sweeps: 1 }).changes, 1)
  })
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
