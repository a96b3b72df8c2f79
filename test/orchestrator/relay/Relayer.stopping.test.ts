/** A relayer that stops, and the sweeps that it has claimed. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Layer, Scope } from "effect"
import { TestClock } from "effect/testing"
import { Relayer } from "../../../src/orchestrator/relay/Relayer.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { source } from "../../support/RelayFixtures.ts"
import { layerOnNodes, scene, settings } from "../../support/RelayScene.ts"

const unanswered = layerOnNodes((client) => ({ ...client, simulate: () => Effect.never }))

/** Stops a relayer that has claimed a sweep. Succeeds if another worker can claim the sweep then. */
const stopped = (change: (intents: Intents["Service"]) => Partial<Intents["Service"]>) =>
  Effect.gen(function* () {
    const { submit } = yield* scene
    const intents = yield* Intents
    const stores = Layer.succeed(Intents, { ...intents, ...change(intents) })
    const scope = yield* Scope.make()
    yield* Layer.build(Layer.fresh(Relayer.layer).pipe(Layer.provide(stores))).pipe(Scope.provide(scope))
    yield* submit({ id: "a" })
    yield* TestClock.adjust(1_000)
    const isLeased =
      (yield* intents.claim({ chainId: source.id, worker: "next", leaseMillis: 1, limit: 1 })).length === 0
    assert.isTrue(isLeased)
    const closing = yield* Effect.forkChild(Scope.close(scope, Exit.void))
    yield* TestClock.adjust(1_000)
    yield* Fiber.join(closing)
    const [next] = yield* intents.claim({ chainId: source.id, worker: "next", leaseMillis: 1, limit: 1 })
    assert.strictEqual(next?.id, "a")
  }).pipe(Effect.provide(unanswered))

describe("a stopping relayer", () => {
  it.effect("gives back what it claimed when it stops, and claims nothing more", () =>
    stopped(({ release }) => ({
      // The loop's next look falls into the time between the release and the end.
      release: (...parameters) => Effect.andThen(release(...parameters), TestClock.adjust(settings.relayer.pollMillis))
    }))
  )

  it.effect("gives back a claim whose answer is on its way when it stops", () =>
    stopped(({ claim }) => ({ claim: (options) => Effect.tap(claim(options), () => Effect.sleep(1_500)) }))
  )
})
