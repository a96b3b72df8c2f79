import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import { bound, firstUnused, guardPart, guardPartOf, indexOf, position } from "../../src/domain/OrderNonce.ts"
import { of } from "../../src/domain/Address.ts"
import * as Arbitraries from "./Arbitraries.ts"

const isUsed = (nonce: bigint, bitmap: bigint) => (bitmap & position(nonce).mask) !== 0n

describe("position", () => {
  it.prop("gives every nonce a bit of its own", [Arbitraries.Uint64, Arbitraries.Uint64], ([a, b]) => {
    const [first, second] = [position(a), position(b)]
    expect(first.word === second.word && first.mask === second.mask).toBe(a === b)
    expect(first.mask > 0n && first.mask < 2n ** 256n && (first.mask & (first.mask - 1n)) === 0n).toBe(true)
  })

  it("puts 256 nonces into a word", () => {
    expect(position(0n)).toEqual({ word: 0n, mask: 1n })
    expect(position(255n)).toEqual({ word: 0n, mask: 1n << 255n })
    expect(position(256n)).toEqual({ word: 1n, mask: 1n })
  })
})

describe("a bound nonce", () => {
  it.prop(
    "has its guard and its index, and the guard's words to itself",
    [Arbitraries.Uint64, Arbitraries.Uint64],
    ([a, b]) => {
      const guards = [Arbitraries.address(a), Arbitraries.address(2n ** 64n)] as const
      const nonce = bound(guards[0], b)
      expect(guardPartOf(nonce)).toBe(guardPart(guards[0]))
      expect(indexOf(nonce)).toBe(b)
      expect(position(nonce).word >> 120n).toBe(guardPart(guards[0]))
      expect(guardPartOf(bound(guards[1], b))).not.toBe(guardPartOf(nonce))
    }
  )

  it("keeps the lower 128 bits of the guard's address, as the guard does", () => {
    const guard = of("0x1234567890abcdef1234567890abcdef12345678")
    expect(bound(guard, 5n)).toBe(0x90abcdef1234567890abcdef1234567800000000000000000000000000000005n)
  })
})

describe("firstUnused", () => {
  it("is the nonce itself while its bit is clear, and the next word's first when the rest is used up", () => {
    expect(firstUnused(0n, 0n)).toBe(0n)
    expect(firstUnused(300n, 0n)).toBe(300n)
    expect(firstUnused(0n, 0b1011n)).toBe(2n)
    expect(firstUnused(256n, 2n ** 256n - 1n)).toBe(512n)
    expect(firstUnused(255n, 1n << 255n)).toBe(256n)
  })

  const Offset = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 255n }))

  it.prop(
    "skips used nonces alone, and stays within the word or goes to the next",
    [Arbitraries.Uint64, Offset, Arbitraries.Uint256],
    ([word, offset, bitmap]) => {
      const from = word * 256n + offset
      const found = firstUnused(from, bitmap)
      const end = (word + 1n) * 256n
      expect(found >= from && found <= end).toBe(true)
      expect(found === end || !isUsed(found, bitmap)).toBe(true)
      for (let nonce = from; nonce < found; nonce++) expect(isUsed(nonce, bitmap)).toBe(true)
    }
  )
})
