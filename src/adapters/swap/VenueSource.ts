/** One of the sources that are asked for a route: an exchange on the chain, or a service over HTTP. */
import type { Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { Chain } from "../../domain/Chain.ts"
import type { RouteOf, SwapPair } from "../../ports/orchestrator/SwapVenue.ts"
import type { Pair, PoolRead } from "./Curves.ts"

export interface VenueSource {
  /** Unique. The `provider` of its routes. */
  readonly name: string
  /**
   * Contracts that its routes may call on the chain. A route to any other contract is dropped. A source without one that the guard lists
   * is not asked.
   */
  readonly routersOn: (chain: Chain) => ReadonlyArray<Address.Address>
  /**
   * Reads what routes of the pair need, up to its amount. The returned function makes the route of an amount, at most a few times. A
   * service that is asked for each amount reads nothing here.
   */
  readonly prepare: (pair: SwapPair) => Effect.Effect<RouteOf>
  /**
   * False if the pair is known to have no path on the chain, so that the source has no route. `nowMillis`: UNIX milliseconds. Absent for
   * services, of which nothing is known before they are asked.
   */
  readonly mayTrade?: (chain: Chain, pair: Pair, nowMillis: number) => boolean
  /** One read for each direct pool that a pair may have on the chain. Absent for services, which cannot be asked in a call. */
  readonly poolReads?: (chain: Chain, pair: Pair) => ReadonlyArray<PoolRead>
}

/** True for a service over HTTP, which costs a request for each amount. */
export const isService = ({ mayTrade }: Pick<VenueSource, "mayTrade">): boolean => mayTrade === undefined
