/** {@link OrchestratorOperations} with content that a test sets. A retried sweep is no longer stuck. */
import { Effect, Layer, Option, Ref } from "effect"
import type { AlertView, Health } from "../../../domain/Health.ts"
import type { StuckIntent } from "../../../domain/StuckIntent.ts"
import type { TreasuryView } from "../../../domain/Treasury.ts"
import { OrchestratorOperations } from "../../../ports/builder/OrchestratorOperations.ts"

export interface Parts {
  readonly health: Health
  readonly alerts: ReadonlyArray<AlertView>
  /** Oldest first. */
  readonly stuck: ReadonlyArray<StuckIntent>
  readonly treasury: TreasuryView
}

const LIMIT = 50

const make = Effect.fnUntraced(function* (parts: Parts) {
  const stuck = yield* Ref.make(parts.stuck)
  return OrchestratorOperations.of({
    health: Effect.succeed(parts.health),
    alerts: Effect.succeed(parts.alerts),
    treasury: Effect.succeed(parts.treasury),
    stuck: ({ limit = LIMIT }) =>
      Effect.map(Ref.get(stuck), (intents) => ({ intents: intents.slice(0, limit), total: intents.length })),
    retry: (id) =>
      Ref.modify(stuck, (intents) => {
        const found = intents.find((intent) => intent.id === id)
        if (found === undefined) return [Option.none(), intents]
        if (!found.retryable) return [Option.some({ id, outcome: "carried", explanation: found.explanation }), intents]
        const outcome = { id, outcome: "requeued" as const, explanation: "It is free to be taken." }
        return [Option.some(outcome), intents.filter((intent) => intent !== found)]
      })
  })
})

export const layer = (parts: Parts) => Layer.effect(OrchestratorOperations, make(parts))
