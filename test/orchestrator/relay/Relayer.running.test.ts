/** The relayer's loop: what wakes it, what it waits for, and what it outlives. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { MOST_GATHER_MILLIS } from "../../../src/orchestrator/relay/Gathering.ts"
import { Relayer } from "../../../src/orchestrator/relay/Relayer.ts"
import type { ChainClient } from "../../../src/ports/shared/Chains.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { LoopDelay } from "../../../src/runtime/LoopDelay.ts"
import { layerRunning, runningIn, scene, settings, world, worldOnNodes } from "../../support/RelayScene.ts"
import { source } from "../../support/RelayFixtures.ts"

describe("the running relayer", () => {
  const eventually = <E>(condition: Effect.Effect<boolean, E>) =>
    Effect.yieldNow.pipe(Effect.andThen(condition), Effect.repeat({ until: (isTrue) => isTrue }))

  it.effect("is woken by a submission", () =>
    Effect.gen(function* () {
      const { sent, submit } = yield* scene
      yield* TestClock.adjust(1_000)
      yield* submit({ id: "a" })
      yield* eventually(Effect.map(sent, (all) => all.length === 1))
    }).pipe(Effect.provide(layerRunning))
  )

  it.effect("sends a first sweep at once, and together those that come right after it", () =>
    Effect.gen(function* () {
      const { sent, submit } = yield* scene
      yield* TestClock.adjust(1_000)
      yield* submit({ id: "first", owner: 1 })
      yield* eventually(Effect.map(sent, (all) => all.length === 1))
      for (const owner of [2, 3, 4]) {
        yield* submit({ id: `next-${owner}`, owner })
        // In memory, what has not happened by then waits for a timer.
        yield* Effect.repeat(Effect.yieldNow, { times: 5_000 })
      }
      yield* TestClock.adjust(settings.relayer.gatherMillis - 1)
      assert.lengthOf(yield* sent, 1)
      yield* TestClock.adjust(1)
      yield* eventually(Effect.map(sent, (all) => all.length === 2))
      const transactions = yield* (yield* RelayTransactions).unfinished(source.id)
      assert.deepStrictEqual(
        transactions.map(({ intentIds }) => intentIds.length),
        [1, 3]
      )
    }).pipe(Effect.provide(layerRunning))
  )

  it.effect("gathers for longer while the process is late", () => {
    const delay = { millis: 0 }
    const late = Layer.succeed(LoopDelay, { millis: () => delay.millis, measured: (effect) => effect })
    return Effect.gen(function* () {
      const { sent, submit } = yield* scene
      yield* TestClock.adjust(1_000)
      delay.millis = 1_000
      yield* submit({ id: "first", owner: 1 })
      yield* eventually(Effect.map(sent, (all) => all.length === 1))
      yield* submit({ id: "next", owner: 2 })
      yield* Effect.repeat(Effect.yieldNow, { times: 5_000 })
      yield* TestClock.adjust(MOST_GATHER_MILLIS - 1)
      assert.lengthOf(yield* sent, 1)
      yield* TestClock.adjust(1)
      yield* eventually(Effect.map(sent, (all) => all.length === 2))
    }).pipe(Effect.provide(runningIn(world, Relayer.layerNoDeps.pipe(Layer.provide(late)))))
  })

  it.effect("does not wait for more while its queue is long", () =>
    Effect.gen(function* () {
      const { sent, submit } = yield* scene
      yield* TestClock.adjust(1_000)
      yield* submit({ id: "first", owner: 1 })
      yield* eventually(Effect.map(sent, (all) => all.length === 1))
      for (let owner = 2; owner <= 3 * settings.relayer.batch; owner++) yield* submit({ id: `next-${owner}`, owner })
      yield* TestClock.adjust(settings.relayer.gatherMillis)
      // No time passes between these claims.
      yield* Effect.repeat(Effect.yieldNow, { times: 50_000 })
      const transactions = yield* (yield* RelayTransactions).unfinished(source.id)
      assert.isAbove(transactions.flatMap(({ intentIds }) => intentIds).length, 2 * settings.relayer.batch)
    }).pipe(Effect.provide(layerRunning))
  )

  it.effect("waits for more after a claim that emptied its queue, however many it found", () =>
    Effect.gen(function* () {
      const { sent, submit } = yield* scene
      yield* TestClock.adjust(1_000)
      yield* submit({ id: "first", owner: 1 })
      yield* eventually(Effect.map(sent, (all) => all.length === 1))
      const many = Math.floor(0.6 * settings.relayer.batch)
      for (let owner = 2; owner < many + 2; owner++) yield* submit({ id: `next-${owner}`, owner })
      yield* TestClock.adjust(settings.relayer.gatherMillis)
      const carried = Effect.map((yield* RelayTransactions).unfinished(source.id), (all) =>
        all.flatMap(({ intentIds }) => intentIds)
      )
      yield* eventually(Effect.map(carried, (ids) => ids.length === many + 1))
      yield* submit({ id: "last", owner: many + 2 })
      yield* Effect.repeat(Effect.yieldNow, { times: 5_000 })
      assert.lengthOf(yield* carried, many + 1)
      yield* TestClock.adjust(settings.relayer.gatherMillis)
      yield* eventually(Effect.map(carried, (ids) => ids.length === many + 2))
    }).pipe(Effect.provide(layerRunning))
  )

  it.effect("frees the places that a silent node holds when their leases end", () => {
    let isSilent = true
    const nodes = (client: ChainClient): ChainClient => ({
      ...client,
      simulate: (calls, overrides) => (isSilent ? Effect.never : client.simulate(calls, overrides))
    })
    return Effect.gen(function* () {
      const { sent, submit } = yield* scene
      const places = settings.relayer.batchesPerLane
      for (let owner = 1; owner <= places; owner++) {
        yield* submit({ id: `held-${owner}`, owner })
        yield* TestClock.adjust(1_000)
      }
      isSilent = false
      yield* submit({ id: "next", owner: 99 })
      yield* TestClock.adjust(settings.relayer.leaseMillis)
      yield* TestClock.adjust(settings.relayer.pollMillis)
      yield* eventually(Effect.map(sent, (all) => all.length > 0))
    }).pipe(Effect.provide(runningIn(worldOnNodes(nodes))))
  })

  it.effect("is woken by the block that frees a slot of its full lane", () =>
    Effect.gen(function* () {
      const { chain, lane, sent, submit } = yield* scene
      for (let owner = 1; owner <= 18; owner++) {
        yield* submit({ id: `sweep-${owner}`, owner })
        yield* TestClock.adjust(200)
        yield* eventually(Effect.map(sent, (all) => all.length === Math.min(owner, 15)))
      }
      yield* Effect.repeat(Effect.yieldNow, { times: 5_000 })
      assert.lengthOf(yield* sent, 15)
      yield* chain.setTransactionCount(lane, 1n)
      yield* chain.mine()
      yield* eventually(Effect.map(sent, (all) => all.length === 16))
      const newest = (yield* (yield* RelayTransactions).unfinished(source.id)).at(-1)
      assert.lengthOf(newest?.intentIds ?? [], 3)
    }).pipe(Effect.provide(layerRunning))
  )

  it.effect("looks by itself, and outlives failures", () =>
    Effect.gen(function* () {
      const { chain, sent, submit } = yield* scene
      yield* chain.fail("balance")
      yield* submit({ id: "a" })
      yield* TestClock.adjust(5_000)
      assert.lengthOf(yield* sent, 0)
      yield* chain.fail()
      yield* TestClock.adjust(5_000)
      yield* eventually(Effect.map(sent, (all) => all.length === 1))
    }).pipe(Effect.provide(layerRunning))
  )
})
