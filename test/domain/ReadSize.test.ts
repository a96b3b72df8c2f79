import { describe, expect, it } from "@effect/vitest"
import { Schema } from "effect"
import * as ReadSize from "../../src/domain/ReadSize.ts"

/** Events: calls of this many reads that were answered or refused. */
const Event = Schema.Struct({
  isAnswered: Schema.Boolean,
  asked: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: ReadSize.LARGEST }))
})

const after = (events: ReadonlyArray<typeof Event.Type>): ReadSize.ReadSize =>
  events.reduce(
    (size, { asked, isAnswered }) => (isAnswered ? ReadSize.answered(size, asked) : ReadSize.refused(size, asked)),
    ReadSize.INITIAL
  )

describe("ReadSize", () => {
  it.prop("stays between the smallest and the largest", [Schema.Array(Event)], ([events]) => {
    const { reads } = after(events)
    expect(reads).toBeGreaterThanOrEqual(ReadSize.SMALLEST)
    expect(reads).toBeLessThanOrEqual(ReadSize.LARGEST)
  })

  it.prop("is at most half of a call that was refused", [Schema.Array(Event), Event], ([events, { asked }]) => {
    expect(ReadSize.refused(after(events), asked).reads).toBeLessThanOrEqual(Math.max(ReadSize.SMALLEST, asked >> 1))
  })

  it.prop(
    "never shrinks by an answer, and never grows by a refusal",
    [Schema.Array(Event), Event],
    ([events, next]) => {
      const before = after(events)
      expect(ReadSize.answered(before, next.asked).reads).toBeGreaterThanOrEqual(before.reads)
      expect(ReadSize.refused(before, next.asked).reads).toBeLessThanOrEqual(before.reads)
    }
  )

  it.prop("grows back to the largest while full calls are answered", [Schema.Array(Event)], ([events]) => {
    let size = after(events)
    for (let calls = 0; calls < 100; calls++) size = ReadSize.answered(size, size.reads)
    expect(size.reads).toBe(ReadSize.LARGEST)
  })

  it("halves once for calls that were under way together", () => {
    const once = ReadSize.refused(ReadSize.INITIAL, 512)
    expect(ReadSize.refused(ReadSize.refused(once, 512), 512).reads).toBe(256)
    expect(ReadSize.refused(once, 256).reads).toBe(128)
  })

  it("does not grow by calls that were not full", () => {
    let size = ReadSize.refused(ReadSize.INITIAL, 512)
    for (let calls = 0; calls < 100; calls++) size = ReadSize.answered(size, 255)
    expect(size.reads).toBe(256)
  })

  it.prop("splits a call into two without losing a read", [Schema.Array(Schema.Int)], ([reads]) => {
    const [left, right] = ReadSize.halves(reads)
    expect([...left, ...right]).toEqual(reads)
    expect(Math.abs(left.length - right.length)).toBeLessThanOrEqual(1)
  })
})
