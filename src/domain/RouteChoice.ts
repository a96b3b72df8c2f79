/** Chooses among routes of one swap: the largest output net of gas comes first. Pure and total. */
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

const WHOLE_BPS = 10_000n

/**
 * True if a route pays so much less than its input is worth by prices that other venues should be waited for. False if a price is
 * unknown.
 */
export const isPoor = (amountIn: bigint, amountOut: bigint, worth: SwapWorth | undefined): boolean => {
  if (worth === undefined || worth.inUsd <= 0n || worth.outUsd <= 0n) return false
  const paidIn = amountIn * worth.inUsd * 10n ** BigInt(worth.outDecimals)
  const paidOut = amountOut * worth.outUsd * 10n ** BigInt(worth.inDecimals)
  return paidOut * WHOLE_BPS < paidIn * (WHOLE_BPS - POOR_BPS)
}

/** The routes in the order in which they are tried: the best one of each provider first, and then the others. */
export const spread = <Route extends { readonly provider: string }>(
  routes: ReadonlyArray<Route>
): ReadonlyArray<Route> => {
  const isFirst = ({ provider }: Route, index: number) =>
    routes.findIndex((route) => route.provider === provider) === index
  return [...routes.filter(isFirst), ...routes.filter((route, index) => !isFirst(route, index))]
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
