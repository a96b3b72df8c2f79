/** Sweeps that their own transaction did not settle, and what the others of the chain notice of them. */
import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { designator } from "../../../src/domain/Delegation.ts"
import { address } from "../../support/FakeChain.ts"
import { source, sweptLog } from "../../support/RelayFixtures.ts"
import { layerOnNodes, scene } from "../../support/RelayScene.ts"
import { relay, tick } from "../../support/SentSweep.ts"

const FAILED = 20

/** Nodes take so long to search logs. */
const layer = layerOnNodes((client) => ({
  ...client,
  logs: (filter) => Effect.andThen(Effect.sleep("100 millis"), client.logs(filter))
}))

it.effect("many failed sweeps of one transaction delay no sweep of a later block for long", () =>
  Effect.gen(function* () {
    const { bury, chain, givenUp, intent, mineLane, submit, unfinished } = yield* scene
    const failing = Array.from({ length: FAILED }, (_, index) => `f${index + 1}`)
    for (const [index, id] of failing.entries()) yield* submit({ id, owner: index + 1 })
    yield* relay
    yield* chain.setCode(address(61), designator(source.contracts.delegate))
    const order = yield* submit({ id: "honest", owner: 61, order: { nonce: 61n } })
    yield* relay
    const [first, second] = yield* unfinished
    // Their authorizations do not count, so nothing of it runs.
    yield* mineLane({ hash: first?.attempts[0]?.hash ?? "0x", logs: [] }, 0n)
    yield* bury(2)

    const deciding = yield* Effect.forkChild(tick)
    yield* TestClock.adjust(1)
    yield* mineLane({ hash: second?.attempts[0]?.hash ?? "0x", logs: [sweptLog(order)] }, 1n)
    yield* bury(2)
    yield* TestClock.adjust(400)
    assert.isDefined(deciding.pollUnsafe())
    yield* Fiber.join(deciding)
    const settling = yield* Effect.forkChild(tick)
    yield* TestClock.adjust(1)
    assert.strictEqual((yield* intent("honest")).status, "delivered")

    yield* TestClock.adjust(400)
    yield* Fiber.join(settling)
    for (let pass = 0; pass < FAILED; pass++) {
      const next = yield* Effect.forkChild(tick)
      yield* TestClock.adjust(400)
      yield* Fiber.join(next)
    }
    for (const id of failing) assert.isDefined(yield* givenUp(id), id)
  }).pipe(Effect.provide(layer))
)
