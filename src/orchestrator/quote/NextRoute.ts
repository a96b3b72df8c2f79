/**
 * Tries the routes of an order in their order until one delivers. A venue may promise an output that its contracts do not pay, and the
 * rehearsal finds that out before anything is offered.
 */
import { Clock, Effect, Result } from "effect"
import { isOutdone } from "../../domain/RouteChoice.ts"
import type { SimulatedSweep } from "../../ports/orchestrator/SweepSimulation.ts"
import type * as Routing from "./Routing.ts"

/**
 * Time after a quote's pricing began in which another route than the first may be tried, in milliseconds. The answer to a quote begins
 * within 4 seconds.
 */
export const LIMIT_MILLIS = 2_800

interface Attempted {
  readonly simulated: Pick<SimulatedSweep, "amountOut">
  /** Part of the output that tokens took on the way. Default: none. */
  readonly transferFeeBps?: number
}

interface Swap {
  readonly chainId: number
  readonly tokenIn: string
  /** True if the rehearsal shows what arrives, as that of a sweep on one chain does. */
  readonly showsOutput: boolean
  /** UNIX milliseconds after which no other route is tried. */
  readonly until: number
}

/** An expected failure of an attempt. */
interface Failure {
  readonly _tag: string
  readonly message: string
  readonly reason?: string
  readonly revert?: string | undefined
}

/** True if another route may not have the failure. A spent nonce, or a node that does not answer, fails all of them. */
const isOfRoute = ({ _tag, reason, revert }: Failure): boolean =>
  (_tag === "SimulationFailed" && revert !== "NonceUsed") ||
  (_tag === "QuoteFailed" && (reason === "simulation_failed" || reason === "no_route"))

/** A route and what its rehearsal gave. */
interface Tried<A, E> {
  readonly route: Routing.Route
  readonly outcome: Result.Result<A, E>
}

/** Logs a route that reverted or paid less than it promised. A venue does not promise for what tokens take. */
const report = <A extends Attempted, E extends Failure>(swap: Swap, { outcome, route }: Tried<A, E>) => {
  const { estimatedAmountOut: promised, provider: venue } = route
  const paid = Result.isSuccess(outcome) ? outcome.success.simulated.amountOut : 0n
  if (paid >= promised || (Result.isSuccess(outcome) && (outcome.success.transferFeeBps ?? 0) > 0)) return Effect.void
  const detail = Result.isFailure(outcome) ? outcome.failure.message : `it pays ${paid}, and promised ${promised}`
  const { chainId, tokenIn: token } = swap
  return Effect.annotateLogs(Effect.logWarning("route.undelivered"), { venue, chainId, token, detail })
}

/** True if another route may deliver more than the best one so far, or after one that failed. */
const isNextDue = <A extends Attempted, E extends Failure>(
  { showsOutput }: Swap,
  { outcome, route }: Tried<A, E>,
  next: Routing.Route
): boolean =>
  Result.isFailure(outcome)
    ? isOfRoute(outcome.failure)
    : showsOutput &&
      isOutdone(outcome.success.simulated.amountOut, route.estimatedAmountOut, { amountOut: next.estimatedAmountOut })

/** The attempt that delivers more. A success beats a failure, and the first of two failures stays. */
const better = <A extends Attempted, E>(a: Tried<A, E>, b: Tried<A, E>): Tried<A, E> => {
  if (Result.isFailure(b.outcome)) return a
  return Result.isSuccess(a.outcome) && a.outcome.success.simulated.amountOut >= b.outcome.success.simulated.amountOut
    ? a
    : b
}

/**
 * Runs `attempt` with the route, and with its alternatives while the best attempt failed or is outdone by the next route. Returns the
 * attempt that delivered most, or fails as the first one did. Logs each route that did not deliver, by its venue.
 */
export const firstDelivering = Effect.fnUntraced(function* <A extends Attempted, E extends Failure, R>(
  swap: Swap,
  route: Routing.Route,
  attempt: (route: Routing.Route) => Effect.Effect<A, E, R>
) {
  const { alternatives = [] } = route
  const first: Tried<A, E> = { route, outcome: yield* Effect.result(attempt(route)) }
  let [best, last] = [first, first]
  for (const next of alternatives) {
    if (Result.isFailure(last.outcome) && !isOfRoute(last.outcome.failure)) break
    if (!isNextDue(swap, best, next) || (yield* Clock.currentTimeMillis) >= swap.until) break
    yield* report(swap, last)
    last = { route: next, outcome: yield* Effect.result(attempt(next)) }
    best = better(best, last)
  }
  if (last !== first) yield* report(swap, last)
  return yield* Effect.fromResult(best.outcome)
})
