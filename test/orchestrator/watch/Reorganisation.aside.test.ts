/** Reorganisations deeper than the confirmations while fees are valued, which no pass waits for. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Duty } from "../../../src/orchestrator/watch/Duties.ts"
import { FeeValue } from "../../../src/ports/orchestrator/FeeValue.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { StoreUnavailable } from "../../../src/ports/shared/Store.ts"
import * as EventLoop from "../../support/EventLoop.ts"
import { address } from "../../support/FakeChain.ts"
import { receiptsOf } from "../../support/ReceiptsDuty.ts"
import { sweptLog } from "../../support/RelayFixtures.ts"
import { onDemandIn, scene, worldOnNodes } from "../../support/RelayScene.ts"
import { relay } from "../../support/SentSweep.ts"

interface State {
  isSlow: boolean
  /** Number of a block that the nodes do not have. */
  hidden?: bigint | undefined
}

/** A world in which the worth of a fee is known after 20 seconds while `isSlow` is set. */
const slowWorld = (state: State) => {
  const worth = Effect.suspend(() =>
    Effect.delay(Effect.succeed(10n ** 18n), state.isSlow ? "20 seconds" : "0 seconds")
  )
  const world = worldOnNodes((client) => ({
    ...client,
    block: (number) => (number === state.hidden ? Effect.succeedNone : client.block(number))
  }))
  return Layer.merge(world, Layer.succeed(FeeValue, { realisable: () => worth }))
}

