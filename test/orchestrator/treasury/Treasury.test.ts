import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { QuoteFailed } from "../../../src/orchestrator/quote/QuoteFailed.ts"
import { SubmissionRefused } from "../../../src/orchestrator/intake/SubmissionRefused.ts"
import { address } from "../../support/FakeChain.ts"
import { hash } from "../../support/IntentFixtures.ts"
import { solidly, v2 } from "../../sdk/VenueCalls.ts"
import * as Scene from "../../support/TreasuryScene.ts"
import { LST, USDC } from "../../support/TreasuryScene.ts"
import { RECIPIENT, SALE_FEE, type Script, WHOLE } from "../../support/TreasuryScript.ts"

/** Time after which a running treasury has begun a due round, and then carried its sales on. */
const LOOK = "31 seconds"

const stateOf = (scene: Effect.Success<ReturnType<typeof Scene.make>>) =>
  Effect.map(scene.sales.recent(10), (sales) => sales.map(({ state }) => state))

/** A scene with collected fees whose first sale is submitted. */
const selling = Effect.fnUntraced(function* (options: Scene.Options = {}) {
  const scene = yield* Scene.make(options)
  yield* scene.collect("a", LST, 100n * WHOLE)
  const process = yield* scene.start
  yield* TestClock.adjust(LOOK)
  return { ...scene, process }
})

