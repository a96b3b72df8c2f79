/**
 * Compares the present cost of a submitted sweep with what its network fee covers, so that its client learns at once that it waits
 * for a lower price of gas. A sweep that waits is accepted. The relayer compares again before each send.
 */
import { Duration, Effect } from "effect"
import * as FeeCover from "../../domain/FeeCover.ts"
import type { WaitingFor } from "../../domain/Intent.ts"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import * as PresentPrices from "./PresentPrices.ts"

/** Time after which a submission is accepted without the comparison. */
const PATIENCE = Duration.seconds(1)

/** Makes `waitsFor(client, intent)`. It is undefined if the fee covers the cost, or if a node does not tell the cost in time. */
export const make = Effect.gen(function* () {
  const { feeCover } = (yield* OrchestratorSettings).relayer
  const presentOf = yield* PresentPrices.make

  const judge = Effect.fnUntraced(function* (client: ChainClient, { cover, order }: Pick<Intent, "cover" | "order">) {
    if (cover === undefined) return undefined
    const { dataFeeOf, price } = yield* presentOf(client, order)
    const cost = FeeCover.presentCost(cover, { price, dataFee: dataFeeOf(order, cover.gas) })
    // The relayer also counts the rest of the hourly budget, which may lower the limit.
    return cost <= FeeCover.sendingLimit(cover, feeCover) ? undefined : ("gas_price" satisfies WaitingFor)
  })

  return (client: ChainClient, intent: Pick<Intent, "cover" | "order">): Effect.Effect<WaitingFor | undefined> =>
    judge(client, intent).pipe(
      Effect.timeout(PATIENCE),
      Effect.orElseSucceed(() => undefined)
    )
})
