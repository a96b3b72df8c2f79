/** Whether anything may be sent on a chain now: not where an operator paused it, nor beyond what a day may cost. */
import { Clock, Effect } from "effect"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"

const DAY_MILLIS = 86_400_000

/** Says whether the chain is open, and tells the operator as long as it is not. */
export const make = Effect.gen(function* () {
  const alerts = yield* StandingAlerts
  const { dailySpendCap, pausedChains } = (yield* OrchestratorSettings).relayer
  const transactions = yield* RelayTransactions

  return Effect.fn("Relay.isOpen")(function* ({ chain }: ChainClient) {
    const pausedKey = `relayer_paused:${chain.id}`
    if (pausedChains.includes(chain.id)) {
      yield* alerts.raise({
        key: pausedKey,
        severity: "warning",
        kind: "relayer_paused",
        message: `Nothing is sent on ${chain.name}: it is paused by its operator. Submitted sweeps wait until their deadlines.`,
        details: { chainId: chain.id }
      })
      return false
    }
    yield* alerts.clear(pausedKey)

    const cappedKey = `spend_cap:${chain.id}`
    if (dailySpendCap === undefined) return true
    const spent = yield* transactions.spending(chain.id, (yield* Clock.currentTimeMillis) - DAY_MILLIS)
    if (spent < dailySpendCap) {
      yield* alerts.clear(cappedKey)
      return true
    }
    yield* alerts.raise({
      key: cappedKey,
      severity: "critical",
      kind: "spend_cap",
      message: `The relayer's gas on ${chain.name} has reached its daily cap: nothing is sent until a day has passed or the cap is raised.`,
      details: { chainId: chain.id, capWei: dailySpendCap.toString() }
    })
    return false
  })
})
