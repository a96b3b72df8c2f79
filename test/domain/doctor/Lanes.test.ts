/** The judgements of doctor about the lanes. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as Address from "../../../src/domain/Address.ts"
import type { Finding } from "../../../src/domain/doctor/Finding.ts"
import * as Lanes from "../../../src/domain/doctor/Lanes.ts"
import type { LaneState } from "../../../src/domain/LaneState.ts"

const codes = (findings: ReadonlyArray<Finding>) => findings.map(({ code }) => code)

const LANE: Lanes.LaneFacts = {
  chain: "base",
  symbol: "ETH",
  address: Address.of("0x1111111111111111111111111111111111111111"),
  balance: 10n ** 18n,
  code: "0x",
  count: 5n,
  highestNonce: 4n,
  isHistoryKnown: true,
  minimum: 10n ** 16n,
  spentInDay: 10n ** 16n,
  lanes: 2,
  gasPrice: 10n ** 9n,
  isPublicChain: true
}

describe("a lane", () => {
  const natural = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 50 }))

  it("that is well has one finding", () => assert.deepStrictEqual(codes(Lanes.judge(LANE)), ["lane_ok"]))

  it.each<[string, Partial<Lanes.LaneFacts>]>([
    ["lane_below_minimum", { balance: 1n }],
    ["lane_low", { spentInDay: 10n ** 19n }],
    ["lane_has_code", { code: `0xef0100${"11".repeat(20)}` }],
    ["lane_foreign_nonces", { count: 6n }],
    ["lane_foreign_nonces", { highestNonce: undefined }],
    ["lane_key_public", { address: Address.of("0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266") }]
  ])("has the finding %s", (code, change) => assert.deepStrictEqual(codes(Lanes.judge({ ...LANE, ...change })), [code]))

  it("needs its minimum also while it is drained, and no more than that", () => {
    const drained = { ...LANE, state: "draining" } as const
    assert.deepStrictEqual(codes(Lanes.judge({ ...drained, balance: 1n })), ["lane_below_minimum"])
    assert.deepStrictEqual(codes(Lanes.judge({ ...drained, spentInDay: 10n ** 19n })), ["lane_unused"])
    assert.deepStrictEqual(codes(Lanes.judge({ ...LANE, state: "retired", balance: 0n })), ["lane_unused"])
  })

  it("must be active on a chain, as far as the database is known", () => {
    const lanes = (...states: ReadonlyArray<LaneState>) =>
      codes(Lanes.judgeChain({ chain: "base", states, isHistoryKnown: true }))
    assert.deepStrictEqual(lanes("draining", "retired"), ["lane_none_active"])
    assert.deepStrictEqual(lanes("retired", "active"), [])
    // Keys that cannot be used have findings of their own.
    assert.deepStrictEqual(lanes(), [])
    assert.deepStrictEqual(Lanes.judgeChain({ chain: "base", states: ["retired"], isHistoryKnown: false }), [])
  })

  it("is not said to be foreign without a database", () =>
    assert.deepStrictEqual(codes(Lanes.judge({ ...LANE, highestNonce: undefined, isHistoryKnown: false })), [
      "lane_ok"
    ]))

  it.prop("lasts longer with more money, and shorter with more spending", [natural, natural, natural], ([a, b, c]) => {
    const facts = { ...LANE, balance: BigInt(a) * 10n ** 6n, spentInDay: BigInt(b) + 2n, minimum: BigInt(c) }
    const hours = Lanes.runwayHours(facts) ?? Number.NaN
    assert.isAtLeast(hours, 0)
    assert.isAtLeast(Lanes.runwayHours({ ...facts, balance: facts.balance + 10n ** 9n }) ?? -1, hours)
    assert.isAtMost(Lanes.runwayHours({ ...facts, spentInDay: facts.spentInDay * 2n }) ?? Number.NaN, hours)
    assert.strictEqual(Lanes.runwayHours({ ...facts, balance: facts.minimum }), 0)
  })

  it("lasts for ever where gas costs nothing", () =>
    assert.strictEqual(Lanes.runwayHours({ ...LANE, spentInDay: 0n, gasPrice: 0n }), undefined))

  it.prop("shows amounts that are rounded down to six places", [natural], ([micro]) => {
    const shown = Lanes.coins(BigInt(micro) * 10n ** 12n + 999_999_999_999n)
    assert.match(shown, /^\d+(\.\d{0,5}[1-9])?$/)
    const [whole = "", part = ""] = shown.split(".")
    assert.strictEqual(BigInt(whole + part.padEnd(6, "0")), BigInt(micro))
  })
})
