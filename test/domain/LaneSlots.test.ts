import { describe, expect, it } from "@effect/vitest"
import { mayBothHold, missedNonce } from "../../src/domain/LaneSlots.ts"

describe("the missed nonce of a lane", () => {
  it("is the lowest one that no transaction has, although a later one is allocated", () => {
    expect(missedNonce({ next: 1_001n, taken: [] }, 10n)).toBe(10n)
    expect(missedNonce({ next: 14n, taken: [10n, 11n, 13n] }, 10n)).toBe(12n)
    expect(missedNonce({ next: 14n, taken: [12n, 13n], lastMined: 9n }, 10n, 2n)).toBe(10n)
  })

  it("does not exist while every allocated nonce has a transaction", () => {
    expect(missedNonce({ next: 10n, taken: [] }, 10n)).toBeUndefined()
    expect(missedNonce({ next: 12n, taken: [10n, 11n] }, 10n)).toBeUndefined()
    expect(missedNonce({ next: 5n, taken: [] }, 10n)).toBeUndefined()
  })

  it("has a slot", () => {
    const taken = Array.from({ length: 15 }, (_, index) => 10n + BigInt(index))
    expect(missedNonce({ next: 40n, taken }, 10n)).toBeUndefined()
    expect(missedNonce({ next: 40n, taken: [10n, 11n] }, 10n, 2n)).toBeUndefined()
  })

  it("is not told by a transaction count below a nonce that was mined", () => {
    expect(missedNonce({ next: 40n, taken: [39n], lastMined: 39n }, 10n)).toBeUndefined()
    expect(missedNonce({ next: 40n, taken: [10n], lastMined: 10n }, 10n)).toBe(11n)
  })
})

it("two transaction counts may both hold if one endpoint is some blocks behind", () => {
  expect(mayBothHold(10n, 10n)).toBe(true)
  expect(mayBothHold(10n, 24n)).toBe(true)
  expect(mayBothHold(24n, 10n)).toBe(true)
  expect(mayBothHold(10n, 25n)).toBe(false)
  expect(mayBothHold(1_000n, 10n)).toBe(false)
})
