/**
 * Rehearses an order on one chain, and promises what arrives: tokens may take a part of each transfer, and the venue that quotes does not
 * know of it. A venue whose call can be made again gets the minimum that follows from what arrived.
 */
import { Effect, Result } from "effect"
import type { SweepOrder } from "../../domain/SweepOrder.ts"
import { NOTABLE_BPS, rehearsedMinimum, takenBps } from "../../domain/TransferFee.ts"
import type { SimulatedSweep } from "../../ports/orchestrator/SweepSimulation.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { QuoteFailed } from "./QuoteFailed.ts"
import * as Rehearsal from "./Rehearsal.ts"
import type * as Routing from "./Routing.ts"

/** Errors of an order whose output is below its minimum, or whose venue refuses for that. */
const SHORT: ReadonlySet<string> = new Set(["InsufficientOutput", "SwapFailed"])

const isShort = (failure: { readonly _tag: string; readonly revert?: string | undefined }): boolean =>
  failure._tag === "SimulationFailed" && failure.revert !== undefined && SHORT.has(failure.revert)

/**
 * The route of a fixed call, by what arrived if that is less than its venue promises. Its call and its minimum stay. A rehearsal does not
 * show what arrives on another chain.
 */
const measured = (
  { chain }: ChainClient,
  route: Routing.Route,
  { destChainId }: SweepOrder,
  { amountOut }: Pick<SimulatedSweep, "amountOut">
): Routing.Route =>
  destChainId === BigInt(chain.id) && amountOut < route.estimatedAmountOut
    ? { ...route, estimatedAmountOut: amountOut }
    : route

/**
 * Makes `rehearse(client, route, orderOf, isTaken)`, which returns the route and the order by what arrives, and the part of the output
 * that the tokens took. `isTaken`: the input is known to take a part, so that the first rehearsal measures it.
 */
export const make = Effect.gen(function* () {
  const { maxTransferFeeBps } = yield* OrchestratorSettings
  const rehearse = yield* Rehearsal.make

  return Effect.fnUntraced(function* (
    client: ChainClient,
    route: Routing.Route,
    orderOf: (route: Routing.Route) => SweepOrder,
    isTaken: boolean
  ) {
    const { estimatedAmountOut: promised, expecting, passing } = route
    const run = (each: Routing.Route) => rehearse(client, orderOf(each), passing)
    if (expecting === undefined) {
      const [order, simulated] = [orderOf(route), yield* run(route)]
      return { route: measured(client, route, order, simulated), order, simulated, transferFeeBps: 0 }
    }

    const first = isTaken ? undefined : yield* Effect.result(run(route))
    if (first !== undefined && Result.isFailure(first)) {
      if (maxTransferFeeBps === 0 || !isShort(first.failure)) return yield* Effect.fail(first.failure)
    }
    const isReached = first !== undefined && Result.isSuccess(first)
    const simulated = isReached ? first.success : yield* run(expecting(rehearsedMinimum(promised, maxTransferFeeBps)))
    const taken = takenBps(promised, simulated.amountOut)
    if (!isReached && taken > maxTransferFeeBps) {
      return yield* new QuoteFailed({
        reason: "token_declined",
        detail: `the tokens take ${taken} basis points of the output, and TRANSFER_FEE_MAX_BPS is ${maxTransferFeeBps}`
      })
    }
    // The same call with a minimum that the rehearsed one reached.
    const arriving = taken === 0 ? route : expecting(simulated.amountOut)
    return { route: arriving, order: orderOf(arriving), simulated, transferFeeBps: taken < NOTABLE_BPS ? 0 : taken }
  })
})
