/** Reserves the value of sweeps that a bridge carries on the word of its service, before they are accepted: of all, or of none. */
import { Effect } from "effect"
import { deposited, isOnTrust } from "../../domain/PromisedArrival.ts"
import { BridgeFlights, type Flight } from "../../ports/orchestrator/BridgeFlights.ts"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import { SubmissionRefused } from "./SubmissionRefused.ts"

/** Pause that is asked for without room, in milliseconds. Deliveries take seconds to minutes. */
const PAUSE_MILLIS = 60_000

const refusal = (bridge: string) =>
  new SubmissionRefused({
    reason: "budget_spent",
    detail: `${bridge} carries as much value as BRIDGE_MAX_IN_FLIGHT_USD allows`,
    retryAfterMillis: PAUSE_MILLIS
  })

/** True if the bridge of such a quote carries it on the word of its service. */
export const isFlown = ({ crossChain, provider }: Pick<Intent["quote"], "crossChain" | "provider">): boolean =>
  crossChain && isOnTrust(provider)

/**
 * Makes `fly(intents, holder)`, which refuses sweeps whose bridge carries as much as the operator allows. A refusal adds no reservation.
 * `holder`: id of the submission.
 */
export const make = Effect.map(BridgeFlights, (store) =>
  Effect.fnUntraced(function* (intents: ReadonlyArray<Pick<Intent, "id" | "quote">>, holder: string) {
    const flights: Array<Flight> = []
    for (const { id, quote } of intents) {
      if (!isFlown(quote)) continue
      const bridge = quote.provider
      const value = deposited(quote)
      if (value === undefined) return yield* refusal(bridge)
      flights.push({ id, bridge, value })
    }
    const [first] = flights
    if (first === undefined || (yield* store.reserve(flights, holder))) return
    return yield* refusal(first.bridge)
  })
)
