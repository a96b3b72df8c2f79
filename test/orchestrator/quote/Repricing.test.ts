import { assert, describe, it } from "@effect/vitest"
import { Effect, Result, Schema } from "effect"
import * as Repricing from "../../../src/orchestrator/quote/Repricing.ts"
import type { Route } from "../../../src/orchestrator/quote/Routing.ts"
import { NoRoute } from "../../../src/ports/orchestrator/SwapVenue.ts"
import { SimulationFailed } from "../../../src/ports/orchestrator/SweepSimulation.ts"
import { address } from "../../support/FakeChain.ts"

const route = (provider: string, alternatives: ReadonlyArray<Route> = []): Route => ({
  provider,
  target: address(0x5a),
  calldata: "0x",
  estimatedAmountOut: 100n,
  guaranteedAmountOut: 1n,
  bridgeSeconds: 0,
  slippageBps: 50,
  sellsWhatArrives: false,
  passing: 0,
  alternatives
})

/** A route's cost, what it delivers, its venue, and the venues that failed before it, or its failure. */
type Plan =
  | {
      readonly cost: bigint
      readonly out?: bigint
      readonly provider?: string
      readonly failed?: ReadonlyArray<string>
    }
  | SimulationFailed
  | NoRoute

const priced = ({ failed = [], out = 100n, provider = "a" }: Exclude<Plan, Error>) => ({
  route: { estimatedAmountOut: out, provider },
  failed: new Set(failed)
})

/** Prices again after a first pass that was charged 100. Returns the outcome, and the venues that each pass was told to try last. */
const priceAgain = Effect.fnUntraced(function* (
  [first, ...later]: readonly [Exclude<Plan, Error>, ...ReadonlyArray<Plan>],
  { isUsable = true, most = 1_000n, until = Number.POSITIVE_INFINITY } = {}
) {
  const asked: Array<readonly [charged: bigint, provider?: string]> = []
  const avoided: Array<ReadonlyArray<string>> = []
  const outcome = yield* Effect.result(
    Repricing.fitting(
      { priced: priced(first), charged: 100n, cost: first.cost },
      {
        isAllowed: ({ route: { estimatedAmountOut } }) => estimatedAmountOut <= most,
        isUsable,
        until,
        price: (charged, { failed = [], provider }) =>
          Effect.suspend(() => {
            avoided.push([...failed])
            asked.push(provider === undefined ? [charged] : [charged, provider])
            const plan = later[asked.length - 1]
            if (plan === undefined) return Effect.die("not planned")
            return "cost" in plan
              ? Effect.succeed({ priced: priced(plan), charged, cost: plan.cost })
              : Effect.fail<SimulationFailed | NoRoute>(plan)
          })
      }
    )
  )
  const told = {
    asked,
    outcome: Result.isSuccess(outcome) ? outcome.success.charged : outcome.failure._tag,
    isLast: Result.isSuccess(outcome) && outcome.success.isLast
  }
  return { avoided, told }
})

/** The pass that is chosen, and the prices that were asked for. */
const chosen = (...asking: Parameters<typeof priceAgain>) => Effect.map(priceAgain(...asking), ({ told }) => told)

