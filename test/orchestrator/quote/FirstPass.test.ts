/** The first pricing of an order, by an assumed cost. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Result } from "effect"
import * as Fees from "../../../src/domain/Fees.ts"
import { orchestratorDefaults as defaults } from "../../../src/config/Orchestrator.ts"
import { ASSUMED_SWEEP_GAS } from "../../../src/domain/RelayGas.ts"
import * as FirstPass from "../../../src/orchestrator/quote/FirstPass.ts"
import * as NextRoute from "../../../src/orchestrator/quote/NextRoute.ts"
import type { Routed } from "../../../src/orchestrator/quote/Terms.ts"
import type * as Routing from "../../../src/orchestrator/quote/Routing.ts"
import { NoRoute, RoutingUnavailable } from "../../../src/ports/orchestrator/SwapVenue.ts"
import { type SimulatedSweep, SimulationFailed } from "../../../src/ports/orchestrator/SweepSimulation.ts"
import { address } from "../../support/FakeChain.ts"
import * as Quoting from "../../support/Quoting.ts"

const { WHOLE } = Quoting

const ROUTE: Routing.Route = {
  provider: "venue",
  target: address(0xa9),
  calldata: "0x",
  estimatedAmountOut: 1n,
  guaranteedAmountOut: 1n,
  bridgeSeconds: 0,
  slippageBps: 0,
  passing: 0,
  sellsWhatArrives: false
}

const SIMULATED: SimulatedSweep = {
  amountOut: 1n,
  gas: 0n,
  limits: { execution: 0n, transaction: 0n },
  dataGas: 0n,
  dataFee: 0n
}

const AMOUNT = 10n * WHOLE
const across = { ...Quoting.crossChain, amountIn: AMOUNT }

/** Fees of the sweep across chains at this much gas. */
const feesAt = (gas: bigint, amountIn = AMOUNT): bigint =>
  Fees.protocolFee(defaults.fees, { amountIn, tier: "tier2", subscriptionActive: false }) +
  Fees.networkFee(defaults.fees, {
    cost: gas * Quoting.GAS_PRICE,
    nativeUsd: Quoting.NATIVE_USD,
    tokenUsd: Quoting.USD,
    tokenDecimals: 18
  })

/** A scene with a bridge that carries no less than what is left of the amount at this much gas, which is assumed as 225,000. */
const withLeast = Effect.fnUntraced(function* (gas: bigint) {
  const scene = yield* Quoting.make()
  Object.defineProperty(scene.script, "routingFails", {
    get: () =>
      (scene.asked.bridged.at(-1)?.amountIn ?? 0n) < AMOUNT - feesAt(gas)
        ? new NoRoute({ detail: "the amount is too small" })
        : undefined
  })
  return scene
})

const failureOf = (quote: ReturnType<Effect.Success<ReturnType<typeof Quoting.make>>["quote"]>) =>
  Effect.map(Effect.flip(quote), (failure) => (failure._tag === "QuoteFailed" ? failure.reason : failure._tag))

const worth = Effect.succeed({ value: 0n })

/**
 * A pass for pairs of tokens whose sweeps use `beside` gas beside that of their routes. Returns the costs that were routed, and the one charged.
 * `roughGas`: that of the route without services. Default: there is none.
 */
const passes = () => {
  const pass = FirstPass.make()
  return Effect.fnUntraced(function* (pair: {
    readonly tokenIn: number
    readonly provider: string
    readonly routeGas: bigint
    readonly roughGas?: bigint
    readonly beside: bigint
    readonly fails?: (cost: bigint) => boolean
  }) {
    const { beside, fails = () => false, provider, roughGas, routeGas, tokenIn } = pair
    const none = Effect.fail(new NoRoute({ detail: "none" }))
    const terms = {
      client: { chain: Quoting.source },
      request: { ...Quoting.request, tokenIn: address(tokenIn) },
      isDelegated: false
    }
    const taken = { protocolFee: 0n, networkFee: 0n, builderFee: 0n }
    const fees = yield* Effect.fromResult(Fees.breakdown({ amountIn: AMOUNT, ...taken }))
    const routed: Array<bigint> = []
    const { charged } = yield* pass(terms, {
      feesOf: () => Result.succeed(fees),
      gasPrice: 1n,
      until: NextRoute.LIMIT_MILLIS,
      route: (cost) => {
        routed.push(cost)
        const routes = { ...ROUTE, provider, gas: routeGas }
        return fails(cost) ? none : Effect.succeed({ cost, fees, worth, routes })
      },
      roughly: () => (roughGas === undefined ? none : Effect.succeed({ ...ROUTE, provider: "a", gas: roughGas })),
      price: ({ routes }) =>
        Effect.succeed({ route: routes, simulated: { ...SIMULATED, gas: (routes.gas ?? 0n) + beside } })
    })
    return { routed, charged }
  })
}