describe("a sale", () => {
  it.effect("for the contracts before an upgrade is booked by the event of their guard", () =>
    Effect.gen(function* () {
      const scene = yield* selling({ generation: "first" })
      yield* scene.settle("sale-1", 98_765_432n)
      yield* TestClock.adjust(LOOK)
      assert.deepStrictEqual(yield* stateOf(scene), ["settled"])
    })
  )

  it.effect("is quoted, signed by the fee recipient and booked by its event", () =>
    Effect.gen(function* () {
      const scene = yield* selling()
      const { process, settle } = scene
      assert.deepStrictEqual(
        scene.asked.quotes.map(({ amountIn, destination, owner, tokenIn, tokenOut }) => [
          owner,
          destination,
          tokenIn,
          tokenOut,
          amountIn
        ]),
        [[RECIPIENT, RECIPIENT, LST, USDC, 100n * WHOLE]]
      )
      assert.deepStrictEqual(scene.asked.submitted, ["sale-1"])
      const [during] = (yield* process.treasury.view).entries
      assert.deepInclude(during, { state: "selling", collected: 100n * WHOLE, sold: 0n })
      assert.isUndefined(during?.unexplained)

      yield* settle("sale-1", 98_765_432n)
      yield* TestClock.adjust("6 seconds")
      const { entries, sales } = yield* process.treasury.view
      assert.deepInclude(sales[0], { state: "settled", amountOut: 98_765_432n, feeAmount: SALE_FEE })
      const [lst, usdc] = [LST, USDC].map((token) => entries.find((entry) => entry.token === token))
      assert.deepInclude(lst, {
        collected: 100n * WHOLE,
        sold: 99n * WHOLE,
        held: WHOLE,
        unexplained: 0n,
        state: "small",
        proceeds: [{ token: USDC, amount: 98_765_432n }]
      })
      assert.deepInclude(usdc, {
        collected: 0n,
        arrived: 98_765_432n,
        held: 98_765_432n,
        unexplained: 0n,
        state: "asset"
      })
    })
  )

  it.effect("that is booked while the view is read leaves no difference, and is settled only with its books", () =>
    Effect.gen(function* () {
      for (const moment of [1, 2, 3, 4]) {
        const { process, sales, script, settle } = yield* selling()
        let reads = 0
        script.afterRead = Effect.suspend(() => {
          reads++
          return reads === moment ? Effect.orDie(booked) : Effect.void
        })
        const booked = Effect.gen(function* () {
          yield* settle("sale-1", 98_765_432n)
          for (const sale of yield* sales.open) {
            assert.isTrue(yield* sales.settle(sale, { amountOut: 98_765_432n, txHash: hash("sale") }))
          }
        })
        const view = yield* process.treasury.view
        assert.isAtLeast(reads, moment)
        const isSettled = view.sales.every(({ state }) => state === "settled")
        for (const { unexplained } of view.entries) {
          if (isSettled || unexplained !== undefined) assert.strictEqual(unexplained, 0n, `read ${moment}`)
        }
        script.afterRead = Effect.void
        assert.isTrue((yield* process.treasury.view).entries.every(({ unexplained }) => unexplained === 0n))
        yield* process.stop
      }
    })
  )

  it.effect("is made once, whether or not the process ends in any step", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make()
      yield* scene.collect("a", LST, 100n * WHOLE)
      // Ends after the plan: the quote never comes.
      scene.script.quoteFails = "upstream_unavailable"
      const planned = yield* scene.start
      yield* TestClock.adjust(LOOK)
      assert.deepStrictEqual(yield* stateOf(scene), ["planned"])
      yield* planned.stop

      // Ends after the intent was chosen, before it is submitted.
      scene.script.quoteFails = undefined
      scene.script.submitting = Effect.never
      const offered = yield* scene.start
      yield* TestClock.adjust("2 minutes")
      assert.deepStrictEqual(yield* stateOf(scene), ["offered"])
      assert.deepStrictEqual(scene.asked.submitted, [])
      yield* offered.stop

      // Ends after the submission, before anything is noted.
      scene.script.submitting = Effect.void
      const quotes = scene.asked.quotes.length
      const submitted = yield* scene.start
      yield* TestClock.adjust("65 seconds")
      assert.deepStrictEqual(scene.asked.submitted, [`sale-${quotes}`])
      yield* submitted.stop

      yield* scene.settle(`sale-${quotes}`, 99_000_000n)
      const last = yield* scene.start
      yield* TestClock.adjust("65 seconds")
      assert.deepStrictEqual(yield* stateOf(scene), ["settled"])
      assert.strictEqual(scene.asked.quotes.length, quotes)
      assert.lengthOf(scene.asked.submitted, 1)
      assert.strictEqual((yield* last.treasury.view).entries[0]?.unexplained, 0n)
    })
  )

  it.effect("gets another intent only when the first can no longer settle", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make()
      yield* scene.collect("a", LST, 100n * WHOLE)
      scene.script.submitting = Effect.fail(new SubmissionRefused({ reason: "chain_paused", detail: "scripted" }))
      yield* scene.start
      yield* TestClock.adjust(LOOK)
      assert.lengthOf(scene.asked.quotes, 1)
      // The quote expires after 2 minutes, and its order 10 minutes later. Clocks may be wrong by as much again.
      yield* TestClock.adjust("21 minutes")
      assert.lengthOf(scene.asked.quotes, 1)
      scene.script.submitting = Effect.void
      yield* TestClock.adjust("2 minutes")
      assert.lengthOf(scene.asked.quotes, 2)
      assert.deepStrictEqual(scene.asked.submitted, ["sale-2"])
    })
  )

  it.effect("is given up after several intents that could not be submitted", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make()
      yield* scene.collect("a", LST, 100n * WHOLE)
      scene.script.submitting = Effect.fail(new SubmissionRefused({ reason: "bad_signature", detail: "scripted" }))
      yield* scene.start
      yield* TestClock.adjust("3 hours")
      assert.deepStrictEqual(yield* stateOf(scene), ["failed"])
      assert.isAtMost(scene.asked.quotes.length, 4)
    })
  )

  it.effect("of two processes is made by one", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make()
      yield* scene.collect("a", LST, 100n * WHOLE)
      yield* Effect.all([scene.start, scene.start, scene.start], { concurrency: "unbounded" })
      yield* TestClock.adjust("1 minute")
      assert.lengthOf(scene.asked.submitted, 1)
      assert.deepStrictEqual(yield* stateOf(scene), ["offered"])
    })
  )

  it.effect("ends with its intent, and its token rests", () =>
    Effect.gen(function* () {
      const scene = yield* selling({ treasury: { intervalMillis: 60_000 } })
      yield* scene.fails("sale-1", "reverted")
      yield* TestClock.adjust(LOOK)
      const [entry] = (yield* scene.process.treasury.view).entries
      assert.deepInclude(entry, {
        state: "unsellable",
        reason: "sale_failed",
        detail: "reverted: scripted",
        failures: 1,
        lost: 100n * WHOLE,
        unexplained: 0n
      })
      yield* TestClock.adjust("50 minutes")
      assert.lengthOf(scene.asked.quotes, 1)
      yield* TestClock.adjust("15 minutes")
      assert.lengthOf(scene.asked.quotes, 2)
    })
  )

  it.effect("of a large balance is made in lots, with a pause between them", () =>
    Effect.gen(function* () {
      const scene = yield* selling({ treasury: { maxValue: 40n * 10n ** 18n } })
      const amounts: Array<bigint> = []
      for (const id of ["sale-1", "sale-2", "sale-3"]) {
        assert.strictEqual(scene.asked.submitted.at(-1), id)
        amounts.push(scene.asked.quotes.at(-1)?.amountIn ?? 0n)
        yield* scene.settle(id, 34_000_000n)
        yield* TestClock.adjust("9 minutes")
        assert.lengthOf(scene.asked.submitted, amounts.length)
        yield* TestClock.adjust("2 minutes")
      }
      assert.strictEqual(
        amounts.reduce((sum, amount) => sum + amount, 0n),
        100n * WHOLE
      )
      assert.deepStrictEqual(yield* stateOf(scene), ["settled", "settled", "settled"])
    })
  )
})

