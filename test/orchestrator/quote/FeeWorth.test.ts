/** A fee in an unlisted token counts for what it sells for. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Ref, Result } from "effect"
import { TestClock } from "effect/testing"
import { orchestratorDefaults } from "../../../src/config/Orchestrator.ts"
import { mulDivUp } from "../../../src/domain/Amount.ts"
import type * as Address from "../../../src/domain/Address.ts"
import * as Usd from "../../../src/domain/Usd.ts"
import { SimulationFailed } from "../../../src/ports/orchestrator/SweepSimulation.ts"
import * as Quoting from "../../support/Quoting.ts"
import { FAIR, make, owner, UNLISTED } from "./unlistedScene.ts"

/** Leaves a token of the scene without a price. */
const withoutPrice = (scene: Effect.Success<ReturnType<typeof make>>, token: Address.Address) =>
  Ref.update(scene.prices, (state) => ({
    ...state,
    prices: new Map(
      [...state.prices].map(([chain, known]) => [chain, new Map([...known].filter(([each]) => each !== token))])
    )
  }))

describe("the fee in an unlisted token", () => {
  it.effect("is charged at the price less the haircut, and covers at most what it sells for", () =>
    Effect.gen(function* () {
      const listed = yield* (yield* make(100n)).quote()
      const scene = yield* make(80n)
      const { order } = yield* scene.quote({ tokenIn: UNLISTED, tier: "tier3" })
      // Of the protocol's share, 1 % of 100 tokens, and of the network's, a quarter more than with the full price.
      assert.isTrue(order.feeAmount > listed.order.feeAmount)
      const cost = 225_000n * Quoting.GAS_PRICE
      const cover = scene.asked.created[0]?.cover
      assert.isTrue(
        cover !== undefined && cover.value >= cost && cover.value <= (cost * 12n) / 10n,
        String(cover?.value)
      )
    })
  )

  it.effect("is told at the price at which it is charged, and the price impact at that of the token", () =>
    Effect.gen(function* () {
      const scene = yield* make(80n)
      const { quote } = yield* scene.quote({ tokenIn: UNLISTED, tier: "tier3" })
      const network = quote.feeBreakdown?.network
      assert.isDefined(network)
      const haircut = BigInt(orchestratorDefaults.prices.unlistedHaircutBps)
      assert.isAbove(orchestratorDefaults.prices.unlistedHaircutBps, 0)
      const charged = (Quoting.USD * (10_000n - haircut)) / 10_000n
      assert.strictEqual(network.usd, Usd.format(mulDivUp(network.amount, charged, Quoting.WHOLE)))
      // The scripted rehearsal delivers 1 % less than the venue promises.
      assert.strictEqual(quote.priceImpactBps, 100)
    })
  )

  it.effect("that does not pay for the gas when it is sold declines the quote", () =>
    Effect.gen(function* () {
      const scene = yield* make(0n)
      const error = yield* Effect.flip(scene.quote({ tokenIn: UNLISTED, tier: "tier3" }))
      assert.strictEqual(error._tag === "QuoteFailed" ? error.reason : error._tag, "fees_exceed_input")
      assert.include(error.message, "sells for 0 wei")
      assert.deepStrictEqual(scene.asked.created, [])
    })
  )

  it.effect("whose price is too small to compute with declines the quote", () =>
    Effect.gen(function* () {
      // Less the haircut it is nothing, or its rounding changes the fee.
      for (const [price, reason] of [
        [1n, "no_price"],
        [1_249n, "no_price"],
        [1_250n, "fees_exceed_input"]
      ] as const) {
        const scene = yield* make(100n)
        yield* Ref.update(scene.prices, (state) => ({
          ...state,
          prices: new Map([...state.prices].map(([chain, known]) => [chain, new Map([...known, [UNLISTED, price]])]))
        }))
        const error = yield* Effect.flip(scene.quote({ tokenIn: UNLISTED, tier: "tier3" }))
        assert.strictEqual(error._tag === "QuoteFailed" ? error.reason : error._tag, reason, `${price}`)
      }
    })
  )

  it.effect("of which a part sells covers that part", () =>
    Effect.gen(function* () {
      const scene = yield* make(1n)
      // The protocol fee of a large sweep pays for the gas although the token sells for a hundredth of its price.
      const { order } = yield* scene.quote({ tokenIn: UNLISTED, tier: "tier3", amountIn: 10_000n * Quoting.WHOLE })
      const worth = (order.feeAmount * FAIR) / 100n / Quoting.WHOLE
      assert.strictEqual(scene.asked.created[0]?.cover?.value, worth)
    })
  )

  it.effect("without any price is charged at what the sweep's own sale pays, and counts for what it sells for", () =>
    Effect.gen(function* () {
      const asked = { tokenIn: UNLISTED, tier: "tier3" } as const
      const priced = yield* (yield* make(80n)).quote(asked)
      const scene = yield* make(80n)
      yield* withoutPrice(scene, UNLISTED)
      const { order } = yield* scene.quote(asked)
      assert.strictEqual(order.feeAmount, priced.order.feeAmount)

      const worthless = yield* make(0n)
      yield* withoutPrice(worthless, UNLISTED)
      const error = yield* Effect.flip(worthless.quote(asked))
      assert.strictEqual(error._tag === "QuoteFailed" ? error.reason : error._tag, "fees_exceed_input")
    })
  )

  it.effect("that is listed and has no price counts like that of an unlisted one", () =>
    Effect.gen(function* () {
      const scene = yield* make(80n)
      yield* withoutPrice(scene, Quoting.TOKEN)
      const error = yield* Effect.flip(scene.quote())
      assert.include(error.message, "sells for 0 wei")
      yield* Ref.set(scene.feeRates, new Map([[Quoting.TOKEN, [(FAIR * 80n) / 100n, Quoting.WHOLE]]]))
      const { order } = yield* scene.quote()
      const listed = yield* (yield* make(80n)).quote()
      assert.isTrue(order.feeAmount > listed.order.feeAmount)
    })
  )

  it.effect("counts for its share of a thin pool beside all orders that are quoted at the same time", () =>
    Effect.gen(function* () {
      const scene = yield* make(100n)
      const asked = { tokenIn: UNLISTED, tier: "tier3" } as const
      // The pool pays for 30 tokens at most, regardless of the number that it gets.
      const depth = 30n * Quoting.WHOLE
      yield* Ref.set(scene.feeRates, new Map([[UNLISTED, [FAIR, Quoting.WHOLE, depth]]]))
      const outcomes = yield* Effect.forEach(
        Array.from({ length: 60 }, (_, index) => index),
        (index) => Effect.result(scene.quote({ ...asked, owner: owner(index) })),
        { concurrency: "unbounded" }
      )
      const offered = outcomes.filter(Result.isSuccess)
      const covered = scene.asked.created.reduce((sum, { cover }) => sum + (cover?.value ?? 0n), 0n)
      assert.isAbove(offered.length, 0)
      assert.isBelow(offered.length, outcomes.length)
      const money = (depth * FAIR) / Quoting.WHOLE
      assert.isTrue(covered <= money, `${offered.length} orders count on ${covered} wei of ${money}`)
      for (const outcome of outcomes) {
        if (Result.isSuccess(outcome)) continue
        const { failure } = outcome
        assert.strictEqual(failure._tag === "QuoteFailed" ? failure.reason : failure._tag, "fees_exceed_input")
      }

      // Once they can settle no more, the pool is there for others.
      assert.isTrue(Result.isFailure(yield* Effect.result(scene.quote(asked))))
      yield* TestClock.adjust("15 minutes")
      assert.isTrue(Result.isSuccess(yield* Effect.result(scene.quote(asked))))
    })
  )

  it.effect("keeps no share of a thin pool for a fee above the cost, or for an order that is refused", () =>
    Effect.gen(function* () {
      const scene = yield* make(100n)
      const asked = { tokenIn: UNLISTED, tier: "tier3" } as const
      yield* Ref.set(scene.feeRates, new Map([[UNLISTED, [FAIR, Quoting.WHOLE, 3_000n * Quoting.WHOLE]]]))
      // A protocol fee of 1,000 times the cost.
      yield* scene.quote({ ...asked, owner: owner(0), amountIn: 1_000_000n * Quoting.WHOLE })
      for (let index = 0; index < 5; index++) yield* scene.quote({ ...asked, owner: owner(1 + index) })
      yield* Ref.set(scene.feeRates, new Map([[UNLISTED, [FAIR / 100n, Quoting.WHOLE, 30n * Quoting.WHOLE]]]))
      for (let index = 0; index < 30; index++) {
        assert.isTrue(Result.isFailure(yield* Effect.result(scene.quote({ ...asked, owner: owner(100 + index) }))))
      }
      yield* Ref.set(scene.feeRates, new Map([[UNLISTED, [FAIR, Quoting.WHOLE, 30n * Quoting.WHOLE]]]))
      yield* scene.quote({ ...asked, owner: owner(1_000) })
    })
  )

  it.effect("keeps no share of a thin pool for an order that is refused after its fee was valued", () =>
    Effect.gen(function* () {
      // Nobody needs the tokens to ask for their sweep.
      const large = { tokenIn: UNLISTED, tier: "tier3", amountIn: 10n ** 12n * Quoting.WHOLE } as const
      const troubles: ReadonlyArray<(script: Quoting.Script) => bigint> = [
        // The simulation of the second pricing fails.
        (script) => {
          script.simulationFails = new SimulationFailed({ detail: "the owner has no such amount" })
          return 2_000_000n
        },
        (script) => {
          script.storeAvailable = false
          return 225_000n
        }
      ]
      for (const trouble of troubles) {
        const scene = yield* make(100n)
        yield* Ref.set(scene.feeRates, new Map([[UNLISTED, [FAIR, Quoting.WHOLE, 30n * Quoting.WHOLE]]]))
        scene.script.gas = () => trouble(scene.script)
        assert.isTrue(Result.isFailure(yield* Effect.result(scene.quote({ ...large, owner: owner(0) }))))
        scene.script.gas = () => 225_000n
        scene.script.simulationFails = undefined
        scene.script.storeAvailable = true
        yield* scene.quote({ ...large, amountIn: 100n * Quoting.WHOLE, owner: owner(1) })
      }

      const scene = yield* make(100n)
      yield* Ref.set(scene.feeRates, new Map([[UNLISTED, [FAIR, Quoting.WHOLE, 30n * Quoting.WHOLE]]]))
      const tooDear = { ...large, amountIn: 100n * Quoting.WHOLE, maxNetworkFee: 1n }
      for (let index = 0; index < 60; index++) {
        const error = yield* Effect.flip(scene.quote({ ...tooDear, owner: owner(index) }))
        assert.strictEqual(error._tag === "QuoteFailed" ? error.reason : error._tag, "network_fee_above_maximum")
      }
      yield* scene.quote({ ...large, amountIn: 100n * Quoting.WHOLE, owner: owner(1_000) })
    })
  )

  it.effect("keeps the share of the order that is offered, also if another one was valued after it", () =>
    Effect.gen(function* () {
      const worths: Array<bigint | undefined> = []
      // The second pricing is offered in both. In the first one it is followed by a third, with a lower fee that covers nothing.
      for (const second of [250_000n, 500_000n]) {
        const scene = yield* make(100n)
        const rate = (FAIR * 56n) / 100n
        yield* Ref.set(scene.feeRates, new Map([[UNLISTED, [rate, Quoting.WHOLE, 300n * Quoting.WHOLE]]]))
        scene.script.gas = (run) => (run === 1 ? second : 500_000n)
        for (const index of [0, 1]) yield* scene.quote({ tokenIn: UNLISTED, tier: "tier3", owner: owner(index) })
        assert.strictEqual(scene.asked.created[0]?.order.feeAmount, scene.asked.created[1]?.order.feeAmount)
        worths.push(scene.asked.created[1]?.cover?.value)
      }
      assert.isDefined(worths[0])
      assert.strictEqual(worths[0], worths[1])
    })
  )

  it.effect("keeps no share of a thin pool for what is above the cost, also if another order was valued after it", () =>
    Effect.gen(function* () {
      const scene = yield* make(100n)
      const asked = { tokenIn: UNLISTED, tier: "tier3" } as const
      yield* Ref.set(scene.feeRates, new Map([[UNLISTED, [FAIR, Quoting.WHOLE, 3_000n * Quoting.WHOLE]]]))
      // The second pricing is offered, and a third one follows it.
      scene.script.gas = (run) => (run === 1 ? 250_000n : 500_000n)
      yield* scene.quote({ ...asked, owner: owner(0), amountIn: 1_000_000n * Quoting.WHOLE })
      assert.lengthOf(scene.asked.simulated, 3)
      for (let index = 0; index < 5; index++) yield* scene.quote({ ...asked, owner: owner(1 + index) })
    })
  )

  it.effect("counts beside one promise of each other owner, whatever number of quotes anybody asks for", () =>
    Effect.gen(function* () {
      const scene = yield* make(100n)
      const asked = { tokenIn: UNLISTED, tier: "tier3" } as const
      yield* Ref.set(scene.feeRates, new Map([[UNLISTED, [FAIR, Quoting.WHOLE, 30n * Quoting.WHOLE]]]))
      const outcomes = yield* Effect.forEach(
        Array.from({ length: 60 }, () => scene.quote({ ...asked, owner: owner(0) })),
        Effect.result
      )
      // The holding of one owner fills the pool for its own orders alone.
      assert.isTrue(outcomes.some(Result.isFailure))
      yield* scene.quote({ ...asked, owner: owner(1) })
    })
  )

  it.effect("without any price is not charged where the output is unlisted, or on another chain", () =>
    Effect.gen(function* () {
      const scene = yield* make(80n)
      yield* withoutPrice(scene, Quoting.TOKEN)
      for (const request of [{ tokenOut: UNLISTED }, Quoting.crossChain]) {
        const error = yield* Effect.flip(scene.quote(request))
        assert.strictEqual(error._tag === "QuoteFailed" ? error.reason : error._tag, "no_price")
      }
    })
  )
})
