/**
 * Prices an order for the first time, at a cost that is assumed by the last sweeps of its kind. Of a pair that nobody swept, the route tells
 * more than the assumption that it was made with, so its own gas is counted before anything is simulated: that of a route which asks no service
 * first, since each request to one takes time and counts for its limits. A bridge carries no amount that is too small for it, so fees of an
 * assumption that is too high must not refuse a sweep: where they may be why it fails, the order is priced once more at the least cost.
 */
import { Clock, Effect, Option, Result } from "effect"
import * as CostMemory from "../../domain/CostMemory.ts"
import type * as Fees from "../../domain/Fees.ts"
import { ASSUMED_SWEEP_GAS } from "../../domain/RelayGas.ts"
import * as RememberedCosts from "./RememberedCosts.ts"
import * as Repricing from "./Repricing.ts"
import type * as Routing from "./Routing.ts"
import type { Priced, Routed } from "./Terms.ts"

interface Failure {
  readonly _tag: string
  readonly revert?: string | undefined
}

/** True for a failure that another amount may not have. */
const isOfAmount = ({ _tag, revert }: Failure): boolean =>
  _tag === "NoRoute" || (_tag === "SimulationFailed" && revert !== "NonceUsed")

/** Growth of the amount from which a bridge may carry it although it did not carry less, in percent. */
const NOTABLE_PERCENT = 1n

/** A swap on one chain takes any amount. */
const isOnOneChain = ({ client, request }: RememberedCosts.Terms): boolean => request.destChainId === client.chain.id

const isNotablyMore = (more: Fees.FeeBreakdown, less: Fees.FeeBreakdown): boolean =>
  (more.swapAmount - less.swapAmount) * 100n >= less.swapAmount * NOTABLE_PERCENT

/** Settings of a first pass. */
interface Settings<P, E, F> {
  /** Price of gas, in wei. */
  readonly gasPrice: bigint
  /** UNIX milliseconds after which the order is not priced again. */
  readonly until: number
  readonly feesOf: (cost: bigint) => Result.Result<Fees.FeeBreakdown, unknown>
  /** Takes fees that cover this many wei, and routes the rest. */
  readonly route: (cost: bigint) => Effect.Effect<Routed, E>
  /** The same, without a request to a service. Only its cost counts. */
  readonly roughly: (cost: bigint) => Effect.Effect<Routing.Route, E>
  /** Prices the order by routes. */
  readonly price: (routed: Routed) => Effect.Effect<P, F>
}

/** Makes `first(terms, settings)`, which returns the pricing and the cost in wei that its fees were computed with. */
export const make = () => {
  const { expected, knowsLane, remember, typical } = RememberedCosts.make()

  /**
   * The routes of a cost that is assumed, or that a rough route tells. Where the gas of the best one tells another cost, they are made again
   * for that. The first ones stay if that fails, as only a simulated cost may refuse a sweep.
   */
  const routed = Effect.fnUntraced(function* <E>(
    terms: RememberedCosts.Terms,
    { gasPrice, roughly, route }: Pick<Settings<unknown, E, unknown>, "gasPrice" | "roughly" | "route">,
    assumed: bigint
  ) {
    if (typical(terms) !== undefined) return yield* route(assumed)
    const likely = (routes: Routing.Route) => {
      const sample = expected(terms, routes)
      return sample === undefined ? undefined : CostMemory.weiOf(sample, gasPrice)
    }
    const isTold = isOnOneChain(terms) && knowsLane(terms)
    const rough = isTold ? yield* Effect.option(roughly(assumed)) : Option.none()
    const charged = Option.getOrUndefined(Option.map(rough, likely)) ?? assumed
    const begun = yield* Effect.result(route(charged))
    const first = yield* Result.isFailure(begun) && charged !== assumed ? route(assumed) : Effect.fromResult(begun)
    const cost = likely(first.routes)
    return cost === undefined || Repricing.isFitting({ charged: first.cost, cost })
      ? first
      : yield* Effect.orElseSucceed(route(cost), () => first)
  })

  /** True if the order may have another outcome at the least cost. */
  const isDueAgain = (
    terms: RememberedCosts.Terms,
    { feesOf }: Pick<Settings<unknown, unknown, unknown>, "feesOf">,
    { least, tried }: { readonly least: bigint; readonly tried: bigint }
  ): boolean => {
    if (isOnOneChain(terms) || least >= tried) return false
    const [more, less] = [feesOf(least), feesOf(tried)]
    return Result.isSuccess(more) && Result.isSuccess(less) && isNotablyMore(more.success, less.success)
  }

  return Effect.fnUntraced(function* <
    P extends Pick<Priced, "route" | "simulated">,
    E extends Failure,
    F extends Failure
  >(terms: RememberedCosts.Terms, settings: Settings<P, E, F>) {
    const { feesOf, gasPrice, price, route, until } = settings
    const likely = typical(terms) ?? { gas: ASSUMED_SWEEP_GAS, dataFee: 0n }
    const assumed = CostMemory.firstAssumption(likely, gasPrice, (cost) => Result.isSuccess(feesOf(cost)))
    const least = CostMemory.leastAssumption(likely, gasPrice)
    const pricing = Effect.fnUntraced(function* (chosen: Routed) {
      return { priced: yield* price(chosen), charged: chosen.cost }
    })
    const begun = yield* Effect.result(routed(terms, settings, assumed))
    const outcome = yield* Effect.result(Effect.flatMap(Effect.fromResult(begun), pricing))
    const tried = Result.isFailure(begun) ? assumed : begun.success.cost
    const isAgain =
      Result.isFailure(outcome) &&
      isOfAmount(outcome.failure) &&
      isDueAgain(terms, settings, { tried, least }) &&
      (yield* Clock.currentTimeMillis) < until
    const first = yield* isAgain ? Effect.flatMap(route(least), pricing) : Effect.fromResult(outcome)
    remember(terms, first.priced.route, first.priced.simulated)
    return first
  })
}
