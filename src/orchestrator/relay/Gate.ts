/**
 * Stops sending on chains that an operator paused, on chains that reached their daily spend cap, and on chains without the entry. A call of
 * an address without code succeeds, and costs gas for nothing.
 */
import { Clock, Effect, Option } from "effect"
import type { Chain } from "../../domain/Chain.ts"
import { nameOf } from "../../domain/Pause.ts"
import * as LimitChoices from "../../ports/shared/LimitChoices.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import * as ChainLimits from "../shared/ChainLimits.ts"
import * as ExposureAlerts from "../shared/ExposureAlerts.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import * as Pauses from "../shared/Pauses.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"

const DAY_MILLIS = 86_400_000

/** Makes `isOpen(client)`. While a chain is closed for longer than its transactions are on their way, an alert tells the operator why. */
export const make = Effect.gen(function* () {
  const alerts = yield* StandingAlerts
  const { review } = yield* ExposureAlerts.make
  const pauses = yield* Pauses.make
  const { relayer } = yield* OrchestratorSettings
  const withLimits = yield* LimitChoices.make
  const transactions = yield* RelayTransactions
  const deployed = new Set<number>()

  /** False if a node has shown that the entry has no code. An alert of the chain's review tells of it. */
  const hasEntry = Effect.fnUntraced(function* ({ chain, code }: ChainClient) {
    if (deployed.has(chain.id)) return true
    const found = yield* Effect.option(code(chain.contracts.entry))
    // Without an answer, the claim asks the node itself.
    if (Option.isNone(found)) return true
    if (found.value === "0x") return false
    deployed.add(chain.id)
    return true
  })

  /** True if nothing may be sent. The alert stands while the cap is reached by what was paid: a transaction on its way may cost less. */
  const isCapped = Effect.fnUntraced(function* (chain: Chain) {
    const key = `spend_cap:${chain.id}`
    const cap = ChainLimits.dailySpendCap(relayer, yield* withLimits(chain))
    const sinceMs = (yield* Clock.currentTimeMillis) - DAY_MILLIS
    const isReached = cap !== undefined && (yield* transactions.spending(chain.id, sinceMs)) >= cap
    if (!isReached || (yield* transactions.paid(chain.id, sinceMs)) < cap) {
      yield* alerts.clear(key)
      return isReached
    }
    yield* alerts.raise({
      key,
      severity: "critical",
      kind: "spend_cap",
      message: `The relayer reached its daily gas cap on ${chain.name}: nothing is sent until spending of the last 24 hours falls below the cap, or the cap is raised: ./sweep operate limits, dailySpendCapWei of the chain, or DAILY_SPEND_CAP_WEI.`,
      details: { chainId: chain.id, capWei: cap.toString() }
    })
    return true
  })

  return Effect.fn("Relay.isOpen")(function* (client: ChainClient) {
    const { chain } = client
    yield* review(chain)
    // Also while the chain is paused, so that the alert ends.
    const capped = yield* isCapped(chain)
    const pausedKey = `relayer_paused:${chain.id}`
    const paused = yield* pauses.ofChain(chain.id)
    if (paused !== undefined) {
      yield* alerts.raise({
        key: pausedKey,
        severity: "warning",
        kind: "relayer_paused",
        message: `${chain.name} sends nothing: ${Pauses.explained(paused)}. Submitted sweeps wait until their deadlines.`,
        details: { chainId: chain.id, paused: nameOf(paused) }
      })
      return false
    }
    yield* alerts.clear(pausedKey)
    return !capped && (yield* hasEntry(client))
  })
})