describe("an order", () => {
  it.effect("is priced once if its cost is near the assumed one, and a second time if it is not", () =>
    Effect.gen(function* () {
      for (const cost of [90n, 100n, 110n])
        assert.deepStrictEqual(yield* chosen([{ cost }]), { asked: [], outcome: 100n, isLast: true })
      for (const cost of [89n, 111n])
        assert.deepStrictEqual(yield* chosen([{ cost }, { cost }]), { asked: [[cost]], outcome: cost, isLast: true })
      const unusable = yield* chosen([{ cost: 100n }, { cost: 100n }], { isUsable: false })
      assert.deepStrictEqual(unusable, { asked: [[100n]], outcome: 100n, isLast: true })
    })
  )

  it.effect("is priced a third time by the same venue if the second route costs otherwise", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* chosen([{ cost: 300n }, { cost: 900n, provider: "b" }, { cost: 900n }]), {
        asked: [[300n], [900n, "b"]],
        outcome: 900n,
        isLast: true
      })
    })
  )

  it.effect("is priced again with the venues last that failed in the passes before", () =>
    Effect.gen(function* () {
      const { avoided, told } = yield* priceAgain([
        { cost: 300n, failed: ["c"] },
        { cost: 900n, failed: ["d", "c"], provider: "b" },
        { cost: 900n, failed: ["e"] }
      ])
      assert.deepStrictEqual(avoided, [["c"], ["c", "d"]])
      assert.deepStrictEqual(told.asked, [[300n], [900n, "b"]])
    })
  )

  it.effect("is offered as it delivers most, if its fee covers it", () =>
    Effect.gen(function* () {
      // The first one took more than it cost, and yet the second route delivers less.
      const first = yield* chosen([
        { cost: 50n, out: 100n },
        { cost: 50n, out: 99n }
      ])
      assert.deepStrictEqual(first, { asked: [[50n]], outcome: 100n, isLast: false })
      const plans = [{ cost: 50n }, { cost: 50n, out: 99n }] as const
      assert.strictEqual((yield* chosen(plans, { most: 99n })).outcome, 50n)
      assert.strictEqual((yield* chosen(plans, { most: 98n })).outcome, 100n)
      const unusable = yield* chosen(plans, { isUsable: false })
      assert.strictEqual(unusable.outcome, 50n)
      const second = yield* chosen([{ cost: 900n }, { cost: 150n, out: 80n }, { cost: 150n, out: 79n }])
      assert.deepStrictEqual([second.outcome, second.isLast], [900n, false])
      const third = yield* chosen([{ cost: 900n }, { cost: 150n, out: 80n }, { cost: 150n, out: 81n }])
      assert.deepStrictEqual([third.outcome, third.isLast], [150n, true])
    })
  )

  it.effect(
    "is offered by the second route if there is no third one, unless that is not covered or its nonce is spent",
    () =>
      Effect.gen(function* () {
        const gone = new NoRoute({ detail: "gone" })
        const spent = new SimulationFailed({ detail: "NonceUsed", revert: "NonceUsed" })
        const kept = yield* chosen([{ cost: 900n }, { cost: 450n }, gone])
        assert.deepStrictEqual([kept.outcome, kept.isLast], [900n, false])
        assert.strictEqual((yield* chosen([{ cost: 300n }, { cost: 900n }, gone])).outcome, "NoRoute")
        assert.strictEqual((yield* chosen([{ cost: 900n }, { cost: 150n }, spent])).outcome, "SimulationFailed")
      })
  )

  it.effect("is offered by the first route if there is no second one, unless that may not be offered", () =>
    Effect.gen(function* () {
      const gone = new NoRoute({ detail: "gone" })
      const spent = new SimulationFailed({ detail: "NonceUsed", revert: "NonceUsed" })
      assert.deepStrictEqual(yield* chosen([{ cost: 50n }, gone]), { asked: [[50n]], outcome: 100n, isLast: false })
      // Its fee does not cover it.
      assert.strictEqual((yield* chosen([{ cost: 200n }, gone])).outcome, "NoRoute")
      assert.strictEqual((yield* chosen([{ cost: 50n }, gone], { isUsable: false })).outcome, "NoRoute")
      // Its fee is above the maximum that the request allows.
      assert.strictEqual((yield* chosen([{ cost: 50n }, gone], { most: 99n })).outcome, "NoRoute")
      assert.strictEqual((yield* chosen([{ cost: 50n }, spent])).outcome, "SimulationFailed")
    })
  )

  it.effect("fails for now if only a fee of more than twice its cost leaves it a route", () =>
    Effect.gen(function* () {
      const gone = new NoRoute({ detail: "gone" })
      assert.strictEqual((yield* chosen([{ cost: 49n }, gone])).outcome, "QuoteFailed")
      assert.strictEqual((yield* chosen([{ cost: 1n }, gone])).outcome, "QuoteFailed")
      assert.strictEqual((yield* chosen([{ cost: 900n }, { cost: 449n }, gone])).outcome, "QuoteFailed")
      // The third route costs more than its fee covers.
      assert.strictEqual((yield* chosen([{ cost: 900n }, { cost: 449n }, { cost: 900n }])).outcome, "QuoteFailed")
      assert.strictEqual((yield* chosen([{ cost: 900n }, { cost: 450n }, { cost: 900n }])).outcome, 900n)
      // The request would not allow it anyway, or the nonce is spent.
      assert.strictEqual((yield* chosen([{ cost: 49n }, gone], { most: 99n })).outcome, "NoRoute")
      const spent = new SimulationFailed({ detail: "NonceUsed", revert: "NonceUsed" })
      assert.strictEqual((yield* chosen([{ cost: 49n }, spent])).outcome, "SimulationFailed")
    })
  )

  it.effect("has a fee of more than twice its cost only where it delivers more so than at a fee that fits", () =>
    Effect.gen(function* () {
      const less = yield* chosen([{ cost: 40n }, { cost: 40n, out: 99n }])
      assert.strictEqual(less.outcome, 100n)
      assert.strictEqual((yield* chosen([{ cost: 40n }, { cost: 40n, out: 100n }])).outcome, 40n)
      // The second one is not covered.
      const gone = new NoRoute({ detail: "gone" })
      assert.strictEqual((yield* chosen([{ cost: 40n }, { cost: 60n, out: 99n }, gone])).outcome, "QuoteFailed")
    })
  )

  it.effect("is priced a third time after its time only if its fee is far above its cost otherwise", () =>
    Effect.gen(function* () {
      const until = -1
      const offered = yield* chosen([{ cost: 300n }, { cost: 200n }], { until })
      assert.deepStrictEqual(offered, { asked: [[300n]], outcome: 300n, isLast: true })
      // Both fees are more than twice the cost.
      const unfair = yield* chosen([{ cost: 40n }, { cost: 15n, out: 99n }, { cost: 15n, out: 99n }], { until })
      assert.deepStrictEqual(unfair, { asked: [[40n], [15n, "a"]], outcome: 100n, isLast: false })
      const fitting = yield* chosen([{ cost: 40n }, { cost: 15n }, { cost: 15n }], { until })
      assert.deepStrictEqual(fitting, { asked: [[40n], [15n, "a"]], outcome: 15n, isLast: true })
      // The first fee is more than twice the cost, and the second one does not cover it.
      const uncovered = yield* chosen([{ cost: 40n }, { cost: 60n }, { cost: 60n }], { until })
      assert.deepStrictEqual(uncovered, { asked: [[40n], [60n, "a"]], outcome: 60n, isLast: true })
      const gone = new NoRoute({ detail: "gone" })
      assert.strictEqual((yield* chosen([{ cost: 40n }, { cost: 15n }, gone], { until })).outcome, "QuoteFailed")
      // No fee covers its cost.
      const rising = yield* chosen([{ cost: 200n }, { cost: 400n }], { until })
      assert.deepStrictEqual(rising, { asked: [[200n]], outcome: "QuoteFailed", isLast: false })
    })
  )

  it.effect("fails for now if each route costs more than its fee covers", () =>
    Effect.gen(function* () {
      const { outcome } = yield* chosen([{ cost: 200n }, { cost: 400n }, { cost: 800n }])
      assert.strictEqual(outcome, "QuoteFailed")
    })
  )
})

