/** Sweeps that a pending transaction may pay for are not given up before it ends. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { numberToHex } from "viem"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { address } from "../../support/FakeChain.ts"
import { reverting } from "../../support/RelayFixtures.ts"
import { layer, scene } from "../../support/RelayScene.ts"
import { relay } from "../../support/SentSweep.ts"

const settling = { success: true, returnData: numberToHex(950n, { size: 32 }), gasUsed: 150_000n, logs: [] } as const
const failing = { ...settling, success: false, returnData: reverting("InsufficientOutput") } as const

/** Sweep `a` of owner 1 is pending and pays `paid`. Sweep `b` of owner 2 fails until `state.isPaid`. */
const behind = Effect.fnUntraced(function* (paid: number) {
  const the = yield* scene
  const state = { isPaid: false }
  yield* the.chain.onSimulate((steps) =>
    Effect.sync(() => steps.map(({ to }) => (to === address(2) && !state.isPaid ? failing : settling)))
  )
  yield* the.submit({ id: "a", owner: 1, order: { destination: address(paid) } })
  assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
  yield* the.submit({ id: "b", owner: 2 })
  return { ...the, state }
})

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
