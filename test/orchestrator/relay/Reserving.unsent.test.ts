/** Reservations of sweeps that were never tried, because an earlier step of their batch failed or was interrupted. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import * as Chains from "../../../src/adapters/memory/shared/Chains.ts"
import { classOf, firstClass } from "../../../src/domain/Exposure.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { StoreUnavailable } from "../../../src/ports/shared/Store.ts"
import { address } from "../../support/FakeChain.ts"
import { destination, source } from "../../support/RelayFixtures.ts"
import { onDemandIn, scene, world, worldOn } from "../../support/RelayScene.ts"
import { relay } from "../../support/SentSweep.ts"
import { openOf } from "./concluded.ts"

const FIRST = firstClass(source.id, false)
const UNLISTED = classOf("unlisted", "all", source.id)

const LATE = 1_800_000_000n

const lost = new StoreUnavailable({ operation: "test", detail: "connection lost" })

/** A world whose budget has room for one sweep of a token. */
const tight = worldOn(Chains.layer([source, destination]), { unlistedLossBudget: 10n ** 16n })

/** A first sweep of listed tokens and one of unlisted tokens, which never share a transaction. The first one is tried first. */
const twoParcels = Effect.gen(function* () {
  const the = yield* scene
  yield* the.submit({ id: "listed", owner: 1, order: { deadline: LATE } })
  yield* the.submit({ id: "unlisted", owner: 2, order: { tokenIn: address(0x61), deadline: LATE } })
  return the
})

/** Relayers that store their first transaction by `first`. */
const allocating = (first: Effect.Effect<void, StoreUnavailable>) => {
  let calls = 0
  const layer = Layer.effect(
    RelayTransactions,
    Effect.map(RelayTransactions, (real): RelayTransactions["Service"] => ({
      ...real,
      allocate: (options) =>
        Effect.suspend(() => (++calls === 1 ? Effect.andThen(first, real.allocate(options)) : real.allocate(options)))
    }))
  )
  return onDemandIn(Layer.provideMerge(layer, world))
}

describe("a sweep that was never tried", () => {
  it.effect("reserves nothing after the database failed for the transaction before it", () =>
    Effect.gen(function* () {
      yield* twoParcels
      assert.strictEqual((yield* Effect.flip(relay))._tag, "StoreUnavailable")
      assert.deepStrictEqual([yield* openOf(FIRST), yield* openOf(UNLISTED)], [0n, 0n])
    }).pipe(Effect.provide(allocating(Effect.fail(lost))))
  )

  it.effect("reserves nothing after its batch was interrupted at the transaction before it", () =>
    Effect.gen(function* () {
      const reached = yield* Deferred.make<void>()
      const stop = Effect.andThen(Deferred.succeed(reached, undefined), Effect.never)
      yield* Effect.gen(function* () {
        yield* twoParcels
        const relaying = yield* Effect.forkChild(relay)
        yield* Deferred.await(reached)
        assert.isTrue((yield* openOf(UNLISTED)) > 0n)
        yield* Fiber.interrupt(relaying)
        assert.deepStrictEqual([yield* openOf(FIRST), yield* openOf(UNLISTED)], [0n, 0n])
      }).pipe(Effect.provide(allocating(stop)))
    })
  )

  it.effect("keeps its reservation if a transaction before the failed one carries it", () => {
    let calls = 0
    const failing = Layer.effect(
      RelayTransactions,
      Effect.map(RelayTransactions, (real): RelayTransactions["Service"] => ({
        ...real,
        allocate: (options) => Effect.suspend(() => (++calls === 2 ? Effect.fail(lost) : real.allocate(options)))
      }))
    )
    return Effect.gen(function* () {
      yield* twoParcels
      assert.strictEqual((yield* Effect.flip(relay))._tag, "StoreUnavailable")
      assert.isTrue((yield* openOf(FIRST)) > 0n)
      assert.strictEqual(yield* openOf(UNLISTED), 0n)
    }).pipe(Effect.provide(onDemandIn(Layer.provideMerge(failing, world))))
  })

  it.effect("reserves nothing after the database failed to postpone one that a budget has no room for", () => {
    const failing = Layer.effect(
      Intents,
      Effect.map(Intents, (real): Intents["Service"] => ({ ...real, release: () => Effect.fail(lost) }))
    )
    return Effect.gen(function* () {
      const the = yield* scene
      for (const owner of [1, 2, 3]) {
        yield* the.submit({ id: `u${owner}`, owner, order: { tokenIn: address(0x61), deadline: LATE } })
      }
      assert.strictEqual((yield* Effect.flip(relay))._tag, "StoreUnavailable")
      assert.strictEqual(yield* openOf(UNLISTED), 0n)
    }).pipe(Effect.provide(onDemandIn(Layer.provideMerge(failing, tight))))
  })
})