describe("the first cost of a pair that nobody swept", () => {
  it.effect("is told by the gas of its route, and by what the last sweeps of the venue cost beside theirs", () =>
    Effect.gen(function* () {
      const pass = passes()
      const assumed = ASSUMED_SWEEP_GAS
      assert.deepStrictEqual(yield* pass({ tokenIn: 1, provider: "a", routeGas: 100_000n, beside: 110_000n }), {
        routed: [assumed],
        charged: assumed
      })
      // Near the assumption, nothing is routed again.
      assert.deepStrictEqual(yield* pass({ tokenIn: 2, provider: "a", routeGas: 120_000n, beside: 110_000n }), {
        routed: [assumed],
        charged: assumed
      })
      assert.deepStrictEqual(yield* pass({ tokenIn: 3, provider: "a", routeGas: 200_000n, beside: 110_000n }), {
        routed: [assumed, 310_000n],
        charged: 310_000n
      })
      // Of another venue, all venues tell at first, and then its own.
      assert.strictEqual(
        (yield* pass({ tokenIn: 4, provider: "b", routeGas: 200_000n, beside: 30_000n })).charged,
        310_000n
      )
      assert.strictEqual(
        (yield* pass({ tokenIn: 5, provider: "b", routeGas: 150_000n, beside: 30_000n })).charged,
        180_000n
      )
      // The pair itself tells more than either.
      assert.deepStrictEqual(yield* pass({ tokenIn: 5, provider: "a", routeGas: 200_000n, beside: 110_000n }), {
        routed: [180_000n],
        charged: 180_000n
      })
    })
  )

  it.effect("is told by a route without services, so that these are asked once", () =>
    Effect.gen(function* () {
      const pass = passes()
      // Nothing is known to add to its gas.
      const first = yield* pass({ tokenIn: 1, provider: "a", roughGas: 300_000n, routeGas: 100_000n, beside: 110_000n })
      assert.deepStrictEqual(first.routed, [ASSUMED_SWEEP_GAS])
      for (const [tokenIn, routeGas] of [
        [2, 200_000n],
        // Another venue has the best route, of nearly the same gas.
        [3, 220_000n]
      ] as const) {
        assert.deepStrictEqual(
          yield* pass({ tokenIn, provider: "b", roughGas: 200_000n, routeGas, beside: 110_000n }),
          { routed: [310_000n], charged: 310_000n }
        )
      }
      assert.deepStrictEqual(
        yield* pass({ tokenIn: 4, provider: "a", roughGas: 200_000n, routeGas: 300_000n, beside: 110_000n }),
        { routed: [310_000n, 410_000n], charged: 410_000n }
      )
      // The last sweeps of the pair tell more.
      assert.deepStrictEqual(
        (yield* pass({ tokenIn: 4, provider: "a", roughGas: 200_000n, routeGas: 300_000n, beside: 110_000n })).routed,
        [410_000n]
      )
    })
  )

  it.effect("is the assumed one where that of a route without services leaves no route", () =>
    Effect.gen(function* () {
      const pass = passes()
      yield* pass({ tokenIn: 1, provider: "a", routeGas: 100_000n, beside: 110_000n })
      const fails = (cost: bigint) => cost > ASSUMED_SWEEP_GAS
      const pair = { tokenIn: 2, provider: "a", roughGas: 300_000n, routeGas: 120_000n, beside: 110_000n }
      assert.deepStrictEqual(yield* pass({ ...pair, fails }), {
        routed: [410_000n, ASSUMED_SWEEP_GAS],
        charged: ASSUMED_SWEEP_GAS
      })
    })
  )

  it.effect("is the assumed one where the other leaves no route", () =>
    Effect.gen(function* () {
      const pass = passes()
      yield* pass({ tokenIn: 1, provider: "a", routeGas: 100_000n, beside: 110_000n })
      const fails = (cost: bigint) => cost > ASSUMED_SWEEP_GAS
      assert.deepStrictEqual(yield* pass({ tokenIn: 2, provider: "a", routeGas: 300_000n, beside: 110_000n, fails }), {
        routed: [ASSUMED_SWEEP_GAS, 410_000n],
        charged: ASSUMED_SWEEP_GAS
      })
    })
  )
})

