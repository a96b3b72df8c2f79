/**
 * Prices an order again until its network fee fits its cost. Another fee leaves another amount to swap, whose best route may be another one
 * and cost otherwise. So the cost of what is offered is compared with what its own fee was computed with.
 */
import { Clock, Effect, Result } from "effect"
import { QuoteFailed } from "./QuoteFailed.ts"
import type * as Routing from "./Routing.ts"

/** Difference of the simulated cost from the charged one up to which an order is not priced again, in percent. */
const TOLERANCE_PERCENT = 10n

/** Largest multiple of the simulated cost that the charged one may be where nothing shows that the owner gets more by it. */
const MOST_CHARGED = 2n

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
  /** Venues that were tried and did not deliver. */
  readonly failed: ReadonlySet<string>
}

type Costs = Pick<Pass<unknown>, "charged" | "cost">

const isCovered = ({ charged, cost }: Costs): boolean => (cost - charged) * 100n <= charged * TOLERANCE_PERCENT

/** True if a fee that was computed with the charged cost covers the other one, and not far more. */
export const isFitting = ({ charged, cost }: Costs): boolean =>
  isCovered({ charged, cost }) && (charged - cost) * 100n <= charged * TOLERANCE_PERCENT

/** False if the fee was computed with far more than the order costs. */
const isFair = ({ charged, cost }: Costs): boolean => charged <= cost * MOST_CHARGED

/**
 * The covered pass that delivers most, an allowed one if there is any. Of equal ones, the last. Undefined without one, and if the fees of all
 * of them are unfair.
 */
const bestOf = <P extends Offerable>(
  passes: ReadonlyArray<Pass<P>>,
  isAllowed: (priced: P) => boolean
): Pass<P> | undefined => {
  const covered = passes.filter(isCovered)
  const allowed = covered.filter(({ priced }) => isAllowed(priced))
  const offerable = allowed.length > 0 ? allowed : covered
  if (!offerable.some(isFair)) return undefined
  return offerable.reduce<Pass<P> | undefined>(
    (best, pass) =>
      best !== undefined && best.priced.route.estimatedAmountOut > pass.priced.route.estimatedAmountOut ? best : pass,
    undefined
  )
}

/** The refusal of an order that no pass prices well now. Another market may. */
const unfitting = (passes: ReadonlyArray<Costs>): QuoteFailed =>
  new QuoteFailed({
    reason: "upstream_unavailable",
    detail: `no fee fits the cost of its route: ${passes.map(({ charged, cost }) => `${charged} wei for ${cost}`).join(", then ")}`
  })

/** Order of routes by what the passes before showed. */
export interface Preference {
  /** Venue whose routes come first, also if it failed. Default: none. */
  readonly provider?: string
  /** Venues whose routes come last. They are kept: they may deliver another amount, or be the only ones. Default: none. */
  readonly failed?: ReadonlySet<string>
}

/** The routes that a pass tries. */
export interface Asked extends Preference {
  /** UNIX milliseconds after which no other route than the first is tried. */
  readonly until: number
}

/** The same routes in the preferred order. Routes of the same rank keep theirs. */
export const ordered = (route: Routing.Route, { failed, provider }: Preference): Routing.Route => {
  const { alternatives = [], ...best } = route
  const rankOf = (each: Routing.Route) => (each.provider === provider ? 0 : failed?.has(each.provider) ? 2 : 1)
  const [first = route, ...others] = [best, ...alternatives].toSorted((a, b) => rankOf(a) - rankOf(b))
  return { ...first, alternatives: others }
}

/** Settings of {@link fitting}. */
export interface Again<P, E, R> {
  /** Prices the order at a cost, by routes in the preferred order. */
  readonly price: (cost: bigint, preference: Preference) => Effect.Effect<Pass<P>, E, R>
  /** True if the request allows the order's network fee. */
  readonly isAllowed: (priced: P) => boolean
  /** False if the first pass may not be offered. */
  readonly isUsable: boolean
  /** UNIX milliseconds after which the order is not priced a third time, unless the covered passes are all unfair. */
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
 * the same venue if it still has a route. Venues that failed in a pass are tried last in those after it, so that the quote's time is spent on
 * others. A pass that fails leaves those before it to offer. Fails if no pass is covered by its fee, or each fee is far above its cost.
 */
export const fitting = Effect.fnUntraced(function* <P extends Offerable, E extends Failure, R>(
  first: Pass<P>,
  { isAllowed, isUsable, price, until }: Again<P, E, R>
): Effect.fn.Return<Chosen<P>, E | QuoteFailed, R> {
  if (isUsable && isFitting(first)) return { ...first, isLast: true }
  const { failed } = first.priced
  const again = yield* Effect.result(price(first.cost, { failed }))
  if (Result.isFailure(again)) {
    const isOffered = isUsable && isCovered(first) && isAllowed(first.priced) && !isOfOrder(again.failure)
    if (!isOffered) return yield* Effect.fail(again.failure)
    return isFair(first) ? { ...first, isLast: false } : yield* unfitting([first])
  }
  const second = again.success
  const passes = isUsable ? [first, second] : [second]
  // An order that only its fee forbids is priced once more, also after its time.
  const isUnfair = passes.some(isCovered) && bestOf(passes, isAllowed) === undefined
  const isEnough = isFitting(second) || (!isUnfair && (yield* Clock.currentTimeMillis) >= until)
  const preference = { provider: second.priced.route.provider, failed: failed.union(second.priced.failed) }
  const third = isEnough ? undefined : yield* Effect.result(price(second.cost, preference))
  if (third !== undefined && Result.isSuccess(third)) passes.push(third.success)
  const best = bestOf(passes, isAllowed)
  if (third !== undefined && Result.isFailure(third)) {
    if (isOfOrder(third.failure) || !passes.some(isCovered)) return yield* Effect.fail(third.failure)
    return best === undefined ? yield* unfitting(passes) : { ...best, isLast: false }
  }
  return best === undefined ? yield* unfitting(passes) : { ...best, isLast: best === passes.at(-1) }
})
