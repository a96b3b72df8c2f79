import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { MemoryBridge } from "../../../src/adapters/memory/orchestrator/Bridge.ts"
import * as Duties from "../../../src/orchestrator/watch/Duties.ts"
import { parts } from "../../../src/orchestrator/watch/Watcher.ts"
import { Bridge } from "../../../src/ports/orchestrator/Bridge.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import type { ChainClient } from "../../../src/ports/shared/Chains.ts"
import { hash, submitted } from "../../support/IntentFixtures.ts"
import { layerOnNodes, runningIn, scene, silent, worldOnNodes } from "../../support/RelayScene.ts"
import { destination, elsewhere, source, sweptLog } from "../../support/RelayFixtures.ts"
import { sentSweep, tick } from "../../support/SentSweep.ts"

/** Maximum number of looks. In memory, what has not happened by then waits for a timer or for ever. */
const LOOKS = 20_000

const soon = <E>(condition: Effect.Effect<boolean, E>) =>
  Effect.yieldNow.pipe(
    Effect.andThen(condition),
    Effect.repeat({ until: (isTrue) => isTrue, times: LOOKS }),
    Effect.tap((isTrue) => Effect.sync(() => assert.isTrue(isTrue, "it did not happen")))
  )

const destinationIsSilent = (client: ChainClient) => (client.chain.id === destination.id ? silent(client) : client)

const world = worldOnNodes(destinationIsSilent, [source, destination, elsewhere])

/** Looks for deliveries to the silent chain never end. */
const worldWithDeliveries = Layer.effect(
  Bridge,
  Effect.map(Bridge, (bridge) => ({
    ...bridge,
    delivery: (options: Parameters<typeof bridge.delivery>[0]) =>
      options.order.destChainId === BigInt(destination.id) ? Effect.never : bridge.delivery(options)
  }))
).pipe(Layer.provideMerge(world))

/** Settles deposits to a chain. */
const deposit = Effect.fnUntraced(function* (
  { chain }: Effect.Success<typeof scene>,
  destChainId: number,
  owners: { readonly first: number; readonly count: number }
) {
  const intents = yield* Intents
  const ids = Array.from({ length: owners.count }, (_, index) => `to-${destChainId}-${index}`)
  const deposits = yield* Effect.forEach(ids, (id, index) =>
    submitted({ id, owner: owners.first + index, chainId: source.id, destChainId })
  )
  yield* chain.mine(
    deposits.map((each) => ({ hash: hash(each.id), logs: [sweptLog(each, { amountOut: each.order.minAmountOut })] }))
  )
  for (const id of ids) yield* intents.apply(id, [{ _tag: "SettledAtSource", txHash: hash(id) }])
  return ids
})

describe("a chain that accepts and never answers", () => {
  it.effect("delays no sweep of another chain", () =>
    Effect.gen(function* () {
      const { bury, intent, mineLane, pending, sent, submit } = yield* scene
      yield* TestClock.adjust(1_000)
      const order = yield* submit({ id: "a" })
      yield* soon(Effect.map(sent, (all) => all.length === 1))
      yield* mineLane({ hash: (yield* pending).attempts[0]?.hash ?? "0x", logs: [sweptLog(order)] })
      yield* bury(2)
      yield* soon(Effect.map(intent("a"), ({ status }) => status === "delivered"))
    }).pipe(Effect.provide(runningIn(world)))
  )

  it.effect("delays neither sweeps of a chain from which deposits wait for it, nor deliveries to another chain", () =>
    Effect.gen(function* () {
      const the = yield* scene
      const { bury, intent, mineLane, pending, sent, submit } = the
      const bridge = yield* MemoryBridge
      yield* deposit(the, destination.id, { first: 100, count: 40 })
      yield* TestClock.adjust(1_000)
      const order = yield* submit({ id: "a" })
      const [id = ""] = yield* deposit(the, elsewhere.id, { first: 200, count: 1 })
      yield* bridge.settle(hash(id), { _tag: "Delivered", txHash: hash("fill"), amountOut: 900n })
      yield* TestClock.adjust(1_000)
      yield* soon(Effect.map(intent(id), ({ status }) => status === "delivered"))
      yield* soon(Effect.map(sent, (all) => all.length === 1))
      yield* mineLane({ hash: (yield* pending).attempts[0]?.hash ?? "0x", logs: [sweptLog(order)] })
      yield* bury(2)
      yield* soon(Effect.map(intent("a"), ({ status }) => status === "delivered"))
    }).pipe(Effect.provide(runningIn(worldWithDeliveries)))
  )

  it.effect("is reported and alerted at the end of its deadline, when all other work is done", () =>
    Effect.gen(function* () {
      const { alertKinds, attempt, bury, mineLane, order, status } = yield* sentSweep()
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
      yield* bury(2)
      const ticking = yield* Effect.forkChild(tick)
      yield* soon(Effect.map(status, (now) => now === "delivered"))
      yield* TestClock.adjust(300_000)
      const report = yield* Fiber.join(ticking)
      assert.deepStrictEqual(report.unavailableChains, [destination.id])
      assert.strictEqual(report.delivered, 1)
      assert.deepStrictEqual(yield* alertKinds, ["chain_unavailable"])
    }).pipe(Effect.provide(layerOnNodes(destinationIsSilent)))
  )
})

describe("a duty", () => {
  const duty = (fields: Readonly<Record<string, string>>) =>
    Effect.flatMap(Duties.make, (duties) =>
      Effect.fromNullishOr(
        duties.find((each) => Object.entries(fields).every(([name, value]) => each.fields[name] === value))
      )
    ).pipe(Effect.orDie, Effect.provide(parts))

  it.effect("pauses longer while its chain does not answer", () =>
    Effect.gen(function* () {
      const { chain } = yield* scene
      const { pauseMillis, round } = yield* duty({ duty: "receipts", chain: source.name })
      const pauses: Array<number> = []
      yield* chain.fail("block")
      for (let look = 0; look < 6; look++) {
        pauses.push(yield* pauseMillis)
        yield* round
      }
      assert.deepStrictEqual(pauses, [1_000, 2_000, 4_000, 8_000, 15_000, 15_000])
      yield* chain.fail()
      yield* round
      assert.strictEqual(yield* pauseMillis, 1_000)
    }).pipe(Effect.provide(world))
  )

  it.effect("starts no look for a delivery after 15 seconds, and leaves what it did not look at due", () =>
    Effect.gen(function* () {
      const the = yield* scene
      const intents = yield* Intents
      yield* deposit(the, destination.id, { first: 100, count: 40 })
      const { round } = yield* duty({ duty: "deliveries", destination: destination.name })
      const running = yield* Effect.forkChild(round)
      yield* TestClock.adjust(60_000)
      const { findings } = yield* Fiber.join(running)
      assert.lengthOf(findings, 8)
      assert.isTrue(findings.every(({ unavailable }) => unavailable?.chainId === destination.id))
      assert.lengthOf(yield* intents.deliveriesDue(source.id, destination.id, 100), 32)
    }).pipe(Effect.provide(worldWithDeliveries))
  )
})
