/** Decisions for a claim whose sweeps other claims have reserved before. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { orchestratorDefaults } from "../../src/config/Orchestrator.ts"
import { type Budgets, classOf, EMPTY } from "../../src/domain/Exposure.ts"
import { CLAIM_MILLIS, claimOf, type Held, isClaim, isClaimed, replace } from "../../src/domain/ExposureClaims.ts"

const ALL = classOf("unlisted", "all", 1)

const BUDGETS: Budgets = { unlisted: { hour: 100n, day: 500n }, listedHour: 0n }

const NOW = 2 * CLAIM_MILLIS

const LIVE = claimOf(NOW - 30_000, "live")
const KILLED = claimOf(NOW - CLAIM_MILLIS, "killed")
const CLAIM = claimOf(NOW, "claim")

const IDS = ["a", "b", "c", "d"]

const reservation = (intentId: string, wei: bigint) => ({ intentId, classes: [ALL], wei })

const before = (intentId: string, wei: bigint, ...holders: ReadonlyArray<string>): Held => ({
  ...reservation(intentId, wei),
  holders,
  atMs: NOW - 30_000
})

const decide = (reservations: ReadonlyArray<ReturnType<typeof reservation>>, held: ReadonlyArray<Held>, open = 0n) =>
  replace(reservations, BUDGETS, new Map([[ALL, { ...EMPTY, open }]]), { before: held, claim: CLAIM, now: NOW })

const holdersIn = (stored: ReadonlyArray<Held>) =>
  Object.fromEntries(stored.map(({ holders, intentId }) => [intentId, holders]))

describe("a claim", () => {
  it("holds a sweep together with other claims that may still send it, and with nobody else", () => {
    const held = [
      before("a", 10n, LIVE, KILLED, CLAIM),
      before("b", 10n, KILLED),
      before("c", 10n, "submission"),
      before("d", 10n)
    ]
    const { denied, stored } = decide(
      IDS.map((id) => reservation(id, 25n)),
      held
    )
    assert.deepStrictEqual(denied, [])
    assert.deepStrictEqual(holdersIn(stored), { a: [LIVE, CLAIM], b: [CLAIM], c: [CLAIM], d: [CLAIM] })
  })

  it("never takes less than what another claim may still send, nor fewer classes", () => {
    const pool = classOf("unlisted", "pool", 1, "0xbb")
    const held = [before("a", 40n, LIVE), { ...before("b", 10n, LIVE), classes: [ALL, pool] }, before("c", 40n, KILLED)]
    const { denied, stored } = decide(
      ["a", "b", "c"].map((id) => reservation(id, 20n)),
      held
    )
    assert.deepStrictEqual(denied, [])
    assert.deepStrictEqual(
      stored.map(({ classes, intentId, wei }) => [intentId, wei, classes]),
      [
        ["a", 40n, [ALL]],
        ["b", 20n, [ALL, pool]],
        ["c", 20n, [ALL]]
      ]
    )
  })

  it("is admitted with what it stores for all claims of a sweep together", () => {
    const { denied, stored } = decide([reservation("a", 20n), reservation("b", 61n)], [before("a", 40n, LIVE)])
    assert.deepStrictEqual(holdersIn(stored), { a: [LIVE, CLAIM] })
    assert.deepStrictEqual(
      denied.map(({ intentId }) => intentId),
      ["b"]
    )
  })

  it("counts for a few leases", () => {
    const { leaseMillis } = orchestratorDefaults.relayer
    assert.isTrue(CLAIM_MILLIS >= 2 * leaseMillis && CLAIM_MILLIS <= 5 * leaseMillis)
  })

  it("that is denied leaves a sweep to its other claims, and this counts for the sweeps after it and before it", () => {
    const held = [before("a", 10n, LIVE), before("b", 40n, LIVE), before("c", 30n, KILLED)]
    const { denied, stored } = decide(
      [reservation("a", 80n), reservation("b", 50n), reservation("c", 60n), reservation("d", 50n)],
      held
    )
    // First `b` keeps 40, so that `a` has no room for 80 and keeps 10.
    assert.deepStrictEqual(holdersIn(stored), { a: [LIVE], b: [LIVE], d: [CLAIM] })
    assert.deepStrictEqual(denied.map(({ intentId }) => intentId).toSorted(), ["a", "b", "c"])
  })

  it("has a name that no submission has", () => {
    assert.isTrue(isClaim(CLAIM))
    assert.isFalse(isClaim("0b5ad1de-13a0-4bd8-a5d5-fd6d1b0fd0f1"))
  })

  const Wei = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 60 }))
  const Sweeps = Schema.Array(Schema.Struct({ wei: Wei, before: Wei, isLive: Schema.Boolean, isHeld: Schema.Boolean }))

  it.prop(
    "takes nothing from a claim that may still send, and no more than the budget has",
    [Sweeps.check(Schema.isMaxLength(6))],
    ([sweeps]) => {
      const held = sweeps.flatMap((each, index) =>
        each.isHeld ? [before(`${index}`, BigInt(each.before), each.isLive ? LIVE : KILLED)] : []
      )
      const { denied, stored } = decide(
        sweeps.map(({ wei }, index) => reservation(`${index}`, BigInt(wei))),
        held
      )
      const kept = held.filter(({ holders }) => holders.includes(LIVE)).map(({ intentId }) => intentId)
      const after = holdersIn(stored)
      for (const id of kept) assert.isTrue(after[id]?.includes(LIVE))
      for (const { intentId, wei } of held.filter(({ holders }) => holders.includes(LIVE))) {
        assert.isTrue((stored.find((each) => each.intentId === intentId)?.wei ?? 0n) >= wei)
      }
      const mine = stored.filter(({ holders }) => holders.includes(CLAIM)).map(({ intentId }) => intentId)
      assert.deepStrictEqual(
        [...mine, ...denied.map(({ intentId }) => intentId)].toSorted(),
        sweeps.map((_, index) => `${index}`).toSorted()
      )
      const sum = (all: ReadonlyArray<Held>) => all.reduce((total, { wei }) => total + wei, 0n)
      if (mine.length > 0) assert.isTrue(sum(stored) <= 100n)
    }
  )
})

describe("a sweep", () => {
  it("is claimed while any of its claims may still send it", () => {
    assert.isTrue(isClaimed([LIVE], NOW))
    assert.isTrue(isClaimed([KILLED, "submission", LIVE], NOW))
    assert.isTrue(isClaimed([KILLED], NOW - 1))
    for (const holders of [[], ["submission"], [KILLED], [KILLED, "submission"]]) {
      assert.isFalse(isClaimed(holders, NOW))
    }
  })
})
