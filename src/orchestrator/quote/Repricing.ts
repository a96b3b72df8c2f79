/**
 * Prices an order again until its network fee fits its cost. Another fee leaves another amount to swap, whose best route may be another one
 * and cost otherwise. So the cost of what is offered is compared with what its own fee was computed with.
 */
import { Clock, Effect, Result } from "effect"
import { QuoteFailed } from "./QuoteFailed.ts"
import type * as Routing from "./Routing.ts"

/** Difference of the simulated cost from the charged one up to which an order is not priced again, in percent. */
const TOLERANCE_PERCENT = 10n

/** A pricing of the order. Costs in wei. */
export interface Pass<P> {
  readonly priced: P
  /** Cost that the network fee was computed with. */
  readonly charged: bigint
  /** Cost of the simulated order. */
  readonly cost: bigint
}

/** A pass that is offered. */
export interface Chosen<P> extends Pass<P> {
  /** True if no other pass came after it. */
  readonly isLast: boolean
}

interface Offerable {
  readonly route: Pick<Routing.Route, "estimatedAmountOut" | "provider">
}

type Costs = Pick<Pass<unknown>, "charged" | "cost">

const isCovered = ({ charged, cost }: Costs): boolean => (cost - charged) * 100n <= charged * TOLERANCE_PERCENT

const isFitting = ({ charged, cost }: Costs): boolean =>
  isCovered({ charged, cost }) && (charged - cost) * 100n <= charged * TOLERANCE_PERCENT

/** The covered pass that delivers most, an allowed one if there is any. Of equal ones, the last. Undefined without one. */
const bestOf = <P extends Offerable>(
  passes: ReadonlyArray<Pass<P>>,
  isAllowed: (priced: P) => boolean
): Pass<P> | undefined => {
  const covered = passes.filter(isCovered)
  const allowed = covered.filter(({ priced }) => isAllowed(priced))
  return (allowed.length > 0 ? allowed : covered).reduce<Pass<P> | undefined>(
    (best, pass) =>
      best !== undefined && best.priced.route.estimatedAmountOut > pass.priced.route.estimatedAmountOut ? best : pass,
    undefined
  )
}

/** The same routes, those of a venue first. */
export const venueFirst = (route: Routing.Route, provider: string): Routing.Route => {
  const { alternatives = [], ...best } = route
  const routes = [best, ...alternatives]
  const isOfVenue = (each: Routing.Route): boolean => each.provider === provider
  const [first = route, ...others] = [...routes.filter(isOfVenue), ...routes.filter((each) => !isOfVenue(each))]
  return { ...first, alternatives: others }
}

/** Settings of {@link fitting}. */
export interface Again<P, E, R> {
  /** Prices the order at a cost. `provider`: venue whose routes come first. Default: none. */
  readonly price: (cost: bigint, provider?: string) => Effect.Effect<Pass<P>, E, R>
  /** True if the request allows the order's network fee. */
  readonly isAllowed: (priced: P) => boolean
  /** False if the first pass may not be offered. */
  readonly isUsable: boolean
  /** UNIX milliseconds after which the order is not priced a third time. */
  readonly until: number
}

interface Failure {
  readonly _tag: string
  readonly revert?: string | undefined
}

/** True for a failure that the passes before would have as well by now. */
const isOfOrder = ({ revert }: Failure): boolean => revert === "NonceUsed"

/**
 * The pass to offer. A first pass that does not fit is priced again at its own cost, and if that one does not fit either, a third time, by
 * the same venue if it still has a route. A pass that fails leaves those before it to offer. Fails if no pass is covered by its fee.
 */
export const fitting = Effect.fnUntraced(function* <P extends Offerable, E extends Failure, R>(
  first: Pass<P>,
  { isAllowed, isUsable, price, until }: Again<P, E, R>
): Effect.fn.Return<Chosen<P>, E | QuoteFailed, R> {
  if (isUsable && isFitting(first)) return { ...first, isLast: true }
  const again = yield* Effect.result(price(first.cost))
  if (Result.isFailure(again)) {
    const isOffered = isUsable && isCovered(first) && isAllowed(first.priced) && !isOfOrder(again.failure)
    return isOffered ? { ...first, isLast: false } : yield* Effect.fail(again.failure)
  }
  const second = again.success
  const passes = isUsable ? [first, second] : [second]
  const isEnough = isFitting(second) || (yield* Clock.currentTimeMillis) >= until
  const third = isEnough ? undefined : yield* Effect.result(price(second.cost, second.priced.route.provider))
  if (third !== undefined && Result.isSuccess(third)) passes.push(third.success)
  const best = bestOf(passes, isAllowed)
  const isFailed = third !== undefined && Result.isFailure(third)
  if (isFailed && (best === undefined || isOfOrder(third.failure))) return yield* Effect.fail(third.failure)
  if (best !== undefined) return { ...best, isLast: !isFailed && best === passes.at(-1) }
  return yield* new QuoteFailed({
    reason: "upstream_unavailable",
    detail: `each route costs more than the one before: ${passes.map(({ cost }) => cost).join(", then ")} wei`
  })
})
