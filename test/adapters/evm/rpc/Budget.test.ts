import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as Budget from "../../../../src/adapters/evm/rpc/Budget.ts"

const call: Budget.Cost = { requests: 1, computeUnits: 26 }

const Rate = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 500 }))
const Millis = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5_000 }))
const Limits = Schema.Struct({
  requestsPerSecond: Schema.UndefinedOr(Rate),
  computeUnitsPerSecond: Schema.UndefinedOr(Rate)
})
/** One event after some milliseconds. */
const Step = Schema.Struct({
  after: Millis,
  event: Schema.Union([
    Schema.Struct({ _tag: Schema.Literal("Asked") }),
    Schema.Struct({ _tag: Schema.Literal("Answered") }),
    Schema.Struct({ _tag: Schema.Literal("Sent") }),
    Schema.Struct({ _tag: Schema.Literal("Mistaken") }),
    Schema.Struct({ _tag: Schema.Literal("Limited"), sentBefore: Millis, retryAfterMillis: Schema.UndefinedOr(Millis) })
  ])
})
const Steps = Schema.Array(Step)

const eventAt = ({ event }: typeof Step.Type, now: number): Budget.Event =>
  event._tag === "Limited"
    ? { _tag: "Limited", sentAt: now - event.sentBefore, retryAfterMillis: event.retryAfterMillis }
    : { _tag: event._tag, cost: call }

/** Plays the steps from time 0, and returns the budget and the time. */
const play = (limits: Budget.Limits, steps: typeof Steps.Type) => {
  let budget = Budget.make(limits, 0)
  let now = 0
  for (const step of steps) {
    now += step.after
    budget = Budget.decide(budget, eventAt(step, now), now).budget
  }
  return { budget, now }
}

const ask = (budget: Budget.Budget, now: number) => Budget.decide(budget, { _tag: "Asked", cost: call }, now)

/** Asks every millisecond from `from` on, and returns the number of grants. */
const granted = (start: Budget.Budget, from: number, millis: number): number => {
  let budget = start
  let count = 0
  for (let now = from; now < from + millis; now++) {
    for (;;) {
      const decision = ask(budget, now)
      budget = decision.budget
      if (decision.delayMillis > 0) break
      count += 1
      if (count > 100_000) return count
    }
  }
  return count
}

