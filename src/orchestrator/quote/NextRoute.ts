/**
 * Tries the routes of an order in their order until one delivers. A venue may promise an output that its contracts do not pay, and the
 * rehearsal finds that out before anything is offered.
 */
import { Clock, Effect, Result } from "effect"
import type { UsdPrice } from "../../domain/Fees.ts"
import { type GasWorth, isFleetingBeside, isOutdone, netOutput } from "../../domain/RouteChoice.ts"
import type { SimulatedSweep } from "../../ports/orchestrator/SweepSimulation.ts"
import type * as Routing from "./Routing.ts"

/**
 * Time after a quote's pricing began in which another route than the first may be tried, in milliseconds. The answer to a quote begins
 * within 4 seconds.
 */
export const LIMIT_MILLIS = 2_800

interface Attempted {
  readonly simulated: Pick<SimulatedSweep, "amountOut" | "dataGas" | "gas">
  /** Part of the output that tokens took on the way. Default: none. */
  readonly transferFeeBps?: number
}

interface Swap {
  readonly chainId: number
  readonly tokenIn: string
  /** True if the rehearsal shows what arrives, as that of a sweep on one chain does. */
  readonly showsOutput: boolean
  /** Default: routes are compared by their output alone. */
  readonly worth?: GasWorth
  /** UNIX milliseconds after which no other route is tried. */
  readonly until: number
}

/** Decimals of the native currency, by which the output is counted too. */
const DECIMALS = 18

/** Worth of gas in the output of a route. `paidUsd`: value of what it sells, by which its output has a price. */
export const gasWorth = (
  { gasPrice, nativeUsd, paidUsd }: Pick<GasWorth, "gasPrice" | "nativeUsd"> & { readonly paidUsd: UsdPrice },
  { estimatedAmountOut: promised }: Pick<Routing.Route, "estimatedAmountOut">
): GasWorth => ({
  gasPrice,
  nativeUsd,
  outUsd: promised <= 0n ? 0n : (paidUsd * 10n ** BigInt(DECIMALS)) / promised,
  outDecimals: DECIMALS
})

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

/** True if a rehearsal shows that a route pays less than it promised. A venue does not promise for what tokens take. */
const isShort = (
  { showsOutput }: Pick<Swap, "showsOutput">,
  { estimatedAmountOut: promised }: Routing.Route,
  { simulated: { amountOut }, transferFeeBps = 0 }: Attempted
): boolean => showsOutput && transferFeeBps === 0 && amountOut < promised

/**
 * The venues whose tried routes all reverted or paid less than they promised. `chosen`: venue of the best attempt, which has not failed, even
 * if it paid less.
 */
export const failedVenues = (
  swap: Pick<Swap, "showsOutput">,
  attempts: ReadonlyArray<Tried<Attempted, Failure>>,
  chosen: string
): ReadonlySet<string> => {
  const hasFailed = ({ outcome, route }: Tried<Attempted, Failure>): boolean =>
    Result.isFailure(outcome) ? isOfRoute(outcome.failure) : isShort(swap, route, outcome.success)
  const nameOf = ({ route }: Tried<Attempted, Failure>): string => route.provider
  const good = new Set([chosen, ...attempts.filter((each) => !hasFailed(each)).map(nameOf)])
  return new Set(attempts.map(nameOf)).difference(good)
}

/** Logs a route that reverted or paid less than it promised. */
const report = <A extends Attempted, E extends Failure>(swap: Swap, { outcome, route }: Tried<A, E>) => {
  const { estimatedAmountOut: promised, provider: venue } = route
  if (Result.isSuccess(outcome) && !isShort(swap, route, outcome.success)) return Effect.void
  const detail = Result.isFailure(outcome)
    ? outcome.failure.message
    : `it pays ${outcome.success.simulated.amountOut}, and promised ${promised}`
  const { chainId, tokenIn: token } = swap
  return Effect.annotateLogs(Effect.logWarning("route.undelivered"), { venue, chainId, token, detail })
}

/**
 * True if another route may deliver more than the best one so far, net of gas. After a failure that is each route that promises more. One
 * that promises far more than the first route stands behind it because it does not last, so it is due only while none delivers.
 */
const isNextDue = <A extends Attempted, E extends Failure>(
  { showsOutput, worth }: Swap,
  {
    best,
    first,
    hasFailed
  }: { readonly best: Tried<A, E>; readonly first: Routing.Route; readonly hasFailed: boolean },
  next: Routing.Route
): boolean => {
  const { outcome, route } = best
  if (Result.isFailure(outcome)) return true
  if (!showsOutput || isFleetingBeside(next.estimatedAmountOut, first.estimatedAmountOut)) return false
  const net = ({ gas = 0n }: Routing.Route, amountOut: bigint) => netOutput({ amountOut, gas }, worth)
  const delivered = net(route, outcome.success.simulated.amountOut)
  const promised = net(next, next.estimatedAmountOut)
  return hasFailed
    ? delivered < promised
    : isOutdone(delivered, net(route, route.estimatedAmountOut), { amountOut: promised })
}

/** The attempt that delivers more, net of its gas. A success beats a failure, and the first of two failures stays. */
const better = <A extends Attempted, E>({ worth }: Swap, a: Tried<A, E>, b: Tried<A, E>): Tried<A, E> => {
  const net = ({ simulated: { amountOut, dataGas, gas } }: A) => netOutput({ amountOut, gas: gas + dataGas }, worth)
  if (Result.isFailure(b.outcome)) return a
  return Result.isSuccess(a.outcome) && net(a.outcome.success) >= net(b.outcome.success) ? a : b
}

/**
 * Runs `attempt` with the route, and then with each alternative that may deliver more than the best attempt so far, net of gas. Returns
 * the attempt that delivered most with the {@link failedVenues}, or fails as the first one did. Logs each route that did not deliver, by its
 * venue.
 */
export const firstDelivering = Effect.fnUntraced(function* <A extends Attempted, E extends Failure, R>(
  swap: Swap,
  route: Routing.Route,
  attempt: (route: Routing.Route) => Effect.Effect<A, E, R>
) {
  const { alternatives = [] } = route
  const first: Tried<A, E> = { route, outcome: yield* Effect.result(attempt(route)) }
  let [best, last] = [first, first]
  const attempts = [first]
  let hasFailed = false
  for (const next of alternatives) {
    if (Result.isFailure(last.outcome)) {
      if (!isOfRoute(last.outcome.failure)) break
      hasFailed = true
    }
    if ((yield* Clock.currentTimeMillis) >= swap.until) break
    if (!isNextDue(swap, { best, first: route, hasFailed }, next)) continue
    yield* report(swap, last)
    last = { route: next, outcome: yield* Effect.result(attempt(next)) }
    attempts.push(last)
    best = better(swap, best, last)
  }
  if (last !== first) yield* report(swap, last)
  const delivered = yield* Effect.fromResult(best.outcome)
  return { ...delivered, failed: failedVenues(swap, attempts, best.route.provider) }
})
