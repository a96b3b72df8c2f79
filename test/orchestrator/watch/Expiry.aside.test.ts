/** Overdue intents of scheduled passes, which wait for none of them. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { OrchestratorSettings } from "../../../src/orchestrator/shared/OrchestratorSettings.ts"
import type { ChainClient } from "../../../src/ports/shared/Chains.ts"
import * as EventLoop from "../../support/EventLoop.ts"
import { address } from "../../support/FakeChain.ts"
import { receiptsOf } from "../../support/ReceiptsDuty.ts"
import { DEADLINE, sweptLog } from "../../support/RelayFixtures.ts"
import { onDemandIn, scene, settings, worldOnNodes } from "../../support/RelayScene.ts"
import { relay } from "../../support/SentSweep.ts"

/** Nodes that answer questions about the accounts of these owners after 20 seconds, or never. */
const slowFor = (owners: ReadonlyArray<number>, isSilent = false) => {
  const accounts = new Set(owners.map(address))
  return (client: ChainClient): ChainClient => ({
    ...client,
    code: (account) =>
      !accounts.has(account)
        ? client.code(account)
        : isSilent
          ? Effect.never
          : Effect.delay(client.code(account), "20 seconds")
  })
}

const worldWith = (change: (client: ChainClient) => ChainClient, batch = settings.watcher.batch) =>
  onDemandIn(
    Layer.merge(
      worldOnNodes(change),
      OrchestratorSettings.layer({ ...settings, watcher: { ...settings.watcher, batch } })
    )
  )

/** Sweeps of owners 1, 2 … that no transaction carries, each with the nonce of its owner's number, in the order of their deadlines. */
const overdue = Effect.fnUntraced(function* (count: number) {
  const the = yield* scene
  const ids = Array.from({ length: count }, (_, index) => String.fromCharCode(97 + index))
  for (const [index, id] of ids.entries()) {
    const order = { nonce: BigInt(index + 1), deadline: DEADLINE - BigInt(count - index) }
    yield* the.submit({ id, owner: index + 1, order })
  }
  yield* the.chain.mine([], 601n)
  yield* the.bury(2)
  const statuses = Effect.forEach(ids, (id) => Effect.map(the.intent(id), ({ status }) => status))
  return { ...the, statuses }
})

const settled = <A, E>(pass: Effect.Effect<A, E>) => Effect.andThen(pass, EventLoop.settled)

describe("intents that nothing carries", () => {
  it.effect("delay no settlement of others while they are decided", () =>
    Effect.gen(function* () {
      const { bury, chain, intent, mineLane, pending, submit } = yield* scene
      const order = yield* submit({ id: "mined", owner: 2 })
      yield* relay
      const { attempts, id } = yield* pending
      yield* submit({ id: "overdue", owner: 1 })
      yield* mineLane({ hash: attempts[0]?.hash ?? "0x", logs: [sweptLog(order)] })
      yield* chain.mine([], 601n)
      yield* bury(2)
      const { scheduled } = yield* receiptsOf([id])
      yield* scheduled
      assert.strictEqual((yield* intent("mined")).status, "delivered")
      assert.strictEqual((yield* intent("overdue")).status, "submitted")
      yield* EventLoop.settled
      yield* TestClock.adjust("20 seconds")
      yield* EventLoop.settled
      assert.strictEqual((yield* intent("overdue")).failureReason, "expired")
    }).pipe(Effect.provide(worldWith(slowFor([1]))))
  )

  it.effect("are decided by one round at a time, which ends with its process", () => {
    let reads = 0
    const counting = (client: ChainClient): ChainClient => {
      const slow = slowFor([1])(client)
      return {
        ...slow,
        code: (account) =>
          Effect.andThen(
            Effect.sync(() => reads++),
            slow.code(account)
          )
      }
    }
    return Effect.gen(function* () {
      const { statuses } = yield* overdue(1)
      const passes = Effect.gen(function* () {
        const { scheduled } = yield* receiptsOf([])
        for (let pass = 0; pass < 3; pass++) yield* settled(scheduled)
      })
      yield* Effect.scoped(passes)
      assert.strictEqual(reads, 1)
      yield* TestClock.adjust("20 seconds")
      yield* EventLoop.settled
      assert.deepStrictEqual(yield* statuses, ["submitted"])
    }).pipe(Effect.provide(worldWith(counting)))
  })

  it.effect("hide no later ones while they cannot be decided", () =>
    Effect.gen(function* () {
      const { state, statuses } = yield* overdue(3)
      const { scheduled } = yield* receiptsOf([])
      for (const nonce of [1n, 2n]) state.spentNonces.add(nonce)
      yield* settled(scheduled)
      assert.deepStrictEqual(yield* statuses, ["submitted", "submitted", "submitted"])
      yield* settled(scheduled)
      assert.deepStrictEqual(yield* statuses, ["submitted", "submitted", "failed"])
      // After the last one it begins with the first one again.
      state.spentNonces.clear()
      yield* settled(scheduled)
      assert.deepStrictEqual(yield* statuses, ["failed", "failed", "failed"])
    }).pipe(Effect.provide(worldWith((client) => client, 2)))
  )

  it.effect("hide no later ones while nodes do not answer", () =>
    Effect.gen(function* () {
      const { statuses } = yield* overdue(9)
      const { scheduled } = yield* receiptsOf([])
      yield* settled(scheduled)
      yield* TestClock.adjust("60 seconds")
      yield* settled(scheduled)
      assert.deepStrictEqual(yield* statuses, [...Array<string>(8).fill("submitted"), "failed"])
    }).pipe(Effect.provide(worldWith(slowFor([1, 2, 3, 4, 5, 6, 7, 8], true))))
  )
})
