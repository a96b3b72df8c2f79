import { assert, it } from "@effect/vitest"
import { Effect, Layer, Ref } from "effect"
import { TestClock } from "effect/testing"
import { BuilderLedgerState } from "../../../src/adapters/memory/orchestrator/BuilderLedger.ts"
import { OutboxDelivery } from "../../../src/orchestrator/outbox/OutboxDelivery.ts"
import { BuilderLedger } from "../../../src/ports/orchestrator/BuilderLedger.ts"
import { hash } from "../../support/IntentFixtures.ts"
import { counts, deliver, settle, world } from "./outboxScene.ts"

const BROKEN = `${hash("broken")}_0`

/** The ledger's client, which dies of one sweep. */
const dying = Layer.effect(
  BuilderLedger,
  Effect.map(BuilderLedger, (ledger) => {
    const dies = Effect.die(new Error("not encoded"))
    return {
      ...ledger,
      book: (message) =>
        message._tag === "Revenue" && message.revenue.sweepId === BROKEN ? dies : ledger.book(message),
      bookRevenues: (revenues) =>
        revenues.some(({ sweepId }) => sweepId === BROKEN) ? dies : ledger.bookRevenues(revenues)
    } satisfies BuilderLedger["Service"]
  })
).pipe(Layer.provideMerge(world))

it.effect("a message by which the delivery fails is tried again later, and the others of its batch are delivered", () =>
  Effect.gen(function* () {
    const names = ["a", "broken", "b"]
    for (const [index, name] of names.entries()) yield* settle(name, index + 1, 5n, name)
    assert.deepStrictEqual(yield* deliver, { delivered: 2, deferred: 1, rejected: 0 })
    assert.lengthOf((yield* Ref.get(yield* BuilderLedgerState)).entries, 2)
    assert.deepStrictEqual(yield* counts, { pending: 1, rejected: 0 })
    assert.deepStrictEqual(yield* deliver, { delivered: 0, deferred: 0, rejected: 0 })
    yield* TestClock.adjust("5 minutes")
    assert.deepStrictEqual(yield* deliver, { delivered: 0, deferred: 1, rejected: 0 })
  }).pipe(Effect.provide(Layer.provideMerge(OutboxDelivery.layerOnDemand, dying)))
)
