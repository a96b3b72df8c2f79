/** The operator's limits for losses on sweeps of one chain. */
import { Effect } from "effect"
import type { CoverPolicy } from "../../domain/FeeCover.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import * as LossLeft from "../shared/LossLeft.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"

/** Makes `policyOf(client, sweeps)`. So many sweeps share what is left of the hourly loss budget. */
export const make = Effect.gen(function* () {
  const lossLeft = yield* LossLeft.make
  const { feeCover } = (yield* OrchestratorSettings).relayer

  return Effect.fnUntraced(function* ({ chain }: ChainClient, sweeps: number) {
    const left = yield* lossLeft(chain)
    return { ...feeCover, lossLeft: left / BigInt(Math.max(1, sweeps)) } satisfies CoverPolicy
  })
})
