/** Chooses among routes of one swap: the largest output net of gas comes first. Pure and total. */
import { BPS } from "./Amount.ts"
import type { UsdPrice } from "./Fees.ts"

export interface Candidate {
  /** Output that is promised before slippage, in the smallest unit. */
  readonly amountOut: bigint
  /** Expected output, if the promise is known to be below it. Default: `amountOut`. */
  readonly likelyOut?: bigint
  /** Expected gas. */
  readonly gas: bigint
}

/** Price of gas, and prices to express it in the output token. */
export interface GasWorth {
  /** Wei. */
  readonly gasPrice: bigint
  readonly nativeUsd: UsdPrice
  readonly outUsd: UsdPrice
  /** Decimals of the output token. */
  readonly outDecimals: number
}

const NATIVE_DECIMALS = 18

/**
 * Expected output less the worth of the gas, in the smallest unit; negative if the gas is worth more. The output alone if a price is
 * unknown or not positive.
 */
export const netOutput = (
  { amountOut, gas, likelyOut = amountOut }: Candidate,
  worth: GasWorth | undefined
): bigint => {
  if (worth === undefined || worth.nativeUsd <= 0n || worth.outUsd <= 0n) return likelyOut
  const shift = BigInt(worth.outDecimals - NATIVE_DECIMALS)
  const cost = gas * worth.gasPrice * worth.nativeUsd
  return likelyOut - (shift < 0n ? cost / (worth.outUsd * 10n ** -shift) : (cost * 10n ** shift) / worth.outUsd)
}

/** Prices of both tokens of a swap. */
export interface SwapWorth {
  readonly inUsd: UsdPrice
  readonly outUsd: UsdPrice
  /** Decimals of the input and of the output token. */
  readonly inDecimals: number
  readonly outDecimals: number
}

/** Loss by prices above which a route is poor, in basis points. */
const POOR_BPS = 300n

/**
 * Gain above which a route does not last, in basis points: by prices, or over another path of the same exchange. It is traded away within a
 * block, or was offered to make sweeps fail.
 */
export const FLEETING_BPS = 300n

/** Loss by prices up to which a route stands in for one that does not last, in basis points. */
const FAIR_BPS = 100n

/** Worth of a route's output less `bps` of its input's, in a unit of its own. Undefined if a price is unknown. */
const excess = (amountIn: bigint, amountOut: bigint, worth: SwapWorth | undefined, bps: bigint): bigint | undefined => {
  if (worth === undefined || worth.inUsd <= 0n || worth.outUsd <= 0n) return undefined
  const paidIn = amountIn * worth.inUsd * 10n ** BigInt(worth.outDecimals)
  const paidOut = amountOut * worth.outUsd * 10n ** BigInt(worth.inDecimals)
  return paidOut * BPS - paidIn * bps
}

/**
 * True if a route pays so much less than its input is worth by prices that other venues should be waited for. False if a price is
 * unknown.
 */
export const isPoor = (amountIn: bigint, amountOut: bigint, worth: SwapWorth | undefined): boolean => {
  const more = excess(amountIn, amountOut, worth, BPS - POOR_BPS)
  return more !== undefined && more < 0n
}

/**
 * Puts routes that pay more than {@link FLEETING_BPS} above prices behind the others, if one of those pays what prices say, or up to 1 % less.
 * If all routes are above prices, or none is close to them, the prices are not trusted, and the order stays.
 */
export const lastingFirst = <Route extends Candidate>(
  routes: ReadonlyArray<Route>,
  amountIn: bigint,
  worth: SwapWorth | undefined
): ReadonlyArray<Route> => {
  const isFleeting = ({ amountOut }: Route) => (excess(amountIn, amountOut, worth, BPS + FLEETING_BPS) ?? 0n) > 0n
  const isFair = (route: Route) =>
    !isFleeting(route) && (excess(amountIn, route.amountOut, worth, BPS - FAIR_BPS) ?? -1n) >= 0n
  if (!routes.some(isFair)) return routes
  return [...routes.filter((route) => !isFleeting(route)), ...routes.filter(isFleeting)]
}

/** Net output that a route may pay less than one of another provider behind which it would stand otherwise, in percent. */
const NEAR_PERCENT = 3n

/**
 * The routes in the order in which they are tried. The routes of one provider often fail together, so the best route of another provider
 * passes those that pay up to 3 % more. Routes that do not last pay more than those before them, and pass none.
 */
export const spread = <Route extends Candidate & { readonly provider: string }>(
  routes: ReadonlyArray<Route>,
  worth?: GasWorth
): ReadonlyArray<Route> => {
  const left = routes.map((route) => ({ route, net: netOutput(route, worth) }))
  const used = new Set<string>()
  return routes.flatMap(() => {
    const [next] = left
    if (next === undefined) return []
    const isOther = ({ net, route: { provider } }: (typeof left)[number]) =>
      !used.has(provider) && net <= next.net && (next.net - net) * 100n <= next.net * NEAR_PERCENT
    const other = used.has(next.route.provider) ? left.findIndex(isOther) : 0
    return left.splice(Math.max(0, other), 1).map(({ route }) => {
      used.add(route.provider)
      return route
    })
  })
}

/**
 * The first `most` routes, and behind them the first one of each other provider. The routes of one provider often fail together, so many of
 * them must not leave out another provider.
 */
export const kept = <Route extends { readonly provider: string }>(
  routes: ReadonlyArray<Route>,
  most: number
): ReadonlyArray<Route> => {
  const used = new Set(routes.slice(0, most).map(({ provider }) => provider))
  return routes.filter(({ provider }, place) => {
    if (place < most) return true
    if (used.has(provider)) return false
    used.add(provider)
    return true
  })
}

/** The routes by falling net output. Equal ones keep their order. */
export const ranked = <Route extends Candidate>(routes: ReadonlyArray<Route>, worth?: GasWorth): ReadonlyArray<Route> =>
  routes
    .map((route) => ({ route, net: netOutput(route, worth) }))
    .toSorted((a, b) => (a.net > b.net ? -1 : a.net < b.net ? 1 : 0))
    .map(({ route }) => route)

/**
 * True if the next route should be tried, although the one before it delivered: it delivered less than it promised, and less than the
 * next one promises.
 */
export const isOutdone = (
  delivered: bigint,
  promised: bigint,
  next: Pick<Candidate, "amountOut"> | undefined
): boolean => next !== undefined && delivered < promised && delivered < next.amountOut

/** True if a route promises over 3 % more than the one that was put first, which it would be itself if it lasted. */
export const isFleetingBeside = (promised: bigint, first: bigint): boolean =>
  promised * BPS > first * (BPS + FLEETING_BPS)

/**
 * Tolerance that makes the minimum of an estimate, rounded up to basis points, as `lessBps` rounds the minimum down. 0 if the minimum is not
 * below the estimate.
 */
export const toleranceOf = (estimatedOut: bigint, minimum: bigint): number =>
  estimatedOut <= minimum ? 0 : Number(((estimatedOut - minimum - 1n) * BPS) / estimatedOut) + 1
