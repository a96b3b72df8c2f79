import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import {
  afterAttempt,
  type AlertFacts,
  alertReference,
  dueNotice,
  END_MILLIS,
  isFailing,
  LONGEST_RETRY_MILLIS,
  noticeId,
  type NoticeReason,
  type NoticeRules,
  type Told,
  UNTOLD
} from "../../src/domain/AlertNotice.ts"

const MINUTE = 60_000
const FIRST: NoticeRules = { isEscalation: false, escalationMillis: 15 * MINUTE, repeatMillis: 60 * MINUTE }
const SECOND: NoticeRules = { ...FIRST, isEscalation: true }

const critical: AlertFacts = { severity: "critical", sinceMs: 0 }
const warning: AlertFacts = { severity: "warning", sinceMs: 0 }

const accept = (alert: AlertFacts, told: Told, reason: NoticeReason, atMs: number) =>
  afterAttempt(alert, told, { reason, isAccepted: true, atMs, random: 0 })
const refuse = (alert: AlertFacts, told: Told, reason: NoticeReason, atMs: number, random = 0) =>
  afterAttempt(alert, told, { reason, isAccepted: false, atMs, random })

const Minutes = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 300 }))
const Severity = Schema.Literals(["warning", "critical"])

/** Accepted notices about an alert that is looked at every minute. Some attempts fail. */
const heard = (
  alert: (minute: number) => AlertFacts,
  rules: NoticeRules,
  minutes: number,
  fails: (minute: number) => boolean = () => false
) => {
  let told: Told | undefined
  const notices: Array<readonly [number, NoticeReason]> = []
  for (let minute = 0; minute <= minutes; minute += 1) {
    const facts = alert(minute)
    const atMs = minute * MINUTE
    const reason = dueNotice(facts, told, rules, atMs)
    if (reason === undefined) continue
    const isAccepted = !fails(minute)
    if (isAccepted) notices.push([minute, reason])
    told = afterAttempt(facts, told ?? UNTOLD, { reason, isAccepted, atMs, random: 1 })
  }
  return notices
}

