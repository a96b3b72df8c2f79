/** Rehearses an order before it is offered, and refuses one that the relayer would not send. */
import { Effect } from "effect"
import { size } from "../../domain/Hex.ts"
import { runsUnlisted } from "../../domain/Listing.ts"
import type { SweepOrder } from "../../domain/SweepOrder.ts"
import { SweepSimulation } from "../../ports/orchestrator/SweepSimulation.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { QuoteFailed } from "./QuoteFailed.ts"

/** Calldata of a swap, in bytes. Nodes accept transactions of up to 128 KB, of which the rest of the order needs less than 4. */
const SWAP_CALLDATA_BYTES = 124_000

/** Makes `rehearse(client, order, passing)`. */
export const make = Effect.gen(function* () {
  const { unlistedSweepGas } = (yield* OrchestratorSettings).relayer
  const simulation = yield* SweepSimulation

  return Effect.fn("Quoter.rehearse")(function* ({ chain }: ChainClient, order: SweepOrder, passing: number) {
    const bytes = size(order.swapCalldata)
    if (bytes > SWAP_CALLDATA_BYTES) {
      return yield* new QuoteFailed({
        reason: "no_route",
        detail: `the route has ${bytes} bytes of calldata, and a transaction carries at most ${SWAP_CALLDATA_BYTES}`
      })
    }
    const isUnlisted = runsUnlisted(chain, order)
    const simulated = yield* simulation.run(chain.id, order, { passing, block: isUnlisted ? "other" : "next" })
    const { transaction } = simulated.limits
    if (isUnlisted && transaction > unlistedSweepGas) {
      return yield* new QuoteFailed({
        reason: "simulation_failed",
        detail: `the sweep needs a gas limit of ${transaction}, and one with a token that is not on the list of ${chain.name} may have ${unlistedSweepGas}. Raise UNLISTED_SWEEP_GAS, or list the token`
      })
    }
    return simulated
  })
})
