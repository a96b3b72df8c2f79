import { assert, it } from "@effect/vitest"
import { endedEarly } from "../../src/domain/UnpaidSweeps.ts"

/** 21,000 of the transaction, 40 of its calldata, and 12,500 of an authorization that was refunded. */
const OWN = 33_540n
const of = (executed: bigint, isWordUnused = false) =>
  endedEarly({ gasUsed: OWN + executed, data: "0x0000ffff", authorizations: 1, isWordUnused })

it("a transaction ended early if it used less gas than a sweep needs before it pays", () => {
  for (const executed of [0n, 20_000n, 35_999n]) assert.isTrue(of(executed), String(executed))
  for (const executed of [36_000n, 53_099n, 150_000n]) assert.isFalse(of(executed), String(executed))
})

it("the first nonce of a word costs the guard more, so more gas proves the same", () => {
  assert.isTrue(of(53_099n, true))
  assert.isFalse(of(53_100n, true))
})

it("a receipt with less gas than a transaction costs proves nothing", () => {
  assert.isFalse(of(-1n))
})
