/** Rehearses an order before it is offered, and refuses one that the relayer would not send. */
import { Effect } from "effect"
import type { Chain } from "../../domain/Chain.ts"
import { size } from "../../domain/Hex.ts"
import { isStranger, paysOthers, runsUnlisted, type Sweeping } from "../../domain/Listing.ts"
import type { SweepOrder } from "../../domain/SweepOrder.ts"
import { SweepSimulation } from "../../ports/orchestrator/SweepSimulation.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { QuoteFailed } from "./QuoteFailed.ts"

/** Calldata of a swap, in bytes. Nodes accept transactions of up to 128 KB, of which the rest of the order needs less than 4. */
const SWAP_CALLDATA_BYTES = 124_000

/** Block in which a sweep is rehearsed. A token, or an account that is paid, may turn on some blocks only. */
const blockOf = (chain: Chain, sweep: Sweeping) => (runsUnlisted(chain, sweep) ? "other" : "next")

/** Makes `rehearse(client, order, passing)`. */
export const make = Effect.gen(function* () {
  const { unlistedSweepGas } = (yield* OrchestratorSettings).relayer
  const simulation = yield* SweepSimulation

  /**
   * Rehearses an order that pays native currency to another account. The account counts as one without code, and its code is read at the
   * same time. So code that only the rehearsal would meet raises no gas limit. An order that pays a stranger is rehearsed again with it.
   */
  const paying = Effect.fnUntraced(function* ({ chain, code }: ChainClient, order: SweepOrder, passing: number) {
    const { destination } = order
    const [plain, found] = yield* Effect.all(
      [
        Effect.result(simulation.run(chain.id, order, { passing, block: blockOf(chain, { order }), isPlain: true })),
        code(destination)
      ],
      { concurrency: "unbounded" }
    )
    if (!isStranger(chain, destination, found)) return yield* Effect.fromResult(plain)
    const block = blockOf(chain, { order, runsOthersCode: true })
    return { ...(yield* simulation.run(chain.id, order, { passing, block })), runsOthersCode: true }
  })

  return Effect.fn("Quoter.rehearse")(function* (client: ChainClient, order: SweepOrder, passing: number) {
    const { chain } = client
    const bytes = size(order.swapCalldata)
    if (bytes > SWAP_CALLDATA_BYTES) {
      return yield* new QuoteFailed({
        reason: "no_route",
        detail: `the route has ${bytes} bytes of calldata, and a transaction carries at most ${SWAP_CALLDATA_BYTES}`
      })
    }
    const simulated = yield* paysOthers(chain, order)
      ? paying(client, order, passing)
      : simulation.run(chain.id, order, { passing, block: blockOf(chain, { order }) })
    const { limits, runsOthersCode = false } = simulated
    if (runsUnlisted(chain, { order, runsOthersCode }) && limits.transaction > unlistedSweepGas) {
      return yield* new QuoteFailed({
        reason: "simulation_failed",
        detail: `the sweep needs a gas limit of ${limits.transaction}, and one that runs unlisted code on ${chain.name} may have ${unlistedSweepGas}. Raise UNLISTED_SWEEP_GAS, list its tokens, or pay an account without code`
      })
    }
    return simulated
  })
})
