/** Failure budgets: pauses owners and builders whose sweeps failed too often at the relayer's cost. */
import { Clock, Effect } from "effect"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { type Intent, Intents } from "../../ports/orchestrator/Intents.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"

/** Makes `overBudget(client, claimed)`: the intents over a budget, by id, each with a text that says which budget. */
export const make = Effect.gen(function* () {
  const alerts = yield* StandingAlerts
  const intents = yield* Intents
  const { failureBudget } = (yield* OrchestratorSettings).relayer

  return Effect.fn("Relay.overBudget")(function* ({ chain }: ChainClient, claimed: ReadonlyArray<Intent>) {
    const builders = new Set(
      claimed.flatMap(({ attributed }) => (attributed === undefined ? [] : [attributed.builderId]))
    )
    const burned = yield* intents.burned({
      chainId: chain.id,
      owners: claimed.map(({ order }) => order.owner),
      builders: [...builders],
      sinceMs: (yield* Clock.currentTimeMillis) - failureBudget.windowMillis
    })
    for (const builderId of builders) {
      const key = `builder_paused:${builderId}`
      const count = burned.builders.get(builderId) ?? 0
      if (count < failureBudget.builder) yield* alerts.clear(key)
      else {
        yield* alerts.raise({
          key,
          severity: "warning",
          kind: "builder_paused",
          message: `Sweeps of builder ${builderId} are paused: too many of them failed on chain. They resume when the failures are older than the budget's window.`,
          details: { builderId, failures: count }
        })
      }
    }
    return new Map(
      claimed.flatMap(({ attributed, id, order }): ReadonlyArray<readonly [id: string, text: string]> => {
        if ((burned.owners.get(order.owner) ?? 0) >= failureBudget.owner) {
          return [[id, "too many of the owner's sweeps failed on chain recently"]]
        }
        if (attributed !== undefined && (burned.builders.get(attributed.builderId) ?? 0) >= failureBudget.builder) {
          return [[id, "too many of the builder's sweeps failed on chain recently"]]
        }
        return []
      })
    )
  })
})
