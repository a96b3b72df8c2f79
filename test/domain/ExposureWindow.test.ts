import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { type Budgets, classOf, EMPTY, isSpent, type Sums } from "../../src/domain/Exposure.ts"
import { DAY_MILLIS, HOUR_MILLIS, stepOf, windowStart } from "../../src/domain/ExposureWindow.ts"

const MINUTE = 60_000

const Between = (minimum: number, maximum: number) => Schema.Int.check(Schema.isBetween({ minimum, maximum }))

/** Sweeps of an attacker: milliseconds since the one before, and the loss of each. */
const Tries = Schema.Array(Schema.Struct({ pause: Between(0, 20 * MINUTE), wei: Between(1, 300) })).check(
  Schema.isMaxLength(60)
)

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
