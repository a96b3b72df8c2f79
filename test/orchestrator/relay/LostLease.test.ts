/** A claimer that has lost its lease changes neither reservations nor claims of the next one. */
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { classOf } from "../../../src/domain/Exposure.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { LaneFull, RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { address } from "../../support/FakeChain.ts"
import { reverting, source } from "../../support/RelayFixtures.ts"
import { onDemandIn, scene, settings, world } from "../../support/RelayScene.ts"
import { relay } from "../../support/SentSweep.ts"
import { conclude, openOf } from "./concluded.ts"

const UNLISTED = classOf("unlisted", "all", source.id)

/**
 * Relayers of which the first one stops when it would store its transaction, and the second one waits there. When the first one resumes,
 * its lane is full.
 */
const stopping = Effect.gen(function* () {
  const [first, second, proceed] = [
    yield* Deferred.make<void>(),
    yield* Deferred.make<void>(),
    yield* Deferred.make<void>()
  ]
  const resume = yield* Deferred.make<void>()
  let calls = 0
  const step = Effect.suspend(() => {
    calls += 1
    return calls === 1
      ? Effect.andThen(Deferred.succeed(first, undefined), Deferred.await(resume)).pipe(
          Effect.andThen(Effect.fail(new LaneFull({ lane: address(1), nonce: 0n })))
        )
      : Effect.andThen(Deferred.succeed(second, undefined), Deferred.await(proceed))
  })
  const layer = Layer.effect(
    RelayTransactions,
    Effect.map(RelayTransactions, (real): RelayTransactions["Service"] => ({
      ...real,
      allocate: (options) => Effect.andThen(step, real.allocate(options))
    }))
  )
  return {
    layer: onDemandIn(Layer.provideMerge(layer, world)),
    first: Deferred.await(first),
    second: Deferred.await(second),
    proceed: Deferred.succeed(proceed, undefined),
    resume: Deferred.succeed(resume, undefined)
  }
})

it.effect("a worker that has lost its lease does not end what the next one has reserved", () =>
  Effect.gen(function* () {
    const { first, layer, proceed, second } = yield* stopping
    yield* Effect.gen(function* () {
      const the = yield* scene
      yield* the.submit({ id: "u", order: { tokenIn: address(0x61), deadline: 1_800_000_000n } })
      const late = yield* Effect.forkChild(relay)
      yield* first
      const reserved = yield* openOf(UNLISTED)
      assert.isTrue(reserved > 0n)
      yield* TestClock.adjust(settings.relayer.leaseMillis)
      const next = yield* Effect.forkChild(relay)
      yield* second

      yield* Fiber.interrupt(late)
      assert.strictEqual(yield* openOf(UNLISTED), reserved)
      yield* proceed
      assert.strictEqual((yield* Fiber.join(next)).sent, 1)
      assert.strictEqual(yield* openOf(UNLISTED), reserved)
      yield* conclude(the, "success", 0n)
      assert.strictEqual(yield* openOf(UNLISTED), 0n)
    }).pipe(Effect.provide(layer))
  })
)

it.effect("a worker that has lost its lease does not postpone what the next one has claimed", () =>
  Effect.gen(function* () {
    const { first, layer, proceed, resume, second } = yield* stopping
    yield* Effect.gen(function* () {
      const the = yield* scene
      const { claim } = yield* Intents
      yield* the.submit({ id: "a", order: { deadline: 1_800_000_000n } })
      const late = yield* Effect.forkChild(relay)
      yield* first
      yield* TestClock.adjust(settings.relayer.leaseMillis)
      const next = yield* Effect.forkChild(relay)
      yield* second

      yield* resume
      assert.strictEqual((yield* Fiber.join(late)).sent, 0)
      yield* TestClock.adjust(3_000)
      const third = yield* claim({ chainId: source.id, worker: "third", leaseMillis: 1_000, limit: 1 })
      assert.lengthOf(third, 0)
      yield* proceed
      assert.strictEqual((yield* Fiber.join(next)).sent, 1)
    }).pipe(Effect.provide(layer))
  })
)

it.effect("a worker that has lost its lease gives up nothing that the next one has claimed", () =>
  Effect.gen(function* () {
    const the = yield* scene
    const { claim } = yield* Intents
    const [asked, resume] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    yield* the.chain.onSimulate((steps) =>
      Effect.andThen(Deferred.succeed(asked, undefined), Deferred.await(resume)).pipe(
        Effect.as(
          steps.map(() => ({
            success: false,
            returnData: reverting("InsufficientOutput"),
            gasUsed: 150_000n,
            logs: []
          }))
        )
      )
    )
    yield* the.submit({ id: "a", order: { deadline: 1_800_000_000n } })
    const late = yield* Effect.forkChild(relay)
    yield* Deferred.await(asked)
    yield* TestClock.adjust(settings.relayer.leaseMillis)
    const leaseMillis = 1_000
    assert.lengthOf(yield* claim({ chainId: source.id, worker: "next", leaseMillis, limit: 1 }), 1)

    yield* Deferred.succeed(resume, undefined)
    assert.strictEqual((yield* Fiber.join(late)).sent, 0)
    assert.isUndefined(yield* the.givenUp("a"))
    assert.lengthOf(yield* claim({ chainId: source.id, worker: "third", leaseMillis, limit: 1 }), 0)
  }).pipe(Effect.provide(onDemandIn(world)))
)
