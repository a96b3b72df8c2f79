import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { FailureReason } from "../../src/domain/Intent.ts"
import { type Evidence, type UnsettledCause, verdict } from "../../src/domain/SweepVerdict.ts"

const AnyCause = Schema.Union([
  Schema.TaggedStruct("Unsent", {}),
  Schema.TaggedStruct("Refused", { reason: FailureReason }),
  Schema.TaggedStruct("Ineffective", { late: Schema.Boolean }),
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

/** True if newer reads contradict the refusal. */
const isRefuted = (reason: FailureReason, { account, holdsInput }: Evidence): boolean => {
  if (reason === "insufficient_balance") return holdsInput
  return account === "ours" && ["stale_authorization", "delegation_replaced"].includes(reason)
}

const outcome = (cause: UnsettledCause, evidence: Partial<Evidence> = {}) => {
  const decided = verdict(cause, { ...nothing, ...evidence })
  if (decided._tag === "GiveUp") return `gives up: ${decided.reason}`
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

  it.prop("fails only what nothing can settle any more", [AnyCause, AnyEvidence], ([cause, evidence]) => {
    const isProved = evidence.nonce === "used_otherwise" || (evidence.nonce === "unused" && evidence.expired)
    return verdict(cause, evidence)._tag !== "Fail" || isProved
  })

  it.prop("tries again only what can still succeed and was not tried in vain", [AnyCause, AnyEvidence], (input) => {
    const [cause, evidence] = input
    if (verdict(cause, evidence)._tag !== "Retry") return true
    const isRefused = cause._tag === "Refused" && !isRefuted(cause.reason, evidence)
    return !evidence.expired && evidence.nonce === "unused" && !isRefused && cause._tag !== "Ineffective"
  })

  it("names the reason", () => {
    const noOp = { _tag: "Ineffective", late: false } as const
    const past = { expired: true } as const
    assert.strictEqual(outcome(noOp, { ...past, account: "plain" }), "stale_authorization")
    assert.strictEqual(outcome(noOp, { ...past, account: "other" }), "delegation_replaced")
    assert.strictEqual(outcome(noOp, past), "reverted")
    assert.strictEqual(outcome(noOp, { ...past, holdsInput: false }), "insufficient_balance")
    assert.strictEqual(outcome({ ...noOp, late: true }, past), "expired")
    assert.strictEqual(outcome(noOp, { nonce: "used_otherwise" }), "nonce_used")
    assert.strictEqual(outcome({ _tag: "Unsent" }, { expired: true }), "expired")
    assert.strictEqual(outcome({ _tag: "Displaced" }), "Retry")
    assert.strictEqual(outcome({ _tag: "Cancelled" }, { expired: true }), "expired")
    assert.strictEqual(outcome({ _tag: "Refused", reason: "screening_blocked" }, past), "screening_blocked")
  })

  it("gives nothing up because of an authorization that is not needed any more", () => {
    for (const reason of ["stale_authorization", "delegation_replaced"] as const) {
      const refused = { _tag: "Refused", reason } as const
      // The code was read before the account was delegated, and the nonce after that.
      assert.strictEqual(outcome(refused), "Retry")
      assert.strictEqual(outcome(refused, { expired: true }), "expired")
      assert.strictEqual(outcome(refused, { account: "plain" }), `gives up: ${reason}`)
      assert.strictEqual(outcome(refused, { account: "other" }), `gives up: ${reason}`)
      assert.strictEqual(outcome(refused, { account: "other", expired: true }), reason)
    }
    assert.strictEqual(outcome({ _tag: "Refused", reason: "simulation_failed" }), "gives up: simulation_failed")
  })

  it("gives nothing up because of a balance that the owner holds by now", () => {
    const refused = { _tag: "Refused", reason: "insufficient_balance" } as const
    for (const account of ["ours", "plain", "other"] as const) {
      assert.strictEqual(outcome(refused, { account }), "Retry")
      assert.strictEqual(outcome(refused, { account, expired: true }), "expired")
      assert.strictEqual(outcome(refused, { account, holdsInput: false }), "gives up: insufficient_balance")
    }
    assert.strictEqual(outcome(refused, { expired: true, holdsInput: false }), "insufficient_balance")
    assert.strictEqual(outcome({ _tag: "Refused", reason: "reverted" }), "gives up: reverted")
  })

  it("gives up, and does not fail, what somebody may still send", () => {
    const noOp = { _tag: "Ineffective", late: false } as const
    assert.strictEqual(outcome(noOp), "gives up: reverted")
    assert.strictEqual(outcome(noOp, { holdsInput: false }), "gives up: insufficient_balance")
    assert.strictEqual(outcome({ _tag: "Refused", reason: "simulation_failed" }), "gives up: simulation_failed")
  })
})
