/** The alert about a lane whose transaction waits for a lower price of gas, while others of the lane are mined. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Watcher } from "../../../src/orchestrator/watch/Watcher.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import * as EventLoop from "../../support/EventLoop.ts"
import { layer, scene } from "../../support/RelayScene.ts"
import { sweptLog } from "../../support/RelayFixtures.ts"
import { relay, tick } from "../../support/SentSweep.ts"
import { layerLimited, limitFees } from "../relay/chosenLimits.ts"

const GWEI = 1_000_000_000n

/** Covers 200,000 gas at so many gwei. */
const coverOf = (gwei: bigint) => ({ gas: 200_000n, gasPrice: gwei * GWEI, value: 200_000n * gwei * GWEI })

/** Nonce 0 is in a block that is not confirmed, and nonce 1 waits for a lower price of gas. */
const keptBehindMined = Effect.gen(function* () {
  const the = yield* scene
  const { alerts, chain, mineLane, submit, unfinished } = the
  const order = yield* submit({ id: "a", owner: 1, cover: coverOf(2n) })
  yield* relay
  yield* submit({ id: "b", owner: 2, cover: coverOf(2n) })
  yield* relay
  const [first, second] = yield* unfinished
  const hash = first?.attempts[0]?.hash ?? "0x"
  yield* chain.setFees({ baseFeePerGas: 200n * GWEI, maxPriorityFeePerGas: GWEI, maxFeePerGas: 401n * GWEI })
  const mine = (logs: ReadonlyArray<ReturnType<typeof sweptLog>>) => mineLane({ hash, logs })
  const standing = Effect.map(alerts.list, (all) => all.filter(({ kind }) => kind === "gas_price").map(({ id }) => id))
  return { ...the, mine, order, second: second?.attempts[0]?.hash ?? "0x", standing }
})

/** A process whose store takes a second for sweep `b`. */
const slowProcess = Layer.fresh(Watcher.layerOnDemand).pipe(
  Layer.provide(
    Layer.effect(
      Intents,
      Effect.map(Intents, (stored) => ({
        ...stored,
        findAll: (ids: ReadonlyArray<string>) =>
          Effect.delay(stored.findAll(ids), ids.includes("b") ? "1 second" : "0 seconds")
      }))
    )
  )
)

const stuck = TestClock.adjust(46_000)

describe("the alert about a transaction that waits for a lower price of gas", () => {
  it.effect("names the fee limit of the operator as a possible cause", () =>
    Effect.gen(function* () {
      const { alerts, chain, submit } = yield* scene
      yield* submit({ id: "a", cover: coverOf(41n) })
      yield* chain.setFees({ baseFeePerGas: 38n * GWEI, maxPriorityFeePerGas: GWEI, maxFeePerGas: 40n * GWEI })
      yield* relay
      yield* limitFees(50n * GWEI)
      // The sweep covers 61.5 gwei, so only the limit forbids another version.
      yield* chain.setFees({ baseFeePerGas: 55n * GWEI, maxPriorityFeePerGas: GWEI, maxFeePerGas: 50n * GWEI })
      yield* stuck
      yield* tick
      const messages = (yield* alerts.list).filter(({ kind }) => kind === "gas_price").map(({ message }) => message)
      assert.lengthOf(messages, 1)
      assert.include(messages[0], "network fees of its sweeps")
      assert.include(messages[0], "maxFeePerGasWei")
    }).pipe(Effect.provide(layerLimited))
  )

  it.effect("stands while an earlier nonce of its lane is concluded, and ends when its own is mined", () =>
    Effect.gen(function* () {
      const { bury, mine, mineLane, order, second, standing, submit, unfinished } = yield* keptBehindMined
      yield* mine([sweptLog(order)])
      yield* stuck
      yield* tick
      const before = yield* standing
      assert.lengthOf(before, 1)
      yield* bury(2)
      yield* tick
      assert.lengthOf(yield* unfinished, 1)
      assert.deepStrictEqual(yield* standing, before)

      // Another one waits behind it, and for no price of gas.
      yield* submit({ id: "c", owner: 3, cover: coverOf(1_000n) })
      assert.strictEqual((yield* relay).sent, 1)
      yield* mineLane({ hash: second }, 1n)
      yield* tick
      assert.lengthOf(yield* unfinished, 2)
      assert.deepStrictEqual(yield* standing, [])
    }).pipe(Effect.provide(layer))
  )

  it.effect("stands while an earlier nonce of its lane cannot be decided", () =>
    Effect.gen(function* () {
      const { bury, chain, mine, order, standing, state, unfinished } = yield* keptBehindMined
      state.spentNonces.add(order.order.nonce)
      yield* mine([])
      yield* stuck
      yield* tick
      const before = yield* standing
      assert.lengthOf(before, 1)
      yield* bury(2)
      yield* chain.fail("logs")
      for (let pass = 0; pass < 3; pass++) {
        yield* tick
        assert.lengthOf(yield* unfinished, 2)
        assert.deepStrictEqual(yield* standing, before)
        yield* TestClock.adjust(1_000)
      }
    }).pipe(Effect.provide(layer))
  )

  it.effect("stands when a process concludes the earlier nonce in its first pass", () =>
    Effect.gen(function* () {
      const { bury, mine, order, standing, unfinished } = yield* keptBehindMined
      yield* mine([sweptLog(order)])
      yield* stuck
      yield* tick
      const before = yield* standing
      assert.lengthOf(before, 1)
      yield* bury(2)
      const looking = yield* Effect.forkChild(tick.pipe(Effect.provide(slowProcess)))
      yield* EventLoop.settled
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(looking)
      assert.lengthOf(yield* unfinished, 1)
      assert.deepStrictEqual(yield* standing, before)
    }).pipe(Effect.provide(layer))
  )
})
