import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { type Budgets, classOf, EMPTY, firstClass, isSpent, lacking, type Sums } from "../../src/domain/Exposure.ts"
import { DAY_MILLIS, HOUR_MILLIS, stepOf, windowStart } from "../../src/domain/ExposureWindow.ts"

const MINUTE = 60_000

const Between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** Sweeps of an attacker: milliseconds since the one before, and the loss of each. */
const Tries = Schema.Array(Schema.Struct({ pause: Between(0, 20 * MINUTE), wei: Between(1, 300) })).check(
  Schema.isMaxLength(60)
)

/** First sweeps: some are mined before the next is sent. */
const FirstSweeps = Schema.Array(
  Schema.Struct({
    pause: Between(0, 10 * MINUTE),
    wei: Between(1, 300),
    isLost: Schema.Boolean,
    isMined: Schema.Boolean
  })
).check(Schema.isMaxLength(60))

const BUDGETS: Budgets = { unlisted: { hour: 1_000n, day: 100_000n }, listedHour: 0n }

const ALL = classOf("unlisted", "all", 1)

interface Loss {
  readonly at: number
  readonly wei: bigint
}

const total = (losses: ReadonlyArray<Loss>): bigint => losses.reduce((sum, { wei }) => sum + wei, 0n)

/** Sums of losses as the stores count them. */
const sumsAt = (losses: ReadonlyArray<Loss>, now: number): Sums => {
  const within = (length: number) => ({
    lost: total(losses.filter(({ at }) => stepOf(at) >= windowStart(now, length))),
    earned: 0n
  })
  return { ...EMPTY, hour: within(HOUR_MILLIS), day: within(DAY_MILLIS) }
}

describe("Windows of exposure", () => {
  it.prop(
    "let no 60 minutes lose more than the budget of an hour",
    { tries: Arbitrary.schema(Tries), start: Arbitrary.schema(Between(0, DAY_MILLIS)) },
    ({ start, tries }) => {
      let now = start
      const losses: Array<Loss> = []
      for (const { pause, wei } of tries) {
        now += pause
        if (!isSpent(ALL, BUDGETS, sumsAt(losses, now), BigInt(wei))) losses.push({ at: now, wei: BigInt(wei) })
      }
      for (const { at: end } of losses) {
        const hour = losses.filter(({ at }) => at > end - HOUR_MILLIS && at <= end)
        assert.isTrue(total(hour) <= BUDGETS.unlisted.hour)
      }
    }
  )

  it.prop(
    "let first sweeps lose no more in 60 minutes than their budget and what they earned, however many are under way",
    { tries: Arbitrary.schema(FirstSweeps), start: Arbitrary.schema(Between(0, DAY_MILLIS)) },
    ({ start, tries }) => {
      const budgets: Budgets = { ...BUDGETS, firstHour: 2_000n }
      const key = firstClass(1, false)
      let now = start
      let open: ReadonlyArray<{ readonly wei: bigint; readonly isLost: boolean }> = []
      const ended: Array<Loss> = []
      const conclude = () => {
        ended.push(...open.map(({ isLost, wei }) => ({ at: now, wei: isLost ? wei : -wei / 4n })))
        open = []
      }
      for (const { isLost, isMined, pause, wei } of tries) {
        now += pause
        if (isMined) conclude()
        const losses = ended.filter((each) => each.wei > 0n)
        const earned = total(ended.filter((each) => each.wei < 0n && stepOf(each.at) >= windowStart(now, HOUR_MILLIS)))
        const sums = sumsAt(losses, now)
        const standing: Sums = { ...sums, open: total(open.map((each) => ({ at: now, wei: each.wei }))) }
        const hour = { lost: sums.hour.lost, earned: -earned }
        const room = lacking({ classes: [key], wei: BigInt(wei) }, budgets, () => ({ ...standing, hour, day: hour }))
        if (room === undefined) open = [...open, { wei: BigInt(wei), isLost }]
      }
      conclude()
      for (const { at: end } of ended) {
        const hour = ended.filter(({ at }) => at > end - HOUR_MILLIS && at <= end)
        const before = ended.filter(({ at, wei }) => wei < 0n && at > end - 3 * HOUR_MILLIS && at <= end)
        assert.isTrue(total(hour.filter(({ wei }) => wei > 0n)) <= 1_000n - total(before))
      }
    }
  )

  it.prop(
    "count a loss for their length and less than five minutes longer",
    { at: Arbitrary.schema(Between(0, DAY_MILLIS)), later: Arbitrary.schema(Between(0, 5 * MINUTE - 1)) },
    ({ at, later }) => {
      const losses = [{ at, wei: 7n }]
      assert.strictEqual(sumsAt(losses, at + HOUR_MILLIS).hour.lost, 7n)
      assert.strictEqual(sumsAt(losses, at + later).hour.lost, 7n)
      assert.strictEqual(sumsAt(losses, at + HOUR_MILLIS + 5 * MINUTE).hour.lost, 0n)
    }
  )
})
