import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { FailureReason } from "../../src/domain/Intent.ts"
import { type Evidence, type UnsettledCause, verdict } from "../../src/domain/SweepVerdict.ts"

const AnyCause = Schema.Union([
  Schema.TaggedStruct("Unsent", {}),
  Schema.TaggedStruct("Refused", { reason: FailureReason }),
  Schema.TaggedStruct("Ineffective", { status: Schema.Literals(["success", "reverted"]), late: Schema.Boolean }),
  Schema.TaggedStruct("Cancelled", {}),
  Schema.TaggedStruct("Displaced", {})
])

const AnyEvidence = Schema.Struct({
  settlement: Schema.Literals(["none", "recent", "final"]),
  nonce: Schema.Literals(["unused", "spender_unseen", "used_otherwise"]),
  expired: Schema.Boolean,
  account: Schema.Literals(["ours", "plain", "other"]),
  holdsInput: Schema.Boolean
})

const nothing: Evidence = {
  settlement: "none",
  nonce: "unused",
  expired: false,
  account: "ours",
  holdsInput: true
}

const outcome = (cause: UnsettledCause, evidence: Partial<Evidence> = {}) => {
  const decided = verdict(cause, { ...nothing, ...evidence })
  return decided._tag === "Fail" ? decided.reason : decided._tag
}

describe("the verdict on an intent", () => {
  it.prop("settles exactly where a settlement is final", [AnyCause, AnyEvidence], ([cause, evidence]) => {
    return (verdict(cause, evidence)._tag === "Settle") === (evidence.settlement === "final")
  })

  it.prop("never fails while a settlement stands anywhere", [AnyCause, AnyEvidence], ([cause, evidence]) => {
    return evidence.settlement === "none" || verdict(cause, evidence)._tag !== "Fail"
  })

  it.prop("never fails while it is not seen who spent the nonce", [AnyCause, AnyEvidence], ([cause, evidence]) => {
    return evidence.nonce !== "spender_unseen" || verdict(cause, evidence)._tag !== "Fail"
  })

  it.prop("tries again only what can still succeed and was not tried in vain", [AnyCause, AnyEvidence], (input) => {
    const [cause, evidence] = input
    if (verdict(cause, evidence)._tag !== "Retry") return true
    return !evidence.expired && evidence.nonce === "unused" && cause._tag !== "Refused" && cause._tag !== "Ineffective"
  })

  it("names the reason", () => {
    const noOp = { _tag: "Ineffective", status: "success", late: false } as const
    const revert = { _tag: "Ineffective", status: "reverted", late: false } as const
    assert.strictEqual(outcome(noOp, { account: "plain" }), "stale_authorization")
    assert.strictEqual(outcome(noOp, { account: "other" }), "delegation_replaced")
    assert.strictEqual(outcome(noOp), "reverted")
    assert.strictEqual(outcome(revert), "reverted")
    assert.strictEqual(outcome(revert, { holdsInput: false }), "insufficient_balance")
    assert.strictEqual(outcome({ ...revert, late: true }), "expired")
    assert.strictEqual(outcome(revert, { nonce: "used_otherwise" }), "nonce_used")
    assert.strictEqual(outcome({ _tag: "Unsent" }, { expired: true }), "expired")
    assert.strictEqual(outcome({ _tag: "Displaced" }), "Retry")
    assert.strictEqual(outcome({ _tag: "Cancelled" }, { expired: true }), "expired")
    assert.strictEqual(outcome({ _tag: "Refused", reason: "screening_blocked" }), "screening_blocked")
  })
})
