import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as TokenVerdict from "../../src/domain/TokenVerdict.ts"

const Danger = Schema.Literals(["none", "suspicious", "trap", "unknown"])
const Opinion = Schema.Struct({
  source: Schema.Literals(["a", "b", "c"]),
  danger: Danger,
  reasons: Schema.Array(Schema.Literals(["x", "y"]))
})
const TaxBps = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))
const Trial = Schema.Union([
  Schema.TaggedStruct("Unproven", {}),
  Schema.TaggedStruct("Trapped", { at: Schema.Literals(["buy", "transfer", "sell"]) }),
  Schema.TaggedStruct("Sold", { taxes: Schema.Struct({ buyBps: TaxBps, transferBps: TaxBps, sellBps: TaxBps }) })
])
const Opinions = Schema.Array(Opinion)

const UNPROVEN = { _tag: "Unproven" } as const
const NO_TAX = { buyBps: 0, transferBps: 0, sellBps: 0 }
const SOLD = { _tag: "Sold", taxes: NO_TAX } as const
const trap = (source: string): TokenVerdict.Opinion => ({ source, danger: "trap", reasons: ["is_honeypot"] })
const outcome = (opinions: ReadonlyArray<TokenVerdict.Opinion>, trial: TokenVerdict.Trial) => {
  const verdict = TokenVerdict.verdictOf(opinions, trial)
  return verdict._tag === "Declined" ? "declined" : verdict.leastTier
}

describe("TokenVerdict.verdictOf", () => {
  it.prop("is not changed by silence", [Opinions, Trial], ([opinions, trial]) => {
    const silent: TokenVerdict.Opinion = { source: "silent", danger: "unknown", reasons: [] }
    assert.deepStrictEqual(
      TokenVerdict.verdictOf([...opinions, silent], trial),
      TokenVerdict.verdictOf(opinions, trial)
    )
  })

  it.prop("never gets better by a worse opinion", [Opinions, Trial, Opinion], ([opinions, trial, more]) => {
    const order = ["tier1", "tier3", "declined"]
    assert.isAtLeast(order.indexOf(outcome([...opinions, more], trial)), order.indexOf(outcome(opinions, trial)))
  })

  it.prop("never declines for one service without proof", [Danger, Schema.Array(Danger)], ([first, others]) => {
    const opinions = [first, ...others].map((danger) => ({ source: "a", danger, reasons: [] }))
    assert.notStrictEqual(outcome(opinions, UNPROVEN), "declined")
    assert.notStrictEqual(outcome(opinions, SOLD), "declined")
  })

  it.prop("always declines what is proven to be a trap", [Opinions], ([opinions]) => {
    assert.strictEqual(outcome(opinions, { _tag: "Trapped", at: "sell" }), "declined")
    assert.strictEqual(outcome(opinions, { _tag: "Sold", taxes: { ...NO_TAX, sellBps: 5_000 } }), "declined")
  })

  it("declines when two services agree, and raises the tier for one", () => {
    assert.strictEqual(outcome([trap("a"), trap("b")], SOLD), "declined")
    assert.strictEqual(outcome([trap("a")], SOLD), "tier3")
    assert.strictEqual(outcome([trap("a"), { source: "b", danger: "none", reasons: [] }], UNPROVEN), "tier3")
  })

  it("raises the tier for a tax, and not for the market's differences", () => {
    assert.strictEqual(outcome([], { _tag: "Sold", taxes: { ...NO_TAX, transferBps: 200 } }), "tier3")
    assert.strictEqual(outcome([], { _tag: "Sold", taxes: { ...NO_TAX, transferBps: 199 } }), "tier1")
    assert.strictEqual(outcome([], UNPROVEN), "tier1")
  })

  it("names the source of each reason", () => {
    assert.deepStrictEqual(TokenVerdict.verdictOf([trap("a"), trap("b")], { _tag: "Trapped", at: "sell" }).reasons, [
      "trial:sell_fails",
      "a:is_honeypot",
      "b:is_honeypot"
    ])
  })
})
