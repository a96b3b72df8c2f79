import { assert, describe, it } from "@effect/vitest"
import * as ShrunkCopies from "../../../src/adapters/screening/ShrunkCopies.ts"
import * as FakeChain from "../../support/FakeChain.ts"

const HOUR = 3_600_000

/** A copy with the first `size` addresses. */
const copy = (size: number, madeAt: number | undefined): ShrunkCopies.Copy => ({
  list: {
    addresses: new Set(Array.from({ length: size }, (_, index) => FakeChain.address(index + 1))),
    publishedOn: undefined
  },
  madeAt
})

/** True if copies that were read at these hours, and made then unless the third value says otherwise, confirm the last one. */
const confirms = (...copies: ReadonlyArray<readonly [hour: number, size: number, madeAtHour?: number]>): boolean => {
  let shrunk: ShrunkCopies.Shrunk | undefined
  let now = 0
  for (const [hour, size, madeAtHour = hour] of copies) {
    now = hour * HOUR
    shrunk = ShrunkCopies.after(shrunk, copy(size, madeAtHour * HOUR), now, 20)
  }
  return shrunk !== undefined && ShrunkCopies.isConfirmed(shrunk, now)
}

describe("copies that lack too many addresses", () => {
  it("are confirmed by one that is made a day later", () => {
    assert.isTrue(confirms([0, 10], [24, 10]))
    assert.isFalse(confirms([0, 10], [23, 10]))
    assert.isFalse(confirms([0, 10]))
  })

  it("are not confirmed by one that was made less than a day after the first", () => {
    assert.isFalse(confirms([0, 10], [1, 10, 1], [24, 10, 1]))
    assert.isTrue(confirms([0, 10, -24], [24, 10, 0]))
  })

  it("agree with the first of them as well as with the one before, so that they cannot shrink in steps", () => {
    assert.isTrue(confirms([0, 10], [12, 9], [24, 8]))
    assert.isFalse(confirms([0, 10], [8, 9], [16, 8], [24, 7]))
    assert.isFalse(confirms([0, 10], [12, 14], [24, 10]))
    assert.isTrue(confirms([0, 10], [8, 9], [16, 7], [40, 7]))
  })
})
