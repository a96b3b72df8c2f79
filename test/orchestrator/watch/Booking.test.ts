/** Fees in unlisted tokens, whose worth is asked for when their sweeps have settled: nothing else waits for the answer. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { classOf } from "../../../src/domain/Exposure.ts"
import { Exposures } from "../../../src/ports/orchestrator/Exposures.ts"
import { FeeValue } from "../../../src/ports/orchestrator/FeeValue.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { address } from "../../support/FakeChain.ts"
import { source, sweptLog } from "../../support/RelayFixtures.ts"
import { onDemandIn, runningIn, scene, world } from "../../support/RelayScene.ts"
import { relay, tick } from "../../support/SentSweep.ts"

const UNLISTED = address(0xb9)

const ALL = classOf("unlisted", "all", source.id)

/** A world in which nobody says what a fee sells for once `isSilent` is set. */
const silentWorld = (state: { isSilent: boolean }) =>
  Layer.merge(
    world,
    Layer.succeed(FeeValue, {
      realisable: () => Effect.suspend(() => (state.isSilent ? Effect.never : Effect.succeed(10n ** 18n)))
    })
  )

const eventually = <E, R>(condition: Effect.Effect<boolean, E, R>) =>
  Effect.yieldNow.pipe(Effect.andThen(condition), Effect.repeat({ until: (isTrue) => isTrue }))

/** Two transactions in confirmed blocks: of a sweep of an unlisted token, and of one of a listed token. */
const mined = Effect.fnUntraced(function* <E, R>(sent: Effect.Effect<unknown, E, R>) {
  const the = yield* scene
  const intents = [
    yield* the.submit({ id: "unlisted", owner: 1, order: { tokenIn: UNLISTED } }),
    yield* the.submit({ id: "listed", owner: 2 })
  ]
  yield* sent
  for (const { attempts, intentIds, nonce } of yield* the.unfinished) {
    const logs = intents.filter(({ id }) => intentIds.includes(id)).map((each) => sweptLog(each))
    yield* the.mineLane({ hash: attempts[0]?.hash ?? "0x", logs, gasUsed: 0n, dataFee: 7n }, nonce)
  }
  yield* the.bury(2)
  return the
})

const carried = Effect.flatMap(RelayTransactions, ({ unfinished }) =>
  Effect.map(unfinished(source.id), (all) => all.flatMap(({ intentIds }) => intentIds))
)

describe("a fee in an unlisted token whose worth nobody knows", () => {
  it.effect("delays the end of no other transaction, and is worth nothing when it was asked for too long", () => {
    const state = { isSilent: false }
    return Effect.gen(function* () {
      yield* TestClock.adjust(1_000)
      const sent = eventually(Effect.map(carried, (ids) => ids.length === 2))
      const { intent, submit } = yield* mined(Effect.tap(sent, () => Effect.sync(() => (state.isSilent = true))))
      yield* eventually(Effect.map(carried, (ids) => !ids.includes("listed")))
      assert.deepStrictEqual(yield* carried, ["unlisted"])
      assert.strictEqual((yield* intent("unlisted")).status, "delivered")

      // Passes go on meanwhile.
      yield* submit({ id: "later", owner: 3 })
      yield* TestClock.adjust(1_000)
      yield* eventually(Effect.map(carried, (ids) => ids.includes("later")))
      yield* TestClock.adjust("30 seconds")
      yield* eventually(Effect.map(carried, (ids) => !ids.includes("unlisted")))
      assert.strictEqual((yield* (yield* Exposures).sums([ALL])).get(ALL)?.hour.lost, 7n)
    }).pipe(Effect.provide(runningIn(silentWorld(state))))
  })

  it.effect("ends a pass that is waited for, too", () => {
    const state = { isSilent: false }
    return Effect.gen(function* () {
      yield* mined(relay)
      state.isSilent = true
      const pass = yield* Effect.forkChild(tick)
      yield* Effect.repeat(Effect.yieldNow, { times: 5_000 })
      yield* TestClock.adjust("30 seconds")
      yield* Fiber.join(pass)
      assert.deepStrictEqual(yield* carried, [])
      assert.strictEqual((yield* (yield* Exposures).sums([ALL])).get(ALL)?.hour.lost, 7n)
    }).pipe(Effect.provide(onDemandIn(silentWorld(state))))
  })
})