describe("a first pass across chains", () => {
  it.effect("that fails at the cost of its route is made again at the least one, although that was assumed", () =>
    Effect.gen(function* () {
      const pass = FirstPass.make()
      const terms = {
        client: { chain: Quoting.source },
        request: Quoting.crossChain,
        isDelegated: false
      }
      const priced: Array<bigint> = []
      /** Fees of 200,000 wei do not fit, and those of a cost take it from 300,000. */
      const feesOf = (cost: bigint) =>
        Fees.breakdown({ amountIn: 300_000n, protocolFee: 100_000n, networkFee: cost, builderFee: 0n })
      const settings = {
        feesOf,
        gasPrice: 1n,
        until: NextRoute.LIMIT_MILLIS,
        route: (cost: bigint) =>
          Effect.map(Effect.fromResult(feesOf(cost)), (fees) => ({
            cost,
            fees,
            worth,
            routes: { ...ROUTE, gas: 70_000n }
          })),
        roughly: () => Effect.die("a bridge is asked for what it carries"),
        price: ({ cost, routes }: Routed) => {
          priced.push(cost)
          return cost > 100_000n
            ? Effect.fail(new SimulationFailed({ detail: "AmountTooLow" }))
            : Effect.succeed({ route: routes, simulated: { ...SIMULATED, gas: 150_000n } })
        }
      }
      yield* pass(terms, settings)
      assert.deepStrictEqual(priced, [80_000n])
      const other = { ...terms, request: { ...terms.request, tokenIn: address(2) } }
      assert.strictEqual((yield* pass(other, settings)).charged, 80_000n)
      assert.deepStrictEqual(priced, [80_000n, 150_000n, 80_000n])
    })
  )
})

describe("an assumed cost", () => {
  it.effect("that leaves too little for a bridge refuses no sweep that its real cost allows", () =>
    Effect.gen(function* () {
      const scene = yield* withLeast(110_000n)
      scene.script.gas = () => 100_000n
      const { order } = yield* scene.quote(across)
      assert.strictEqual(order.feeAmount, feesAt(100_000n))
      assert.lengthOf(scene.asked.bridged, 3)
    })
  )

  it.effect("refuses a sweep whose real cost leaves too little, and one whose least cost does", () =>
    Effect.gen(function* () {
      for (const [least, routed] of [
        [110_000n, 3],
        [79_999n, 2]
      ] as const) {
        const scene = yield* withLeast(least)
        assert.strictEqual(yield* failureOf(scene.quote(across)), "no_route")
        assert.lengthOf(scene.asked.bridged, routed)
        assert.deepStrictEqual(scene.asked.created, [])
      }
    })
  )

  it.effect("is tried lower after a simulation that fails across chains", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      scene.script.simulationFails = new SimulationFailed({ detail: "DepositFailed", revert: "DepositFailed" })
      assert.strictEqual(yield* failureOf(scene.quote(across)), "simulation_failed")
      assert.lengthOf(scene.asked.simulated, 2)
    })
  )

  it.effect("is not tried lower where that changes nothing", () =>
    Effect.gen(function* () {
      const none = new NoRoute({ detail: "none" })
      const silent = new RoutingUnavailable({ provider: "bridge", detail: "silent" })
      for (const [request, failure] of [
        [{ amountIn: AMOUNT }, none],
        // The fees are a small part of it.
        [{ ...across, amountIn: 10_000n * WHOLE }, none],
        [across, silent]
      ] as const) {
        const scene = yield* Quoting.make()
        scene.script.routingFails = failure
        yield* failureOf(scene.quote(request))
        assert.lengthOf([...scene.asked.bridged, ...scene.asked.swaps], 1)
        assert.lengthOf(scene.asked.simulated, 0)
      }
      // Time is short.
      const late = yield* Quoting.make()
      late.script.simulationMillis = NextRoute.LIMIT_MILLIS
      late.script.simulationFails = new SimulationFailed({ detail: "DepositFailed", revert: "DepositFailed" })
      yield* failureOf(late.quote(across))
      assert.lengthOf(late.asked.simulated, 1)
    })
  )
})
