import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { type LaneView, missing, unconfirmed } from "../../src/domain/LostTransactions.ts"
import * as Arbitraries from "./Arbitraries.ts"

const view = (changes: Partial<LaneView>): LaneView => ({
  lane: Arbitraries.address(1n),
  first: 10n,
  used: 15n,
  pending: 15n,
  known: [],
  unseen: [],
  ...changes
})

describe("forgotten nonces", () => {
  it("are those that the chain used and the database does not have, newest first", () => {
    const known = [{ nonce: 13n, isMined: true, blockNumber: 70n }]
    assert.deepStrictEqual(missing(view({ known })), [
      { nonce: 14n },
      { nonce: 12n, notAfter: 70n },
      { nonce: 11n, notAfter: 70n },
      { nonce: 10n, notAfter: 70n }
    ])
  })

  it("include nonces whose own transaction the database did not find", () => {
    const known = [{ nonce: 14n, isMined: false }]
    assert.deepStrictEqual(
      missing(view({ known, first: 14n, unseen: [9n, 3n, 20n] })).map(({ nonce }) => nonce),
      [14n, 9n, 3n]
    )
  })

  it("are not confirmed while a transaction that the database does not have waits", () => {
    const known = [{ nonce: 16n, isMined: false }]
    assert.strictEqual(unconfirmed(view({ pending: 18n, known })), 2)
    assert.strictEqual(unconfirmed(view({})), 0)
  })

  const Nonce = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 12n }))
  it.effect.prop(
    "and known ones are together every used nonce, each once",
    [Nonce, Nonce, Schema.Array(Schema.Tuple([Nonce, Schema.Boolean])).check(Schema.isMaxLength(12))],
    ([first, used, rows]) =>
      Effect.sync(() => {
        const known = [...new Map(rows)].map(([nonce, isMined]) => ({ nonce, isMined }))
        const found = missing(view({ first, used, known })).map(({ nonce }) => nonce)
        const expected = Array.from({ length: Number(used) }, (_, index) => BigInt(index)).filter(
          (nonce) => nonce >= first && !known.some((each) => each.nonce === nonce && each.isMined)
        )
        assert.deepStrictEqual(found.toReversed(), expected)
      })
  )
})