describe("the routes of a later pass", () => {
  const named = ({ alternatives = [], provider }: Route) => [provider, ...alternatives.map((each) => each.provider)]
  const routes = route("a", [route("b"), route("c"), route("b")])
  const ordered = (failed: ReadonlyArray<string>, provider?: string) =>
    named(Repricing.ordered(routes, { failed: new Set(failed), ...(provider === undefined ? {} : { provider }) }))

  it("begin with those of a venue, in their order", () => {
    assert.deepStrictEqual(ordered([], "b"), ["b", "b", "a", "c"])
    assert.deepStrictEqual(ordered([], "a"), ["a", "b", "c", "b"])
    assert.deepStrictEqual(ordered([], "d"), ["a", "b", "c", "b"])
    assert.deepStrictEqual(ordered([]), ["a", "b", "c", "b"])
  })

  it("end with those of the venues that failed, unless it is the venue that comes first", () => {
    assert.deepStrictEqual(ordered(["a"]), ["b", "c", "b", "a"])
    assert.deepStrictEqual(ordered(["b", "a"]), ["c", "a", "b", "b"])
    assert.deepStrictEqual(ordered(["a"], "c"), ["c", "b", "b", "a"])
    assert.deepStrictEqual(ordered(["b"], "b"), ["b", "b", "a", "c"])
    assert.deepStrictEqual(ordered(["a", "b", "c"]), ["a", "b", "c", "b"])
  })

  const Venue = Schema.Literals(["a", "b", "c", "d"])
  const Failed = Schema.Array(Venue).check(Schema.isMaxLength(3))

  it.prop(
    "are all kept, by rank and otherwise in their order",
    [Venue, Schema.Array(Venue), Failed, Schema.UndefinedOr(Venue)],
    ([first, others, failed, provider]) => {
      const all = [first, ...others].map((venue, place) => ({ ...route(venue), bridgeSeconds: place }))
      const [best = route(first), ...behind] = all
      const { alternatives = [], ...next } = Repricing.ordered(
        { ...best, alternatives: behind },
        { failed: new Set<string>(failed), ...(provider === undefined ? {} : { provider }) }
      )
      const rank = (venue: string) => (venue === provider ? 0 : failed.some((each) => each === venue) ? 2 : 1)
      const places = [next, ...alternatives].map((each) => rank(each.provider) * all.length + each.bridgeSeconds)
      return places.length === all.length && places.every((place, at) => at === 0 || place > (places[at - 1] ?? 0))
    }
  )
})
