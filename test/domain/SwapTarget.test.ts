import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  expiryMillis,
  NamedTarget,
  NOTICE_MILLIS,
  stateOf,
  type TargetListing,
  withoutSuccessor
} from "../../src/domain/SwapTarget.ts"
import { address } from "../support/FakeChain.ts"

const END = "2026-10-26T12:00:00Z"
const END_MS = Date.parse(END)
const old: NamedTarget = { address: address(0x01), kind: "bridge", name: "relay", expiresAt: END }
const successor: NamedTarget = { address: address(0x02), kind: "bridge", name: "relay" }

const listed = ({ address: target, kind }: NamedTarget): TargetListing => ({ address: target, activeFrom: 1n, kind })

const proposed = ({ address: target }: NamedTarget): TargetListing => ({ address: target, activeFrom: 1n })

const unlisted = ({ address: target }: NamedTarget): TargetListing => ({ address: target, activeFrom: 0n })

const dueOf = (targets: ReadonlyArray<NamedTarget>, listings: ReadonlyArray<TargetListing>, nowMs: number) =>
  withoutSuccessor(targets, listings, nowMs).map(({ address: target }) => target)

describe("the state of a target", () => {
  it("follows the guard's list, the timelock and the operator's end", () => {
    const at = (nowMs: number, listing = listed(old)) => stateOf(listing, old, nowMs)
    assert.strictEqual(at(END_MS, unlisted(old)), "unlisted")
    assert.strictEqual(at(END_MS, proposed(old)), "proposed")
    assert.strictEqual(at(END_MS - NOTICE_MILLIS - 1), "listed")
    assert.strictEqual(at(END_MS - NOTICE_MILLIS), "expiring")
    assert.strictEqual(at(END_MS), "expired")
    assert.strictEqual(stateOf(listed(successor), successor, END_MS * 2), "listed")
  })

  it.prop(
    "is callable only if the guard says that it is active, whatever end the operator sets",
    [Schema.Boolean, Schema.Boolean, Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 42 }))],
    ([isListed, isActive, nowMs]) => {
      const listing = !isListed ? unlisted(old) : isActive ? listed(old) : proposed(old)
      const isCallable = ["listed", "expiring", "expired"].includes(stateOf(listing, old, nowMs))
      assert.strictEqual(isCallable, isListed && isActive)
    }
  )
})

describe("a target without a successor", () => {
  const soon = END_MS - NOTICE_MILLIS

  it("is named ahead of its end, and after it", () => {
    assert.deepStrictEqual(dueOf([old], [listed(old)], soon - 1), [])
    assert.deepStrictEqual(dueOf([old], [listed(old)], soon), [old.address])
    assert.deepStrictEqual(dueOf([old], [listed(old)], END_MS + 1), [old.address])
  })

  it("is not named once an active target of its name and kind lasts longer", () => {
    assert.deepStrictEqual(dueOf([old, successor], [listed(old), listed(successor)], soon), [])
    const later = { ...successor, expiresAt: "2027-10-26" }
    assert.deepStrictEqual(dueOf([old, later], [listed(old), listed(later)], soon), [])
  })

  it("is named while its successor is not listed, waits, serves another purpose or ends no later", () => {
    assert.deepStrictEqual(dueOf([old, successor], [listed(old), unlisted(successor)], soon), [old.address])
    assert.deepStrictEqual(dueOf([old, successor], [listed(old), proposed(successor)], soon), [old.address])
    for (const other of [
      { ...successor, name: "across" },
      { ...successor, kind: "router" as const }
    ]) {
      assert.deepStrictEqual(dueOf([old, other], [listed(old), listed(other)], soon), [old.address])
    }
    const together = { ...successor, expiresAt: END }
    assert.deepStrictEqual(dueOf([old, together], [listed(old), listed(together)], soon), [
      old.address,
      together.address
    ])
  })

  it("is not named once it is removed from the list, or not known to the guard", () => {
    assert.deepStrictEqual(dueOf([old], [unlisted(old)], END_MS + 1), [])
    assert.deepStrictEqual(dueOf([old], [], END_MS + 1), [])
  })
})

describe("an end", () => {
  it("is a date in UTC", () => {
    assert.strictEqual(expiryMillis({ expiresAt: "2026-10-26" }), Date.UTC(2026, 9, 26))
    assert.isTrue(Schema.is(NamedTarget)(old))
    for (const expiresAt of ["tomorrow", "2026-13-01", "2026-10-26T12:00:00", "1792108800"]) {
      assert.isFalse(Schema.is(NamedTarget)({ ...old, expiresAt }), expiresAt)
    }
  })
})
