import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Watcher } from "../../../src/orchestrator/watch/Watcher.ts"
import { layer, scene } from "../../support/RelayScene.ts"
import { sweptLog } from "../../support/RelayFixtures.ts"
import { booked, relay, tick } from "../../support/SentSweep.ts"

/** Sweeps `a`, `b`, `c` … of owners 1, 2, 3 … */
const submitted = Effect.fnUntraced(function* (count: number) {
  const the = yield* scene
  const intents = yield* Effect.forEach(Array.from({ length: count }), (_, index) =>
    the.submit({ id: String.fromCharCode(97 + index), owner: index + 1 })
  )
  return { ...the, intents }
})

describe("a reorganisation deeper than the confirmations", () => {
  const settledTwo = Effect.gen(function* () {
    const the = yield* submitted(2)
    yield* relay
    const hash = (yield* the.pending).attempts[0]?.hash ?? "0x"
    const logs = the.intents.map((each) => sweptLog(each))
    yield* the.mineLane({ hash, logs })
    yield* the.bury(2)
    yield* tick
    assert.lengthOf(yield* the.unfinished, 0)
    assert.lengthOf(yield* booked, 4)
    return { ...the, hash, logs }
  })

  it.effect("sends what it took away again, the same bytes, and books nothing twice", () =>
    Effect.gen(function* () {
      const { alertKinds, bury, chain, hash, intent, lane, logs, mineLane, sent, unfinished } = yield* settledTwo
      yield* bury(10)
      yield* tick
      yield* chain.reorg(13)
      yield* chain.setTransactionCount(lane, 0n)
      yield* bury(14)
      yield* TestClock.adjust(15_000)
      assert.strictEqual((yield* tick).rebroadcast, 1)
      assert.deepStrictEqual(yield* alertKinds, ["reorg_after_final"])
      const [first, again] = yield* sent
      assert.strictEqual(again?.raw, first?.raw)
      assert.strictEqual((yield* unfinished)[0]?.reopened, true)

      yield* mineLane({ hash, logs })
      yield* bury(2)
      yield* tick
      assert.lengthOf(yield* unfinished, 0)
      yield* tick
      assert.deepStrictEqual(yield* alertKinds, [])
      assert.lengthOf(yield* booked, 4)
      for (const id of ["a", "b"]) assert.strictEqual((yield* intent(id)).status, "delivered")
    }).pipe(Effect.provide(layer))
  )

  it.effect("follows what it only moved to another block", () =>
    Effect.gen(function* () {
      const { bury, chain, hash, logs, sent, unfinished } = yield* settledTwo
      yield* chain.reorg(3)
      yield* chain.mine([])
      yield* chain.mine([{ hash, logs }])
      yield* bury(4)
      yield* tick
      yield* tick
      assert.lengthOf(yield* unfinished, 0)
      assert.lengthOf(yield* sent, 1)
      assert.lengthOf(yield* booked, 4)
    }).pipe(Effect.provide(layer))
  )

  it.effect("says which settlement did not come back", () =>
    Effect.gen(function* () {
      const { alertKinds, bury, chain, hash, intents, intent, lane, mineLane } = yield* settledTwo
      yield* chain.reorg(3)
      yield* chain.setTransactionCount(lane, 0n)
      yield* bury(4)
      yield* tick
      const [a] = intents
      if (a === undefined) return yield* Effect.die("no intents")
      yield* mineLane({ hash, logs: [sweptLog(a)] })
      yield* bury(2)
      yield* tick
      yield* tick
      assert.deepStrictEqual(yield* alertKinds, ["settlement_lost"])
      assert.strictEqual((yield* intent("b")).status, "delivered")
      assert.lengthOf(yield* booked, 4)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is noticed by a process that was not there, and not believed from a node that is behind", () =>
    Effect.gen(function* () {
      const { chain, unfinished } = yield* settledTwo
      const tickElsewhere = tick.pipe(Effect.provide(Watcher.layerOnDemand))
      yield* chain.reorg(3)
      yield* tickElsewhere
      assert.lengthOf(yield* unfinished, 0)
      yield* chain.mine([])
      yield* chain.mine([])
      yield* tickElsewhere
      assert.lengthOf(yield* unfinished, 1)
    }).pipe(Effect.provide(layer))
  )
})
