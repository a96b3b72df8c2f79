/** Sweeps that a transaction may pay for are not given up before every simulating node has its block. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { numberToHex } from "viem"
import { toleratedBlocks } from "../../../src/domain/HeadLag.ts"
import type { SweepOrder } from "../../../src/domain/SweepOrder.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { address } from "../../support/FakeChain.ts"
import { destination, reverting, source, sweptLog } from "../../support/RelayFixtures.ts"
import { layer, layerOnNodes, scene } from "../../support/RelayScene.ts"
import { relay, tick } from "../../support/SentSweep.ts"

const settling = { success: true, returnData: numberToHex(950n, { size: 32 }), gasUsed: 150_000n, logs: [] } as const
const failing = { ...settling, success: false, returnData: reverting("InsufficientOutput") } as const

/** Sweep `a` of owner 1 is pending and pays `paid`. Sweep `b` of owner 2 fails until `state.isPaid`. */
const behind = Effect.fnUntraced(function* (paid: number, changes: Partial<SweepOrder> = {}) {
  const the = yield* scene
  const state = { isPaid: false }
  yield* the.chain.onSimulate((steps) =>
    Effect.sync(() => steps.map(({ to }) => (to === address(2) && !state.isPaid ? failing : settling)))
  )
  const payer = yield* the.submit({ id: "a", owner: 1, order: { destination: address(paid), ...changes } })
  assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
  yield* the.submit({ id: "b", owner: 2 })
  return { ...the, payer, state }
})

/** As {@link behind}, and the transaction is in the newest block, which the watcher has seen. */
const mined = Effect.gen(function* () {
  const the = yield* behind(2)
  const hash = (yield* the.pending).attempts[0]?.hash ?? assert.fail("not sent")
  yield* the.mineLane({ hash, logs: [sweptLog(the.payer)], gasUsed: 250_000n })
  yield* tick
  assert.strictEqual((yield* the.pending).status, "mined")
  return the
})

/** Blocks by which a simulating node may be behind. */
const BEHIND = Number(toleratedBlocks(source.blockTimeMillis))

describe("a sweep that fails while a transaction is pending", () => {
  it.effect("waits if that transaction pays its owner, and is sent once it settles", () =>
    Effect.gen(function* () {
      const { givenUp, state } = yield* behind(2)
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
      assert.isUndefined(yield* givenUp("b"))
      state.isPaid = true
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
    }).pipe(Effect.provide(layer))
  )

  it.effect("is given up if that transaction pays others", () =>
    Effect.gen(function* () {
      const { givenUp } = yield* behind(3)
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
      assert.strictEqual(yield* givenUp("b"), "simulation_failed")
    }).pipe(Effect.provide(layer))
  )

  it.effect("is given up if that transaction pays its owner on another chain", () =>
    Effect.gen(function* () {
      const { givenUp } = yield* behind(2, { destChainId: BigInt(destination.id) })
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
      assert.strictEqual(yield* givenUp("b"), "simulation_failed")
    }).pipe(Effect.provide(layer))
  )

  it.effect("waits while a simulating node may be behind the block of that transaction, and is given up then", () =>
    Effect.gen(function* () {
      const { bury, givenUp, pending } = yield* mined
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
      assert.isUndefined(yield* givenUp("b"))
      yield* bury(BEHIND - 1)
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
      assert.isUndefined(yield* givenUp("b"))
      yield* bury(1)
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual((yield* pending).status, "mined")
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
      assert.strictEqual(yield* givenUp("b"), "simulation_failed")
    }).pipe(Effect.provide(layer))
  )

  it.effect("waits after a reorganisation that took the block of that transaction, before the watcher sees it", () =>
    Effect.gen(function* () {
      const { bury, chain, givenUp, pending, state } = yield* mined
      yield* chain.reorg(1)
      yield* bury(1)
      assert.strictEqual((yield* pending).status, "mined")
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
      assert.isUndefined(yield* givenUp("b"))
      state.isPaid = true
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
    }).pipe(Effect.provide(layer))
  )

  it.effect("waits for a mined transaction while the head is unknown", () =>
    Effect.gen(function* () {
      const { bury, givenUp } = yield* mined
      yield* bury(BEHIND)
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
      assert.isUndefined(yield* givenUp("b"))
    }).pipe(Effect.provide(layerOnNodes((client) => ({ ...client, recentHead: () => Effect.succeedNone }))))
  )

  it.effect("is given up once that transaction has ended and it fails still", () =>
    Effect.gen(function* () {
      const { givenUp, intent, pending } = yield* behind(2)
      const { txHash = assert.fail("not sent") } = yield* intent("a")
      yield* (yield* Intents).apply("a", [
        { _tag: "SettledAtSource", txHash },
        { _tag: "Delivered", txHash }
      ])
      yield* (yield* RelayTransactions).finalize([{ id: (yield* pending).id }])
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
      assert.strictEqual(yield* givenUp("b"), "simulation_failed")
    }).pipe(Effect.provide(layer))
  )
})
