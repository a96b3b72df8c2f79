/** Relative times, conclusions of payout batches, and lists that are read page by page. */
import { assert, describe, it } from "@effect/vitest"
import { payoutEnd } from "../../src/web/admin/payoutEnd.ts"
import { everyPage } from "../../src/web/api/everyPage.ts"
import { ago, onDate } from "../../src/web/lib/time.ts"

const SECOND = 1_000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

describe("a time", () => {
  const now = Date.UTC(2026, 2, 1, 12)
  const at = (millis: number) => ago(now + millis, now)

  it("of the past is told in whole units that have passed", () => {
    assert.strictEqual(at(-59 * SECOND), "just now")
    assert.strictEqual(at(-MINUTE), "1 minute ago")
    assert.strictEqual(at(-2 * HOUR - 59 * MINUTE), "2 hours ago")
    assert.strictEqual(at(-DAY), "yesterday")
    assert.strictEqual(at(-31 * DAY), onDate(now - 31 * DAY))
  })

  it("of the future is told as such, except for the next minute", () => {
    assert.strictEqual(at(0), "just now")
    assert.strictEqual(at(MINUTE), "just now")
    assert.strictEqual(at(MINUTE + 1), "in 1 minute")
    assert.strictEqual(at(3 * HOUR), "in 3 hours")
    assert.strictEqual(at(3 * HOUR - SECOND), "in 3 hours")
    assert.strictEqual(at(2 * HOUR + 20 * MINUTE), "in 2 hours")
    assert.strictEqual(at(DAY), "tomorrow")
    assert.strictEqual(at(31 * DAY), onDate(now + 31 * DAY))
  })
})

describe("the conclusion of a payout batch", () => {
  const hash = `0x${"ab".repeat(32)}` as const

  it("is of the kind that was asked for, whatever the text is", () => {
    assert.deepStrictEqual(payoutEnd("paid", hash), { txHash: hash })
    assert.isUndefined(payoutEnd("paid", "no hash"))
    assert.deepStrictEqual(payoutEnd("failed", hash), { reason: hash })
    assert.deepStrictEqual(payoutEnd("failed", "rejected"), { reason: "rejected" })
    assert.isUndefined(payoutEnd("failed", "  "))
  })
})

describe("a list that is read page by page", () => {
  const list = [1, 2, 3, 4, 5]
  const ask = (cursor = "0") => {
    const from = Number(cursor)
    const next = from + 2
    return Promise.resolve({
      rows: list.slice(from, next),
      nextCursor: next < list.length ? String(next) : undefined
    })
  }

  it("says if it has more rows than the maximum, which it never exceeds", async () => {
    assert.deepStrictEqual(await everyPage(2, ask), { rows: [1, 2], isCut: true })
    assert.deepStrictEqual(await everyPage(3, ask), { rows: [1, 2, 3], isCut: true })
    assert.deepStrictEqual(await everyPage(5, ask), { rows: list, isCut: false })
    assert.deepStrictEqual(await everyPage(100, ask), { rows: list, isCut: false })
  })
})
