import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Watcher } from "../../../src/orchestrator/watch/Watcher.ts"
import { RelayTransactions, type UnreadableTransaction } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { layer } from "../../support/RelayScene.ts"
import { source, sweptLog } from "../../support/RelayFixtures.ts"
import { sentSweep } from "../../support/SentSweep.ts"

describe("a relay transaction that cannot be read", () => {
  it.effect("is alerted until it is readable or gone, and the others go on", () =>
    Effect.gen(function* () {
      const { alerts, attempt, bury, mineLane, order, status } = yield* sentSweep()
      const transactions = yield* RelayTransactions
      let unreadable: ReadonlyArray<UnreadableTransaction> = ["17", "18"].map((id) => ({ id, detail: "no attempts" }))
      const poisoned = RelayTransactions.of({
        ...transactions,
        survey: (chainId) =>
          Effect.map(transactions.survey(chainId), (found) =>
            chainId === source.id ? { ...found, unreadable } : found
          )
      })
      /** A watcher of a process of its own. */
      const started = Layer.build(Layer.fresh(Watcher.layerOnDemand)).pipe(
        Effect.provideService(RelayTransactions, poisoned),
        Effect.map((context) => Context.get(context, Watcher).tick)
      )
      const keys = Effect.map(alerts.list, (all) => all.map(({ key }) => key).toSorted())
      const tick = yield* started
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
      yield* bury(2)
      yield* tick
      assert.strictEqual(yield* status, "delivered")
      assert.deepStrictEqual(yield* keys, ["relay_row_unreadable:17", "relay_row_unreadable:18"])
      unreadable = unreadable.slice(1)
      yield* tick
      assert.deepStrictEqual(yield* keys, ["relay_row_unreadable:18"])
      unreadable = []
      // The process that raised it is gone.
      yield* yield* started
      assert.deepStrictEqual(yield* keys, [])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})
