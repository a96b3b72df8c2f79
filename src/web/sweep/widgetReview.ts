/** Facts and limits that the review of the widget rests on. */
import { swapOnArrival } from "../../sdk/arrivals.ts"
import { type Address, type ReviewOptions, SHIPPED_DELEGATES, SHIPPED_ROUTERS } from "../../sdk/index.ts"
import { readVenueCall, VENUE_ROUTERS } from "../../sdk/venues.ts"

/** Facts and limits that the host of a widget may know. */
export type WidgetReview = Pick<
  ReviewOptions,
  "arrivals" | "bridges" | "delegates" | "domainName" | "maxFeeBps" | "routers" | "unconfirmed" | "unlistedRouter"
>

/** The owner sees the fees before signing. */
const ALL_BPS = 10_000

/**
 * Upper limit of what a bridge keeps, in basis points, before a swap on arrival. A service could let that swap fail, and the owner would get
 * the rest, so that the least amount of the plan would mean nothing without a limit.
 */
export const MAX_BRIDGE_FEE_BPS = 1_000

/** Delegates by chain id that the review accepts: those of the host, and those of the package where the host names none. */
export const delegatesOf = (
  known: WidgetReview = {},
  shipped: Readonly<Record<number, Address>> = SHIPPED_DELEGATES
): Readonly<Record<number, Address>> => ({ ...shipped, ...known.delegates })

/**
 * Options of the review. The owner sees its warnings before signing. Delegates that only the service states are warnings as well, but refused
 * if the host or the package names any.
 */
export const widgetReview = (
  known: WidgetReview = {},
  shipped: Readonly<Record<number, unknown>> = SHIPPED_DELEGATES
): ReviewOptions => ({
  maxFeeBps: ALL_BPS,
  unconfirmed: "warn",
  unconfirmedDelegates: known.delegates === undefined && Object.keys(shipped).length === 0 ? "warn" : "refuse",
  unlistedRouter: readVenueCall,
  arrivals: swapOnArrival({ maxBridgeFeeBps: MAX_BRIDGE_FEE_BPS }),
  ...known,
  routers: { ...VENUE_ROUTERS, ...SHIPPED_ROUTERS, ...known.routers }
})