describe("an offer", () => {
  it.effect("that delivers too little is not signed", () =>
    Effect.gen(function* () {
      const scene = yield* Scene.make()
      scene.script.offer = (honest) => ({
        ...honest,
        quote: { ...honest.quote, minAmountOut: 90_000_000n },
        order: { ...honest.order, minAmountOut: 90_000_000n }
      })
      yield* scene.collect("a", LST, 100n * WHOLE)
      yield* scene.start
      yield* TestClock.adjust(LOOK)
      assert.deepStrictEqual(scene.asked.submitted, [])
      const [failure] = yield* scene.sales.failures
      assert.deepInclude(failure, { reason: "price_impact", token: LST })
    })
  )

  it.effect("that differs from its request is not signed", () =>
    Effect.gen(function* () {
      const thief = address(0x66)
      const changes: ReadonlyArray<Script["offer"]> = [
        (honest) => ({ ...honest, order: { ...honest.order, destination: thief } }),
        (honest) => ({ ...honest, order: { ...honest.order, amountIn: honest.order.amountIn + 1n } }),
        (honest) => ({ ...honest, order: { ...honest.order, builder: thief, builderFee: 1n } }),
        (honest) => ({ ...honest, order: { ...honest.order, minAmountOut: 1n } }),
        // A router of any kind that pays another account.
        (honest) => ({ ...honest, order: { ...honest.order, swapCalldata: v2({ recipient: thief }) } }),
        (honest) => ({ ...honest, order: { ...honest.order, swapCalldata: solidly({ recipient: thief }) } }),
        (honest) => ({ ...honest, order: { ...honest.order, deadline: 2n ** 60n } }),
        (honest) => ({ ...honest, quote: { ...honest.quote, settlementAddress: thief } })
      ]
      for (const offer of changes) {
        const scene = yield* Scene.make()
        scene.script.offer = offer
        yield* scene.collect("a", LST, 100n * WHOLE)
        const { stop } = yield* scene.start
        yield* TestClock.adjust(LOOK)
        assert.deepStrictEqual(scene.asked.submitted, [])
        assert.deepStrictEqual(yield* stateOf(scene), ["failed"], String(offer))
        yield* stop
      }
    })
  )

  it.effect("that fails for good ends the sale, and one that fails for a moment delays it", () =>
    Effect.gen(function* () {
      const reasons: ReadonlyArray<readonly [QuoteFailed["reason"], string]> = [
        ["no_route", "failed"],
        ["token_declined", "failed"],
        ["simulation_failed", "failed"],
        ["chain_unavailable", "planned"],
        ["store_unavailable", "planned"],
        ["budget_spent", "planned"]
      ]
      for (const [reason, state] of reasons) {
        const scene = yield* Scene.make()
        scene.script.quoteFails = reason
        yield* scene.collect("a", LST, 100n * WHOLE)
        const { stop } = yield* scene.start
        yield* TestClock.adjust("2 minutes")
        assert.deepStrictEqual(yield* stateOf(scene), [state], reason)
        assert.strictEqual(scene.asked.quotes.length > 1, state === "planned")
        yield* stop
      }
    })
  )
})
