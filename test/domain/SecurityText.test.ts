/** `security.txt` (RFC 9116): contacts in order, an end within a year that moves once a day, and nothing else. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import * as SecurityText from "../../src/domain/SecurityText.ts"

const DAY = 86_400_000

/** Times from 1970 to 2100, in milliseconds. */
const Time = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4_102_444_800_000 }))

const TimeOfDay = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: DAY - 1 }))

const contacts = ["mailto:security@example.com", "https://example.com/report"] as const

const expiresAt = (now: number): number => {
  const line = SecurityText.lines({ contacts: [...contacts] }, now).find((each) => each.startsWith("Expires: "))
  return Date.parse(line?.slice("Expires: ".length) ?? "")
}

describe("SecurityText.lines", () => {
  it("has the contacts in their order, then the end and the policy", () => {
    const at = Date.parse("2026-11-23T22:15:30Z")
    const policyUrl = "https://example.com/policy"
    assert.deepStrictEqual(SecurityText.lines({ contacts: [...contacts], policyUrl }, at), [
      "Contact: mailto:security@example.com",
      "Contact: https://example.com/report",
      "Expires: 2027-05-22T00:00:00Z",
      "Policy: https://example.com/policy"
    ])
  })

  it.prop("ends after more than 179 days and at most 180, for every time", [Time], ([now]) => {
    const left = expiresAt(now) - now
    assert.isAbove(left, 179 * DAY)
    assert.isAtMost(left, 180 * DAY)
  })

  it.prop("is the same on all replicas for a day, and another one on the next", [Time, TimeOfDay], ([now, later]) => {
    const start = now - (now % DAY)
    assert.strictEqual(expiresAt(start + later), expiresAt(start))
    assert.strictEqual(expiresAt(start + DAY) - expiresAt(start), DAY)
  })
})
