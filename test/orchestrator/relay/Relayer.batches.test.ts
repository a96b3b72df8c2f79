import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { numberToHex } from "viem"
import { designator } from "../../../src/domain/Delegation.ts"
import { Relayer } from "../../../src/orchestrator/relay/Relayer.ts"
import { Watcher } from "../../../src/orchestrator/watch/Watcher.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { address } from "../../support/FakeChain.ts"
import { layer, layerRunning, scene, settings } from "../../support/RelayScene.ts"
import { otherLog, source, sweptLog } from "../../support/RelayFixtures.ts"
import { booked, relay, tick } from "../../support/SentSweep.ts"

const settling = { success: true, returnData: numberToHex(950n, { size: 32 }), gasUsed: 150_000n, logs: [] } as const

/** Sweeps `a`, `b`, `c` … of owners 1, 2, 3 … */
const submitted = Effect.fnUntraced(function* (count: number) {
  const the = yield* scene
  const intents = yield* Effect.forEach(Array.from({ length: count }), (_, index) =>
    the.submit({ id: String.fromCharCode(97 + index), owner: index + 1 })
  )
  return { ...the, intents }
})

it.effect("a claimed intent without signatures goes back to the queue, and the others are sent", () =>
  Effect.gen(function* () {
    const { client, submit, unfinished } = yield* scene
    const relayer = yield* Relayer
    for (const [index, id] of ["a", "b"].entries()) yield* submit({ id, owner: index + 1 })
    const { intents, worker } = yield* relayer.claim(client)
    const claimed = intents.map(({ submission, ...intent }) =>
      intent.id === "a" || submission === undefined ? intent : { ...intent, submission }
    )
    assert.lengthOf(claimed, 2)
    assert.strictEqual(yield* relayer.relay(client, { worker, intents: claimed }), 1)
    assert.deepStrictEqual(
      (yield* unfinished).flatMap(({ intentIds }) => intentIds),
      ["b"]
    )
    assert.deepStrictEqual(yield* relay, { claimed: 0, sent: 0 })
    yield* TestClock.adjust("3 seconds")
    assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
  }).pipe(Effect.provide(layer))
)

describe("what a batch settles", () => {
  it.effect("is booked for each sweep by its own event; one without an event is given up alone", () =>
    Effect.gen(function* () {
      const { bury, chain, givenUp, intents, mineLane, pending, unfinished } = yield* submitted(3)
      yield* relay
      const hash = (yield* pending).attempts[0]?.hash ?? "0x"
      yield* chain.setCode(address(2), designator(source.contracts.delegate))
      const [a, , c] = intents
      if (a === undefined || c === undefined) return yield* Effect.die("no intents")
      yield* mineLane({ hash, logs: [otherLog, sweptLog(a), otherLog, sweptLog(c)] })
      yield* bury(2)
      const report = yield* tick
      assert.strictEqual(report.delivered, 2)
      assert.strictEqual(yield* givenUp("b"), "reverted")
      assert.lengthOf(yield* unfinished, 0)
      const sweepIds = (yield* booked).map((entry) =>
        entry._tag === "Accrual" ? entry.accrual.sweepId : entry.revenue.sweepId
      )
      assert.deepStrictEqual(sweepIds.toSorted(), [`${hash}_1`, `${hash}_1`, `${hash}_3`, `${hash}_3`])
    }).pipe(Effect.provide(layer))
  )

  it.effect("waits for what cannot be decided yet, and books the others meanwhile", () =>
    Effect.gen(function* () {
      const { bury, chain, givenUp, intent, intents, mineLane, pending, unfinished } = yield* submitted(2)
      yield* relay
      const hash = (yield* pending).attempts[0]?.hash ?? "0x"
      const [a] = intents
      if (a === undefined) return yield* Effect.die("no intents")
      yield* mineLane({ hash, logs: [sweptLog(a)] })
      yield* bury(2)
      yield* chain.fail("code")
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "delivered")
      assert.isUndefined(yield* givenUp("b"))
      assert.lengthOf(yield* unfinished, 1)
      yield* chain.fail()
      yield* tick
      assert.strictEqual(yield* givenUp("b"), "stale_authorization")
      assert.lengthOf(yield* unfinished, 0)
      assert.lengthOf(yield* booked, 2)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is settled in the block to which a reorganisation moved it, in another order", () =>
    Effect.gen(function* () {
      const { bury, chain, intent, intents, lane, mineLane, pending } = yield* submitted(2)
      yield* relay
      const hash = (yield* pending).attempts[0]?.hash ?? "0x"
      yield* mineLane({ hash, logs: intents.map((each) => sweptLog(each)) })
      yield* tick
      assert.strictEqual((yield* pending).status, "mined")
      yield* chain.reorg(1)
      yield* chain.setTransactionCount(lane, 0n)
      yield* bury(2)
      yield* mineLane({ hash, logs: intents.toReversed().map((each) => sweptLog(each)) })
      yield* tick
      assert.strictEqual((yield* pending).inclusion?.blockNumber, 4n)
      yield* bury(2)
      yield* tick
      for (const id of ["a", "b"]) assert.strictEqual((yield* intent(id)).status, "delivered")
      assert.lengthOf(yield* booked, 4)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is read from the store by a process that did not send it", () =>
    Effect.gen(function* () {
      const { bury, intent, intents, mineLane, pending } = yield* submitted(2)
      yield* relay
      const hash = (yield* pending).attempts[0]?.hash ?? "0x"
      yield* mineLane({ hash, logs: intents.map((each) => sweptLog(each)) })
      yield* bury(2)
      const other = yield* Effect.flatMap(Watcher, ({ tick }) => tick).pipe(Effect.provide(Watcher.layerOnDemand))
      assert.strictEqual(other.delivered, 2)
      assert.strictEqual((yield* intent("b")).status, "delivered")
    }).pipe(Effect.provide(layer))
  )
})

describe("the running relayer", () => {
  it.effect("gathers what arrives while its places are taken, and sends it together", () =>
    Effect.gen(function* () {
      const { chain, submit, unfinished } = yield* scene
      yield* TestClock.adjust(1_000)
      let open = false
      yield* chain.onSimulate((calls) =>
        Effect.yieldNow.pipe(Effect.repeat({ until: () => open }), Effect.as(calls.map(() => settling)))
      )
      const eventually = <E>(condition: Effect.Effect<boolean, E>) =>
        Effect.yieldNow.pipe(Effect.andThen(condition), Effect.repeat({ until: (isTrue) => isTrue }))
      const intents = yield* Intents
      const queued = Effect.map(intents.claim({ chainId: source.id, worker: "w", leaseMillis: 0, limit: 20 }), (all) =>
        all.map(({ id }) => id)
      )
      // One lane with two places: the first two are under way, the others wait.
      for (const owner of [1, 2]) {
        yield* submit({ id: `first-${owner}`, owner })
        yield* eventually(Effect.map(queued, (ids) => ids.length === 0))
        yield* TestClock.adjust(settings.relayer.gatherMillis)
      }
      for (const owner of [3, 4, 5, 6]) yield* submit({ id: `then-${owner}`, owner })
      open = true
      yield* eventually(Effect.map(unfinished, (all) => all.flatMap(({ intentIds }) => intentIds).length === 6))
      const sizes = (yield* unfinished).map(({ intentIds }) => intentIds.length)
      assert.deepStrictEqual(sizes.toSorted(), [1, 1, 4])
    }).pipe(Effect.provide(layerRunning))
  )
})
