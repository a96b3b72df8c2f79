/** Limits and facts of the caller that a review holds orders to. */
import type { Address } from "../model/Address.ts"
import type { ArrivalReview } from "./Arrival.ts"
import type { IndependentPrice } from "./IndependentPrice.ts"
import type { KnownBridges } from "./KnownBridges.ts"
import type { Routers, SwapReader } from "./SwapCall.ts"

/** Default upper limit of the time until an order's deadline, in seconds. */
export const MAX_LIFETIME_SECONDS = 3_600

/** Limits and facts of your own that a review holds an order to. */
export interface ReviewOptions {
  /** EIP-712 domain name of the deployment. Default: `DEFAULT_DOMAIN_NAME`. */
  readonly domainName?: string
  /**
   * Delegates by chain id that extend or replace the package's own, `SHIPPED_DELEGATES`. They come from your own configuration, never
   * from a response. The account obeys its delegate, so the review refuses any other, and every order of a chain without one.
   */
  readonly delegates?: Readonly<Record<number, Address>>
  /**
   * Routers by chain id that extend or replace the package's own, `SHIPPED_ROUTERS`, else `KNOWN_ROUTERS`: the address of a SwapRouter02,
   * or readers by address. The entry `token-sweep/venues` has them. The review refuses a swap on any other router.
   */
  readonly routers?: Readonly<Record<number, Address | Routers>>
  /**
   * Reader of the calls of routers that nothing but the service states. It has an effect with `unconfirmed: "warn"` only. Default: that
   * of SwapRouter02.
   */
  readonly unlistedRouter?: SwapReader
  /**
   * Facts about the bridge that extend or replace the built-in `KNOWN_BRIDGES`. The review refuses an order that contradicts them, or
   * that they do not cover.
   */
  readonly bridges?: KnownBridges
  /**
   * Reviews deposits whose output is swapped on arrival: `swapOnArrival()` of `token-sweep/arrivals`. Default: the review refuses them, so
   * that only tokens arrive that the bridge carries.
   */
  readonly arrivals?: ArrivalReview
  /**
   * Treatment of a router, pool or token that nothing but the service states. `warn`: the review accepts it, adds a warning, and says
   * `guaranteedBy: "service"`. Delegates are refused all the same, unless `unconfirmedDelegates` accepts them. Default: `refuse`.
   */
  readonly unconfirmed?: "refuse" | "warn"
  /**
   * Treatment of the delegate of a chain for which neither `delegates` nor `SHIPPED_DELEGATES` names one. `warn`: the review accepts the
   * service's, adds a warning, and says `guaranteedBy: "service"`. A delegate controls the account, so accept it only if the user reads the
   * warning. Default: `refuse`.
   */
  readonly unconfirmedDelegates?: "refuse" | "warn"
  /** Address that gets the builder's fee of an attributed sweep. Default: the service says it. */
  readonly builder?: Address
  /** Upper limit of all fees, in basis points of the amount. Default: 500. */
  readonly maxFeeBps?: number
  /** Fees up to this value in US dollars may exceed `maxFeeBps`. It needs a price of the token in `prices`. Default: 0. */
  readonly dustFeeUsd?: number
  /**
   * Upper limit of the difference between the expected and the least amount, in basis points of the expected one. Default: the request's
   * `slippageBps`, else 100.
   */
  readonly maxSlippageBps?: number
  /** Prices that the expected amount is compared with. Default: none, so it is not compared. */
  readonly prices?: ReadonlyArray<IndependentPrice>
  /** Upper limit of the difference to these prices, in basis points. Default: 300. */
  readonly maxPriceDeviationBps?: number
  /** Upper limit of the time until the order's deadline, in seconds. Default: 3600. */
  readonly maxLifetimeSeconds?: number
  /** Tolerated error of the user's clock, in seconds. Default: 120. */
  readonly clockSkewSeconds?: number
  /** True to accept an order on one chain whose router call cannot be decoded. Default: false. */
  readonly allowUnreadableSwapCall?: boolean
  /** True to accept an order across chains whose bridge call cannot be decoded. Default: false. */
  readonly allowUnreadableBridgeCall?: boolean
  /** Current time in UNIX milliseconds. Default: the system clock. */
  readonly nowMs?: number
}
