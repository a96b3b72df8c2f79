/**
 * The contracts of a chain were replaced, and the settings of this process do not name those that a sweep was quoted for. Nobody sees their guard,
 * so nothing about the sweep is decided until they are named.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { numberToHex } from "viem"
import { MemoryBridge } from "../../../src/adapters/memory/orchestrator/Bridge.ts"
import type { Deployment } from "../../../src/domain/Chain.ts"
import { bound } from "../../../src/domain/OrderNonce.ts"
import * as GuardLogs from "../../../src/orchestrator/settle/GuardLogs.ts"
import { LogSources } from "../../../src/orchestrator/settle/LogSources.ts"
import { look } from "../../../src/orchestrator/shared/ChainView.ts"
import { type Intent, Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { address } from "../../support/FakeChain.ts"
import { hash } from "../../support/IntentFixtures.ts"
import { destination, source, sweptLog } from "../../support/RelayFixtures.ts"
import { layerOnNodes, scene } from "../../support/RelayScene.ts"
import { booked, relay, sentSweep, tick } from "../../support/SentSweep.ts"

/** The scene's contracts were replaced. One transaction can carry sweeps of both, since they have the same entry here. */
const former = source.contracts
const current: Deployment = { ...former, delegate: address(0x71), guard: address(0x72) }

const KEY = `guard_unknown:${source.id}:${former.guard.slice(-32).toLowerCase()}`

/** Nodes of the chain for a process whose settings `restart` replaces. At first they name the former contracts. */
const replaced = () => {
  const settings: { earlier: ReadonlyArray<Deployment> } = { earlier: [former] }
  const nodes = layerOnNodes((client) => ({
    ...client,
    chain: {
      ...client.chain,
      contracts: current,
      get earlierContracts() {
        return settings.earlier
      }
    },
    // Nothing is spent at the current guard.
    call: (request) =>
      request.to === current.guard ? Effect.succeed(numberToHex(0, { size: 32 })) : client.call(request)
  }))
  const restart = (earlier: ReadonlyArray<Deployment>) => Effect.sync(() => void (settings.earlier = earlier))
  return { forget: restart([]), nodes, remember: restart([former]) }
}

const nonce = bound(former.guard, 7n)

/** A sent sweep of the former contracts. */
const sent = sentSweep({ order: { nonce }, submission: { address: former.delegate } })

const keys = Effect.fnUntraced(function* ({ alerts }: Pick<Effect.Success<typeof scene>, "alerts">) {
  return (yield* alerts.list).map(({ key }) => key)
})

