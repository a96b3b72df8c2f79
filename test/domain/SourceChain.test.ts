import { assert, describe, it } from "@effect/vitest"
import { Option, Schema } from "effect"
import * as SourceChain from "../../src/domain/SourceChain.ts"

const chain = (chainId: number, tokenExists: boolean, balance: bigint): SourceChain.Candidate => ({
  chainId,
  tokenExists,
  balance
})

describe("SourceChain", () => {
  it("takes the only chain where the token exists, whatever the owner holds", () => {
    assert.deepStrictEqual(
      SourceChain.fromFacts([chain(1, false, 0n), chain(2, true, 0n)], 10n, undefined),
      Option.some(2)
    )
  })

  it("takes the only chain where the owner holds the amount", () => {
    assert.deepStrictEqual(SourceChain.fromFacts([chain(1, true, 9n), chain(2, true, 10n)], 10n, 1), Option.some(2))
  })

  it("falls back to the default where several chains qualify, if the token is there", () => {
    const both = [chain(1, true, 10n), chain(2, true, 10n)]
    assert.deepStrictEqual(SourceChain.fromFacts(both, 10n, 2), Option.some(2))
    assert.deepStrictEqual(SourceChain.fromFacts(both, 10n, undefined), Option.none())
    assert.deepStrictEqual(SourceChain.fromFacts([...both, chain(3, false, 0n)], 10n, 3), Option.none())
  })

  it.prop(
    "never chooses a chain without the token",
    [Schema.Array(Schema.Tuple([Schema.Boolean, Schema.Int])), Schema.Int],
    ([facts, amount]) => {
      const candidates = facts.map(([exists, balance], index) => chain(index + 1, exists, BigInt(Math.abs(balance))))
      const chosen = SourceChain.fromFacts(candidates, BigInt(Math.abs(amount)), 1)
      return (
        Option.isNone(chosen) ||
        candidates.some((candidate) => candidate.chainId === chosen.value && candidate.tokenExists)
      )
    }
  )
})
