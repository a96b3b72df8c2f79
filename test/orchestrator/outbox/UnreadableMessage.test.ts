import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Ref } from "effect"
import * as LaneBook from "../../../src/adapters/sql/orchestrator/LaneBook.ts"
import * as BuilderLedger from "../../../src/adapters/memory/orchestrator/BuilderLedger.ts"
import { orchestratorDefaults } from "../../../src/config/Orchestrator.ts"
import { outboxMessages } from "../../../src/domain/Accrual.ts"
import { OutboxDelivery } from "../../../src/orchestrator/outbox/OutboxDelivery.ts"
import { OrchestratorSettings } from "../../../src/orchestrator/shared/OrchestratorSettings.ts"
import { Alerts } from "../../../src/ports/shared/Alerts.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { Outbox } from "../../../src/ports/orchestrator/Outbox.ts"
import { address } from "../../support/FakeChain.ts"
import { hash, submitted } from "../../support/IntentFixtures.ts"
import { freshStores } from "../../support/OrchestratorStores.ts"

const layer = OutboxDelivery.layerOnDemand.pipe(
  Layer.provideMerge(
    Layer.mergeAll(
      Layer.provideMerge(LaneBook.layer, freshStores),
      BuilderLedger.layer(),
      OrchestratorSettings.layer(orchestratorDefaults)
    )
  )
)

const settle = Effect.fnUntraced(function* (id: string, owner: number) {
  yield* submitted({ id, owner })
  const outbox = outboxMessages(
    {
      sweepId: `${hash(id)}_0`,
      chainId: 1,
      feeToken: address(0xb1),
      feeAmount: 5n,
      builderFee: 0n,
      txHash: hash(id),
      settledAtMs: 0
    },
    undefined
  )
  yield* (yield* Intents).apply(id, [{ _tag: "SettledAtSource", txHash: hash(id) }], { outbox })
})

describe("an outbox message that cannot be read", () => {
  it.effect("is set aside with an alert, and the rest of its batch is delivered", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const { runOnce } = yield* OutboxDelivery
      const outbox = yield* Outbox
      for (const [index, id] of ["a", "b", "c", "d", "e"].entries()) yield* settle(id, index + 1)
      const poisoned = yield* sql<{ id: bigint }>`
        UPDATE orchestrator.outbox SET message = '{}'::jsonb WHERE intent_id = 'c' RETURNING id`
      assert.deepStrictEqual(yield* runOnce, { delivered: 4, deferred: 0, rejected: 1 })
      assert.lengthOf((yield* Ref.get(yield* BuilderLedger.BuilderLedgerState)).entries, 4)
      assert.deepStrictEqual(yield* outbox.counts, { pending: 0, rejected: 1 })
      const [alert, ...others] = yield* (yield* Alerts).list
      assert.deepInclude(alert, { kind: "outbox_unreadable", severity: "critical" })
      assert.strictEqual(alert?.details["outboxId"], String(poisoned[0]?.id))
      assert.deepStrictEqual(others, [])
      const [row] = yield* sql<{ state: string; detail: string | null }>`
        SELECT state, detail FROM orchestrator.outbox WHERE intent_id = 'c'`
      assert.strictEqual(row?.state, "rejected")
      assert.isNotEmpty(row?.detail)

      // Its alert stands while it cannot be read, and is cleared when it was repaired and delivered.
      const { lookAgain } = yield* OutboxDelivery
      const kinds = Effect.map((yield* Alerts).list, (alerts) => alerts.map(({ kind }) => kind))
      yield* lookAgain
      assert.deepStrictEqual(yield* runOnce, { delivered: 0, deferred: 0, rejected: 1 })
      assert.deepStrictEqual(yield* kinds, ["outbox_unreadable"])
      yield* sql`UPDATE orchestrator.outbox c SET message = d.message FROM orchestrator.outbox d
        WHERE c.intent_id = 'c' AND d.intent_id = 'd'`
      yield* lookAgain
      assert.deepStrictEqual(yield* runOnce, { delivered: 1, deferred: 0, rejected: 0 })
      yield* lookAgain
      assert.deepStrictEqual(yield* kinds, [])
    }).pipe(Effect.provide(layer))
  )
})
