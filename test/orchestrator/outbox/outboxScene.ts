/** The outbox delivery over in-memory stores and a ledger that a test turns off. */
import { Effect, Layer } from "effect"
import * as Alerts from "../../../src/adapters/memory/shared/Alerts.ts"
import * as BuilderLedger from "../../../src/adapters/memory/orchestrator/BuilderLedger.ts"
import * as Intents from "../../../src/adapters/memory/orchestrator/Intents.ts"
import * as LaneBook from "../../../src/adapters/memory/orchestrator/LaneBook.ts"
import * as Outbox from "../../../src/adapters/memory/orchestrator/Outbox.ts"
import { outboxMessages } from "../../../src/domain/Accrual.ts"
import { OrchestratorSettings } from "../../../src/orchestrator/shared/OrchestratorSettings.ts"
import { orchestratorDefaults } from "../../../src/config/Orchestrator.ts"
import { OutboxDelivery } from "../../../src/orchestrator/outbox/OutboxDelivery.ts"
import { Intents as IntentsPort } from "../../../src/ports/orchestrator/Intents.ts"
import { Outbox as OutboxPort } from "../../../src/ports/orchestrator/Outbox.ts"
import { hash, submitted } from "../../support/IntentFixtures.ts"
import { address } from "../../support/FakeChain.ts"

export const world = Layer.mergeAll(
  Intents.layer,
  Outbox.layer,
  LaneBook.layer,
  Alerts.layer,
  BuilderLedger.layer(),
  OrchestratorSettings.layer(orchestratorDefaults)
)

export const layer = Layer.provideMerge(OutboxDelivery.layerOnDemand, world)

/** Settles an intent, which owes one entry of revenue. */
export const settle = Effect.fnUntraced(function* (id: string, owner: number, feeAmount = 5n, name = "settlement") {
  const intents = yield* IntentsPort
  yield* submitted({ id, owner })
  const outbox = outboxMessages(
    {
      sweepId: `${hash(name)}_0`,
      chainId: 1,
      feeToken: address(0xb1),
      feeAmount,
      builderFee: 0n,
      txHash: hash(name),
      settledAtMs: 0
    },
    undefined
  )
  yield* intents.apply(id, [{ _tag: "SettledAtSource", txHash: hash(name) }], { outbox })
})

export const deliver = Effect.flatMap(OutboxDelivery, (delivery) => delivery.runOnce)

export const counts = Effect.flatMap(OutboxPort, (outbox) => outbox.counts)