describe("notices about alerts", () => {
  it("a destination hears of an alert at once, every hour, and of its end", () => {
    const cleared = (minute: number): AlertFacts => (minute < 130 ? warning : { ...warning, clearedAtMs: 130 * MINUTE })
    assert.deepStrictEqual(heard(cleared, FIRST, 300), [
      [0, "raised"],
      [60, "repeated"],
      [120, "repeated"],
      [130, "resolved"]
    ])
    assert.deepStrictEqual(heard(cleared, { ...FIRST, repeatMillis: 0 }, 300), [
      [0, "raised"],
      [130, "resolved"]
    ])
  })

  it("a destination of the second rank hears of critical alerts that stand", () => {
    assert.deepStrictEqual(
      heard(() => warning, SECOND, 300),
      []
    )
    assert.deepStrictEqual(
      heard(() => critical, SECOND, 80),
      [
        [15, "escalated"],
        [75, "repeated"]
      ]
    )
    const early = (minute: number): AlertFacts => (minute < 14 ? critical : { ...critical, clearedAtMs: 14 * MINUTE })
    assert.deepStrictEqual(heard(early, SECOND, 300), [])
  })

  it("a warning that becomes critical is told at once", () => {
    const worsening = (minute: number) => (minute < 20 ? warning : critical)
    assert.deepStrictEqual(heard(worsening, FIRST, 30), [
      [0, "raised"],
      [20, "worsened"]
    ])
  })

  it("the end is told also after an attempt without an outcome, and never alone", () => {
    const cleared = { ...critical, clearedAtMs: 5 }
    assert.isUndefined(dueNotice(cleared, undefined, FIRST, 6))
    assert.strictEqual(dueNotice(cleared, UNTOLD, FIRST, 6), "resolved")
    const told = accept(cleared, UNTOLD, "resolved", 6)
    assert.isTrue(told.isClosed)
    assert.isUndefined(dueNotice(cleared, told, FIRST, 7))
  })

  it("an end that nobody takes is given up after a day", () => {
    const cleared = { ...critical, clearedAtMs: 0 }
    assert.isFalse(refuse(cleared, UNTOLD, "resolved", END_MILLIS - 1).isClosed)
    assert.isTrue(refuse(cleared, UNTOLD, "resolved", END_MILLIS).isClosed)
    assert.isFalse(refuse(critical, UNTOLD, "raised", END_MILLIS).isClosed)
  })

  it.prop(
    "a destination that recovers hears of a critical alert within a minute",
    [Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2_000 })), Minutes],
    ([failures, percent]) => {
      const told = refuse(critical, { ...UNTOLD, failures }, "raised", 1_000, Math.min(1, percent / 100))
      assert.strictEqual(told.failures, failures + 1)
      const wait = (told.retryMs ?? 0) - 1_000
      assert.isAtLeast(wait, 2_000)
      assert.isAtMost(wait, LONGEST_RETRY_MILLIS * 1.1)
      assert.isBelow(wait, MINUTE)
      assert.isUndefined(dueNotice(critical, told, FIRST, 1_000 + wait - 1))
      assert.strictEqual(dueNotice(critical, told, FIRST, 1_000 + wait), "raised")
    }
  )

  it.prop(
    "whatever fails: at most one beginning, nothing after the end, and pauses between repetitions",
    [Severity, Minutes, Minutes, Schema.Boolean, Schema.UniqueArray(Minutes)],
    ([severity, raised, cleared, isEscalation, failing]) => {
      const rules = isEscalation ? SECOND : FIRST
      const notices = heard(
        (minute) => ({
          severity,
          sinceMs: raised * MINUTE,
          ...(minute >= raised + cleared ? { clearedAtMs: (raised + cleared) * MINUTE } : {})
        }),
        rules,
        900,
        (minute) => failing.includes(minute)
      )
      const reasons = notices.map(([, reason]) => reason)
      assert.isAtMost(reasons.filter((reason) => reason === "raised" || reason === "escalated").length, 1)
      const end = reasons.indexOf("resolved")
      if (end >= 0) assert.strictEqual(end, reasons.length - 1)
      else if (reasons.length > 0) assert.fail("an alert that was told has no end")
      const repeated = notices.filter(([, reason]) => reason !== "resolved").map(([minute]) => minute)
      for (const [at, minute] of repeated.entries()) {
        if (at > 0) assert.isAtLeast(minute - (repeated[at - 1] ?? 0), 60)
      }
      if (isEscalation && severity === "warning") assert.isEmpty(notices)
    }
  )

  it("attempts of one notice have one id, and no two notices share it", () => {
    const reference = alertReference("orchestrator", "7", 1_767_225_600_000)
    const failed = refuse(critical, UNTOLD, "raised", 0)
    assert.strictEqual(noticeId(reference, "slack", UNTOLD, "raised"), noticeId(reference, "slack", failed, "raised"))
    const after = accept(critical, failed, "raised", 5)
    const ids = [
      noticeId(reference, "slack", UNTOLD, "raised"),
      noticeId(reference, "slack", UNTOLD, "resolved"),
      noticeId(reference, "webhook", UNTOLD, "raised"),
      noticeId(reference, "slack", after, "repeated"),
      noticeId(alertReference("builder-backend", "7", 1_767_225_600_000), "slack", UNTOLD, "raised")
    ]
    assert.strictEqual(new Set(ids).size, ids.length)
  })

  it("a destination fails after three refusals in a row", () => {
    const twice = refuse(critical, refuse(critical, UNTOLD, "raised", 0), "raised", 0)
    assert.isFalse(isFailing([undefined, twice]))
    const thrice = refuse(critical, twice, "raised", 0)
    assert.isTrue(isFailing([undefined, thrice]))
    assert.isFalse(isFailing([accept(critical, thrice, "raised", 0)]))
  })
})
