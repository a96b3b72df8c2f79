/** Part of a chain's hourly loss budget that is left. */
import { Effect } from "effect"
import type { Chain } from "../../domain/Chain.ts"
import * as LimitChoices from "../../ports/shared/LimitChoices.ts"
import { ChainLosses } from "./ChainLosses.ts"
import * as ChainLimits from "./ChainLimits.ts"
import { OrchestratorSettings } from "./OrchestratorSettings.ts"

/** Makes `lossLeft(chain)`: wei that sweeps of listed tokens may still cost above their fees in this hour, 0 or more. */
export const make = Effect.gen(function* () {
  const losses = yield* ChainLosses
  const { relayer } = yield* OrchestratorSettings
  const withLimits = yield* LimitChoices.make

  return Effect.fnUntraced(function* (chain: Chain) {
    const { listed } = yield* losses.of(chain)
    const left = ChainLimits.lossBudgets(relayer, yield* withLimits(chain)).listedHour - listed.hour.lost
    return left > 0n ? left : 0n
  })
})