describe("a budget", () => {
  it.effect.prop(
    "answers any event with a finite delay and rates within their bounds",
    [Limits, Steps],
    ([limits, steps]) =>
      Effect.sync(() => {
        let budget = Budget.make(limits, 0)
        let now = 0
        for (const step of steps) {
          now += step.after
          const decision = Budget.decide(budget, eventAt(step, now), now)
          budget = decision.budget
          assert.isTrue(Number.isFinite(decision.delayMillis) && decision.delayMillis >= 0)
          for (const { ceiling, floor, level, rate } of [budget.requests, budget.compute]) {
            assert.isTrue(rate >= floor && rate <= ceiling, `${floor} <= ${rate} <= ${ceiling}`)
            assert.isFalse(Number.isNaN(level))
          }
        }
      })
  )

  it.effect.prop("grants a request after the delay that it named", [Limits, Steps], ([limits, steps]) =>
    Effect.sync(() => {
      const played = play(limits, steps)
      let { budget, now } = played
      // A rate that grows lets a costly request wait for a little more.
      for (let attempt = 0; attempt < 3; attempt++) {
        const decision = ask(budget, now)
        if (decision.delayMillis === 0) return
        budget = decision.budget
        now += decision.delayMillis
      }
      assert.strictEqual(ask(budget, now).delayMillis, 0)
    })
  )

  it.effect.prop("never grants more than its limit and one second's burst", [Rate, Rate], ([rate, units]) =>
    Effect.sync(() => {
      assert.isAtMost(granted(Budget.make({ requestsPerSecond: rate }, 0), 0, 3_000), 4 * rate + 1)
      const count = granted(Budget.make({ computeUnitsPerSecond: units }, 0), 0, 3_000)
      assert.isAtMost(count * call.computeUnits, 4 * units + 2 * call.computeUnits)
    })
  )

  it.effect.prop(
    "keeps a named pause, whatever came before",
    [Limits, Steps, Millis],
    ([limits, steps, retryAfterMillis]) =>
      Effect.sync(() => {
        const { budget, now } = play(limits, steps)
        const limited = Budget.decide(budget, { _tag: "Limited", sentAt: now, retryAfterMillis }, now).budget
        assert.isAtLeast(ask(limited, now).delayMillis, retryAfterMillis)
      })
  )

  it.effect.prop("is restored without further refusals", [Limits, Steps], ([limits, steps]) =>
    Effect.sync(() => {
      const { budget, now } = play(limits, steps)
      const later = Budget.decide(budget, { _tag: "Sent", cost: Budget.FREE }, now + 600_000).budget
      assert.strictEqual(later.requests.rate, limits.requestsPerSecond ?? Number.POSITIVE_INFINITY)
      assert.strictEqual(later.compute.rate, limits.computeUnitsPerSecond ?? Number.POSITIVE_INFINITY)
    })
  )

  it("grants everything at once without limits", () => {
    assert.strictEqual(granted(Budget.make({}, 0), 0, 1), 100_001)
  })

  it("halves its rate at a refusal, and restores it slowly", () => {
    const full = Budget.make({ requestsPerSecond: 100 }, 0)
    const refused = Budget.decide(full, { _tag: "Limited", sentAt: 0 }, 10).budget
    assert.strictEqual(refused.requests.rate, 50)
    const after = (millis: number) =>
      Budget.decide(refused, { _tag: "Sent", cost: Budget.FREE }, 10 + millis).budget.requests.rate
    assert.approximately(after(1_000), 53.5, 0.1)
    assert.isBelow(after(9_000), 100)
    assert.strictEqual(after(11_000), 100)
  })

  it("does not fall below what the endpoint answered in a second", () => {
    let budget = Budget.make({}, 0)
    for (let index = 0; index < 80; index++) {
      budget = Budget.decide(budget, { _tag: "Answered", cost: call }, 500).budget
    }
    budget = Budget.decide(budget, { _tag: "Limited", sentAt: 500 }, 600).budget
    assert.strictEqual(budget.requests.rate, 80)
  })

  it("counts the refusals of requests that were sent together as one", () => {
    let budget = Budget.make({ requestsPerSecond: 100 }, 0)
    for (const now of [10, 11, 12]) budget = Budget.decide(budget, { _tag: "Limited", sentAt: 0 }, now).budget
    assert.approximately(budget.requests.rate, 50, 0.1)
    assert.strictEqual(budget.refusals, 1)
  })

  it("doubles its pauses while everything is refused, and forgets them at an answer", () => {
    let budget = Budget.make({}, 0)
    let now = 0
    const pauses: Array<number> = []
    for (let index = 0; index < 10; index++) {
      budget = Budget.decide(budget, { _tag: "Limited", sentAt: now }, now).budget
      pauses.push(budget.pausedUntil - now)
      now = budget.pausedUntil
    }
    assert.deepStrictEqual(pauses, [50, 100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000])
    assert.strictEqual(budget.requests.rate, 10)
    budget = Budget.decide(budget, { _tag: "Answered", cost: call }, now).budget
    budget = Budget.decide(budget, { _tag: "Limited", sentAt: now }, now).budget
    assert.strictEqual(budget.pausedUntil - now, 50)
  })

  it("is not slowed down by an endpoint that refuses every fifth request at any rate", () => {
    // Four bursts of eight requests a second, which a rate near their average would hold up.
    let budget = Budget.make({}, 0)
    let sent = 0
    const waiting: Array<number> = []
    let longest = 0
    for (let now = 0; now < 120_000; now++) {
      if (now % 250 === 0) for (let index = 0; index < 8; index++) waiting.push(now)
      for (;;) {
        const [since] = waiting
        if (since === undefined) break
        const decision = ask(budget, now)
        budget = decision.budget
        if (decision.delayMillis > 0) break
        sent += 1
        const isRefused = (sent * 7) % 5 === 0
        if (!isRefused) {
          waiting.shift()
          if (now > 60_000) longest = Math.max(longest, now - since)
        }
        const event: Budget.Event = isRefused ? { _tag: "Limited", sentAt: now } : { _tag: "Answered", cost: call }
        budget = Budget.decide(budget, event, now).budget
      }
    }
    assert.isAbove(budget.requests.rate, 1_000)
    assert.isBelow(longest, 1_000)
  })

  it("settles near the rate that the endpoint really grants", () => {
    const limit = 40
    let budget = Budget.make({}, 0)
    let inSecond = 0
    let answered = 0
    let refused = 0
    for (let now = 0; now < 60_000; now++) {
      if (now % 1_000 === 0) inSecond = 0
      for (;;) {
        const decision = ask(budget, now)
        budget = decision.budget
        if (decision.delayMillis > 0) break
        inSecond += 1
        const isRefused = inSecond > limit
        const event: Budget.Event = isRefused ? { _tag: "Limited", sentAt: now } : { _tag: "Answered", cost: call }
        budget = Budget.decide(budget, event, now).budget
        if (now < 10_000) continue
        if (isRefused) refused += 1
        else answered += 1
      }
    }
    assert.isAbove(answered / 50, 0.75 * limit)
    assert.isBelow(refused / (answered + refused), 0.1)
  })

  it("grants what it did before refusals that were not for the rate", () => {
    for (const limits of [{}, { requestsPerSecond: 100, computeUnitsPerSecond: 2_600 }]) {
      let budget = Budget.make(limits, 0)
      const fresh = granted(budget, 1_000, 1_000)
      for (let refusal = 0; refusal < 5; refusal++) {
        budget = Budget.decide(budget, { _tag: "Limited", sentAt: refusal }, refusal).budget
      }
      assert.isBelow(granted(budget, 1_000, 1_000), fresh / 2)
      budget = Budget.decide(budget, { _tag: "Mistaken" }, 5).budget
      assert.strictEqual(granted(budget, 1_000, 1_000), fresh)
    }
  })
})