describe("a sweep whose guard the settings do not name", () => {
  it.effect("waits after it settled and expired, alerts after a minute, and is booked once its guard is named", () => {
    const { forget, nodes, remember } = replaced()
    return Effect.gen(function* () {
      const the = yield* sent
      const { alertKinds, attempt, bury, givenUp, mineLane, order, passDeadline, state, status, unfinished } = the
      yield* forget
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order, { guard: former.guard })] })
      state.spentNonces.add(nonce)
      yield* bury(2)
      yield* tick
      assert.isUndefined(yield* givenUp("a"))
      yield* passDeadline
      yield* tick
      assert.strictEqual(yield* status, "submitted")
      assert.lengthOf(yield* unfinished, 1)
      assert.deepStrictEqual(yield* booked, [])

      yield* TestClock.adjust(59_999)
      yield* tick
      assert.deepStrictEqual(yield* alertKinds, [])
      yield* TestClock.adjust(1)
      yield* tick
      assert.deepStrictEqual(yield* alertKinds, ["guard_unknown"])
      const [alert] = yield* the.alerts.list
      assert.strictEqual(alert?.key, KEY)
      assert.include(alert?.message, former.delegate)
      assert.include(alert?.message, "earlierContracts")

      yield* remember
      yield* tick
      assert.strictEqual(yield* status, "delivered")
      assert.lengthOf(yield* unfinished, 0)
      assert.lengthOf(yield* booked, 2)
      // It clears when no process has renewed it for a while.
      yield* TestClock.adjust(600_000)
      yield* tick
      yield* TestClock.adjust(20_000)
      yield* tick
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(Effect.provide(nodes))
  })

  it.effect("keeps its alert while it waits, whatever other processes see", () => {
    const { forget, nodes } = replaced()
    return Effect.gen(function* () {
      const the = yield* sent
      yield* forget
      yield* the.mineLane({ hash: the.attempt.hash, logs: [sweptLog(the.order, { guard: former.guard })] })
      yield* the.bury(2)
      yield* tick
      yield* TestClock.adjust(60_000)
      for (let minute = 0; minute < 30; minute++) {
        yield* tick
        assert.deepStrictEqual(yield* keys(the), [KEY])
        yield* TestClock.adjust(60_000)
      }
    }).pipe(Effect.provide(nodes))
  })

  it.effect("is not given up if its transaction failed, and can settle by another one", () => {
    const { forget, nodes, remember } = replaced()
    return Effect.gen(function* () {
      const { attempt, bury, chain, givenUp, mineLane, order, state, status, unfinished } = yield* sent
      yield* forget
      yield* mineLane({ hash: attempt.hash, status: "reverted" })
      yield* chain.mine([{ hash: hash("foreign"), logs: [sweptLog(order, { guard: former.guard })] }])
      state.spentNonces.add(nonce)
      yield* bury(2)
      yield* tick
      assert.isUndefined(yield* givenUp("a"))
      assert.lengthOf(yield* unfinished, 1)
      yield* remember
      yield* tick
      assert.strictEqual(yield* status, "delivered")
    }).pipe(Effect.provide(nodes))
  })

  it.effect("does not expire if it was never sent", () => {
    const { forget, nodes, remember } = replaced()
    return Effect.gen(function* () {
      const { intent, passDeadline, submit } = yield* scene
      yield* submit({ id: "a", order: { nonce }, submission: { address: former.delegate } })
      yield* forget
      yield* passDeadline
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "submitted")
      yield* remember
      yield* tick
      assert.strictEqual((yield* intent("a")).failureReason, "expired")
    }).pipe(Effect.provide(nodes))
  })

  it.effect("is not decided when a foreign transaction took the nonce of its lane", () => {
    const { forget, nodes } = replaced()
    return Effect.gen(function* () {
      const { bury, givenUp, mineLane, unfinished } = yield* sent
      yield* forget
      yield* mineLane({ hash: hash("foreign"), logs: [] })
      yield* bury(100)
      yield* tick
      yield* TestClock.adjust(120_000)
      for (let looks = 0; looks < 4; looks++) yield* tick
      assert.isUndefined(yield* givenUp("a"))
      assert.lengthOf(yield* unfinished, 1)
    }).pipe(Effect.provide(nodes))
  })

  it.effect("stops no other sweep of its transaction", () => {
    const { forget, nodes, remember } = replaced()
    return Effect.gen(function* () {
      const { bury, givenUp, intent, mineLane, passDeadline, pending, submit, unfinished } = yield* scene
      const old = yield* submit({ id: "old", owner: 1, order: { nonce }, submission: { address: former.delegate } })
      const place = (index: bigint) => ({
        order: { nonce: bound(current.guard, index) },
        submission: { address: current.delegate }
      })
      const good = yield* submit({ id: "good", owner: 2, ...place(1n) })
      yield* submit({ id: "bad", owner: 3, ...place(2n) })
      yield* relay
      const { attempts, intentIds } = yield* pending
      assert.sameMembers([...intentIds], ["old", "good", "bad"])
      yield* forget
      const logs = [sweptLog(old, { guard: former.guard }), sweptLog(good, { guard: current.guard })]
      yield* mineLane({ hash: attempts[0]?.hash ?? "0x", logs })
      yield* bury(2)
      yield* tick
      assert.strictEqual((yield* intent("good")).status, "delivered")
      assert.isDefined(yield* givenUp("bad"))
      assert.isUndefined(yield* givenUp("old"))
      yield* passDeadline
      yield* tick
      assert.strictEqual((yield* intent("bad")).status, "failed")
      assert.lengthOf(yield* unfinished, 1)
      yield* remember
      yield* tick
      assert.strictEqual((yield* intent("old")).status, "delivered")
      assert.lengthOf(yield* unfinished, 0)
    }).pipe(Effect.provide(nodes))
  })

  it.effect("keeps its transaction unfinished after another process has settled it", () => {
    const { forget, nodes, remember } = replaced()
    return Effect.gen(function* () {
      const { alertKinds, attempt, bury, mineLane, order, unfinished } = yield* sent
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order, { guard: former.guard })] })
      yield* (yield* Intents).apply("a", [
        { _tag: "SettledAtSource", txHash: attempt.hash },
        { _tag: "Delivered", txHash: attempt.hash }
      ])
      yield* forget
      yield* bury(2)
      yield* tick
      assert.lengthOf(yield* unfinished, 1)
      assert.deepStrictEqual(yield* alertKinds, [])
      yield* remember
      yield* tick
      assert.lengthOf(yield* unfinished, 0)
    }).pipe(Effect.provide(nodes))
  })

  it.effect("is not called lost when it settles again after a reorganisation", () => {
    const { forget, nodes, remember } = replaced()
    return Effect.gen(function* () {
      const { alertKinds, attempt, bury, chain, lane, mineLane, order, status, unfinished } = yield* sent
      const again = mineLane({ hash: attempt.hash, logs: [sweptLog(order, { guard: former.guard })] })
      yield* again
      yield* bury(2)
      yield* tick
      assert.strictEqual(yield* status, "delivered")
      yield* forget
      yield* chain.reorg(3)
      yield* chain.setTransactionCount(lane, 0n)
      yield* bury(4)
      yield* tick
      yield* again
      yield* bury(2)
      yield* tick
      yield* tick
      assert.notInclude(yield* alertKinds, "settlement_lost")
      assert.lengthOf(yield* unfinished, 1)
      yield* remember
      yield* tick
      yield* tick
      assert.lengthOf(yield* unfinished, 0)
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(Effect.provide(nodes))
  })

  it.effect("is followed across chains once its guard is named, and alerts until then", () => {
    const { forget, nodes, remember } = replaced()
    return Effect.gen(function* () {
      const { alertKinds, attempt, bury, mineLane, order, status } = yield* sentSweep({
        order: { nonce, destChainId: BigInt(destination.id), minAmountOut: 0n },
        submission: { address: former.delegate }
      })
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order, { guard: former.guard, amountOut: 0n })] })
      yield* bury(2)
      yield* tick
      assert.strictEqual(yield* status, "settled_source")
      yield* (yield* MemoryBridge).settle(attempt.hash, { _tag: "Delivered", txHash: hash("fill"), amountOut: 900n })
      yield* forget
      for (let looks = 0; looks < 3; looks++) {
        yield* TestClock.adjust(60_000)
        yield* tick
      }
      assert.strictEqual(yield* status, "settled_source")
      assert.deepStrictEqual(yield* alertKinds, ["guard_unknown"])
      yield* remember
      yield* TestClock.adjust(60_000)
      yield* tick
      assert.strictEqual(yield* status, "delivered")
    }).pipe(Effect.provide(nodes))
  })

  it.effect("is not searched for in the logs of all contracts", () => {
    const { forget, nodes } = replaced()
    return Effect.gen(function* () {
      const { client, order } = yield* sent
      yield* forget
      const { first } = yield* GuardLogs.make
      const view = yield* look({ ...client, chain: { ...client.chain, contracts: current, earlierContracts: [] } })
      const search = { search: "settlement", topics: [], fromBlock: 0n, toBlock: 1n, fits: () => true } as const
      const failure = yield* Effect.flip(first(view, order satisfies Intent, search))
      assert.strictEqual(failure._tag, "SearchUnfinished")
    }).pipe(Effect.provide(LogSources.layer), Effect.provide(nodes))
  })
})