describe("a reorganisation deeper than the confirmations", () => {
  it.effect("is noticed when it takes a block whose fees are being valued", () => {
    const state: State = { isSlow: false }
    return Effect.gen(function* () {
      const the = yield* scene
      const { bury, chain, intent, lane, mineLane, unfinished } = the
      const order = yield* the.submit({ id: "a", order: { tokenIn: address(0xb9) } })
      yield* relay
      const { attempts, id } = yield* the.pending
      const mined = { hash: attempts[0]?.hash ?? "0x", logs: [sweptLog(order)] }
      const { number } = yield* mineLane(mined)
      yield* bury(2)
      const { scheduled } = yield* receiptsOf([id])
      const pass = Effect.andThen(scheduled, EventLoop.settled)
      state.isSlow = true
      yield* pass
      assert.strictEqual((yield* intent("a")).status, "delivered")
      assert.lengthOf(yield* unfinished, 1)

      yield* chain.reorg(3)
      yield* chain.setTransactionCount(lane, 0n)
      yield* bury(4)
      yield* TestClock.adjust("2 seconds")
      yield* pass
      // The answer comes, and the transaction ends with a block that is gone.
      yield* TestClock.adjust("20 seconds")
      yield* EventLoop.settled
      assert.lengthOf(yield* unfinished, 0)
      state.hidden = number
      yield* pass
      assert.lengthOf(yield* unfinished, 0)
      state.hidden = undefined
      yield* TestClock.adjust("5 seconds")
      yield* pass
      assert.strictEqual((yield* the.pending).reopened?.hash, mined.hash)
      state.isSlow = false
      yield* mineLane(mined)
      yield* bury(2)
      for (let passes = 0; passes < 2; passes++) {
        yield* TestClock.adjust("5 seconds")
        yield* pass
      }
      assert.lengthOf(yield* unfinished, 0)
      assert.strictEqual((yield* intent("a")).status, "delivered")
      assert.deepStrictEqual(yield* the.alertKinds, [])
    }).pipe(Effect.provide(onDemandIn(slowWorld(state))))
  })

  it.effect("costs a few reads of final transactions, although some fee is being valued in every later pass", () => {
    const reads = { ofFinals: 0 }
    const counted = Layer.effect(
      RelayTransactions,
      Effect.map(RelayTransactions, (stored) => ({
        ...stored,
        finalFrom: (chainId: number, from: bigint) =>
          Effect.suspend(() => {
            reads.ofFinals += 1
            return stored.finalFrom(chainId, from)
          })
      }))
    )
    return Effect.gen(function* () {
      const { bury, chain, mineLane, submit, unfinished } = yield* scene
      const { scheduled } = yield* receiptsOf([]).pipe(Effect.provide(counted))
      const deciding: Array<number> = []
      for (let round = 0; round < 12; round++) {
        const order = yield* submit({ id: `s${round}`, owner: round + 1, order: { tokenIn: address(0xb9 + round) } })
        assert.strictEqual((yield* relay).sent, 1)
        const newest = (yield* unfinished).at(-1)
        yield* mineLane({ hash: newest?.attempts[0]?.hash ?? "0x", logs: [sweptLog(order)] }, newest?.nonce)
        yield* bury(3)
        yield* scheduled
        yield* EventLoop.settled
        deciding.push((yield* unfinished).length)
        if (round === 3) {
          // The head of this pass, and no transaction.
          yield* chain.reorg(1)
          yield* chain.mine([], 1n)
        }
        yield* TestClock.adjust("15 seconds")
        yield* EventLoop.settled
      }
      // Every pass but the first began while a decision went on.
      assert.isTrue(deciding.every((count) => count > 0))
      // At the start, after the reorganisation, and when the decision of that moment has ended.
      assert.strictEqual(reads.ofFinals, 3)
    }).pipe(Effect.provide(onDemandIn(slowWorld({ isSlow: true }))))
  })

  it.effect(
    "is noticed by another process if the one that settled the sweeps stops before their transaction ends",
    () =>
      Effect.gen(function* () {
        const { alertKinds, bury, chain, intent, lane, mineLane, pending, submit, unfinished } = yield* scene
        const order = yield* submit({ id: "a" })
        yield* relay
        const { attempts, id } = yield* pending
        const mined = { hash: attempts[0]?.hash ?? "0x", logs: [sweptLog(order)] }
        yield* mineLane(mined)
        yield* bury(2)
        const unavailable = new StoreUnavailable({ operation: "finalize", detail: "the process stops" })
        const failing = Layer.effect(
          RelayTransactions,
          Effect.map(RelayTransactions, (stored) => ({ ...stored, finalize: () => Effect.fail(unavailable) }))
        )
        const stopping = yield* receiptsOf([id]).pipe(Effect.provide(failing))
        yield* Effect.exit(stopping.scheduled)
        assert.strictEqual((yield* intent("a")).status, "delivered")
        assert.lengthOf(yield* unfinished, 1)

        yield* chain.reorg(3)
        yield* chain.setTransactionCount(lane, 0n)
        yield* bury(4)
        const { scheduled } = yield* receiptsOf([id])
        for (let passes = 0; passes < 3; passes++) {
          yield* TestClock.adjust("20 seconds")
          yield* scheduled
          const { kind, reopened } = yield* pending
          assert.deepStrictEqual([kind, reopened?.hash], ["sweep", mined.hash])
          assert.deepStrictEqual(yield* alertKinds, ["reorg_after_final"])
        }
      }).pipe(Effect.provide(onDemandIn(slowWorld({ isSlow: false }))))
  )

  it.effect("is noticed by another process if the one that values the fees stops", () => {
    const state = { isSlow: false }
    return Effect.gen(function* () {
      const { alertKinds, bury, chain, intent, lane, mineLane, pending, submit, unfinished } = yield* scene
      const order = yield* submit({ id: "a", order: { tokenIn: address(0xb9) } })
      yield* relay
      const { attempts, id } = yield* pending
      const mined = { hash: attempts[0]?.hash ?? "0x", logs: [sweptLog(order)] }
      yield* mineLane(mined)
      yield* bury(2)
      state.isSlow = true
      const pass = Effect.fnUntraced(function* ({ scheduled }: Pick<Duty, "scheduled">) {
        yield* scheduled
        yield* EventLoop.settled
      })
      yield* Effect.scoped(Effect.flatMap(receiptsOf([id]), pass))
      assert.strictEqual((yield* intent("a")).status, "delivered")

      state.isSlow = false
      yield* chain.reorg(3)
      yield* chain.setTransactionCount(lane, 0n)
      yield* bury(4)
      const other = yield* receiptsOf([id])
      for (let passes = 0; passes < 3; passes++) {
        yield* TestClock.adjust("2 seconds")
        yield* pass(other)
        const { kind, reopened } = yield* pending
        assert.deepStrictEqual([kind, reopened?.hash], ["sweep", mined.hash])
        assert.deepStrictEqual(yield* alertKinds, ["reorg_after_final"])
      }
      yield* mineLane(mined)
      yield* bury(2)
      for (let passes = 0; passes < 2; passes++) {
        yield* TestClock.adjust("5 seconds")
        yield* pass(other)
      }
      assert.lengthOf(yield* unfinished, 0)
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(Effect.provide(onDemandIn(slowWorld(state))))
  })
})
