/** Value that bridges carry on the word of their services: that of submitted sweeps which are neither delivered nor failed. */
import { Context, Effect } from "effect"
import type { UsdPrice } from "../../domain/Fees.ts"
import type { StoreUnavailable } from "../shared/Store.ts"

export interface Flight {
  /** Id of the intent. */
  readonly id: string
  /** Name of the bridge. */
  readonly bridge: string
  /** US dollars scaled by 10^18. */
  readonly value: UsdPrice
}

export interface BridgeFlightsShape {
  /** Value that a bridge may carry beside what it carries now, in US dollars scaled by 10^18. 0 if there is none left. */
  readonly room: (bridge: string) => Effect.Effect<UsdPrice, StoreUnavailable>
  /**
   * Reserves the values of sweeps that are about to be submitted together, until each is delivered or fails. False without room for all of
   * them: then nothing is added. A second reservation of a sweep renews the first, and both holders then hold it. One whose sweep is not
   * submitted within 10 minutes expires. `holder`: id of the submission.
   */
  readonly reserve: (flights: ReadonlyArray<Flight>, holder: string) => Effect.Effect<boolean, StoreUnavailable>
  /**
   * Withdraws a holder from the reservations of sweeps whose intents are still quoted, and ends those that nobody else holds. It checks
   * that and ends them in one step, so a sweep that another submission of the same quote has stored, or is about to store, keeps its
   * reservation. Ignores unknown intents, and sweeps that the holder has not reserved.
   */
  readonly releaseQuoted: (intentIds: ReadonlyArray<string>, holder: string) => Effect.Effect<void, StoreUnavailable>
}

/** Time after which the reservation of a sweep that was not submitted expires, in milliseconds. */
export const UNSUBMITTED_MILLIS = 600_000

/** Default: no value may be carried on trust. */
export const BridgeFlights = Context.Reference<BridgeFlightsShape>("sweep/ports/BridgeFlights", {
  defaultValue: () => ({
    room: () => Effect.succeed(0n),
    reserve: () => Effect.succeed(false),
    releaseQuoted: () => Effect.void
  })
})
