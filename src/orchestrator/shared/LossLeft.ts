/** Part of a chain's hourly loss budget that is left. */
import { Effect } from "effect"
import type { Chain } from "../../domain/Chain.ts"
import { classOf } from "../../domain/Exposure.ts"
import { Exposures } from "../../ports/orchestrator/Exposures.ts"
import * as ChainLimits from "./ChainLimits.ts"
import { OrchestratorSettings } from "./OrchestratorSettings.ts"

/**
 * Makes `lossLeft(chain)`: wei that sweeps of listed tokens may still cost above their fees in this hour, 0 or more. It is one
 * indexed read.
 */
export const make = Effect.gen(function* () {
  const exposures = yield* Exposures
  const { relayer } = yield* OrchestratorSettings

  return Effect.fnUntraced(function* (chain: Chain) {
    const key = classOf("listed", "all", chain.id)
    const lost = (yield* exposures.sums([key])).get(key)?.hour.lost ?? 0n
    const left = ChainLimits.lossBudgets(relayer, chain).listedHour - lost
    return left > 0n ? left : 0n
  })
})
