import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
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

/** A route's cost, what it delivers, and its venue, or its failure. */
type Plan = { readonly cost: bigint; readonly out?: bigint; readonly provider?: string } | SimulationFailed | NoRoute

const priced = ({ out = 100n, provider = "a" }: Exclude<Plan, Error>) => ({
  route: { estimatedAmountOut: out, provider }
})

/** The pass that is chosen after a first one that was charged 100, and the prices that were asked for. */
const chosen = Effect.fnUntraced(function* (
  [first, ...later]: readonly [Exclude<Plan, Error>, ...ReadonlyArray<Plan>],
  { isUsable = true, most = 1_000n } = {}
) {
  const asked: Array<readonly [charged: bigint, provider?: string]> = []
  const outcome = yield* Effect.result(
    Repricing.fitting(
      { priced: priced(first), charged: 100n, cost: first.cost },
      {
        isAllowed: ({ route: { estimatedAmountOut } }) => estimatedAmountOut <= most,
        isUsable,
        until: Number.POSITIVE_INFINITY,
        price: (charged, provider) =>
          Effect.suspend(() => {
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
  return {
    asked,
    outcome: Result.isSuccess(outcome) ? outcome.success.charged : outcome.failure._tag,
    isLast: Result.isSuccess(outcome) && outcome.success.isLast
  }
})

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
        const kept = yield* chosen([{ cost: 900n }, { cost: 150n }, gone])
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

  it.effect("fails for now if each route costs more than its fee covers", () =>
    Effect.gen(function* () {
      const { outcome } = yield* chosen([{ cost: 200n }, { cost: 400n }, { cost: 800n }])
      assert.strictEqual(outcome, "QuoteFailed")
    })
  )
})

describe("the routes of a venue", () => {
  it("come first, in their order", () => {
    const named = ({ alternatives = [], provider }: Route) => [provider, ...alternatives.map((each) => each.provider)]
    const routes = route("a", [route("b"), route("c"), route("b")])
    assert.deepStrictEqual(named(Repricing.venueFirst(routes, "b")), ["b", "b", "a", "c"])
    assert.deepStrictEqual(named(Repricing.venueFirst(routes, "a")), ["a", "b", "c", "b"])
    assert.deepStrictEqual(named(Repricing.venueFirst(routes, "d")), ["a", "b", "c", "b"])
  })
})
