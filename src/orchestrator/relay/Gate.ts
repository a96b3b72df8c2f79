/**
 * Stops sending on chains that an operator paused, on chains that reached their daily spend cap, and on chains without the entry. A call of
 * an address without code succeeds, and costs gas for nothing.
 */
import { Clock, Effect, Option } from "effect"
import { ageOf } from "../../domain/Age.ts"
import type { Chain } from "../../domain/Chain.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import { nameOf } from "../../domain/Pause.ts"
import * as LimitChoices from "../../ports/shared/LimitChoices.ts"
import type { NewAlert } from "../../ports/shared/Alerts.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import * as ChainLimits from "../shared/ChainLimits.ts"
import * as ExposureAlerts from "../shared/ExposureAlerts.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import * as Pauses from "../shared/Pauses.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"

const DAY_MILLIS = 86_400_000

/**
 * Time for which transactions on their way may keep a chain at its cap without an alert, in milliseconds. Most are mined sooner, and cost
 * less than they reserve.
 */
const RESERVED_MILLIS = 300_000

/** Key of the alert of a chain at its cap, one for each case: the release before clears that of a paid cap while only reserves reach it. */
const capKey = (chain: Chain, isPaid: boolean): string => `spend_cap:${isPaid ? "" : "reserved:"}${chain.id}`

/** The alert of a chain at its cap. `isPaid`: what was paid reaches the cap without the reserves of transactions on their way. */
const capAlert = (chain: Chain, capWei: bigint, isPaid: boolean): NewAlert => ({
  key: capKey(chain, isPaid),
  severity: "critical",
  kind: "spend_cap",
  message: isPaid
    ? `The relayer reached its daily gas cap on ${chain.name}: nothing is sent until spending of the last 24 hours falls below the cap, or the cap is raised: ./sweep operate limits, dailySpendCapWei of the chain, or DAILY_SPEND_CAP_WEI.`
    : `With what transactions on their way may cost, ${chain.name} has been at its daily gas cap for five minutes: nothing is sent until some of them are mined, or the cap is raised: ./sweep operate limits, dailySpendCapWei of the chain, or DAILY_SPEND_CAP_WEI. Check why they are not mined.`,
  details: { chainId: chain.id, capWei: capWei.toString(), isPaid }
})

/** Makes `isOpen(client)`. While a chain is closed for longer than its transactions are on their way, an alert tells the operator why. */
export const make = Effect.gen(function* () {
  const alerts = yield* StandingAlerts
  const { review } = yield* ExposureAlerts.make
  const pauses = yield* Pauses.make
  const { relayer } = yield* OrchestratorSettings
  const withLimits = yield* LimitChoices.make
  const transactions = yield* RelayTransactions
  const deployed = new Set<number>()
  /** UNIX milliseconds since which this process has seen the cap reached without a break, by chain. */
  const reachedAtMs = new Map<ChainId, number>()

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

  /** True if nothing may be sent. An alert begins once what was paid reaches the cap, or reserves have kept it reached for minutes. */
  const isCapped = Effect.fnUntraced(function* (chain: Chain) {
    const cap = ChainLimits.dailySpendCap(relayer, yield* withLimits(chain))
    const nowMs = yield* Clock.currentTimeMillis
    const sinceMs = nowMs - DAY_MILLIS
    if (cap === undefined || (yield* transactions.spending(chain.id, sinceMs)) < cap) {
      reachedAtMs.delete(chain.id)
      yield* alerts.clear(capKey(chain, true))
      yield* alerts.clear(capKey(chain, false))
      return false
    }
    const atMs = reachedAtMs.get(chain.id) ?? nowMs
    reachedAtMs.set(chain.id, atMs)
    const isPaid = (yield* transactions.paid(chain.id, sinceMs)) >= cap
    yield* alerts.clear(capKey(chain, !isPaid))
    if (isPaid || ageOf(nowMs, atMs) >= RESERVED_MILLIS) yield* alerts.raise(capAlert(chain, cap, isPaid))
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
