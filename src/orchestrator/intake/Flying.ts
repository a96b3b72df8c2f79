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

/** Makes `fly(intents)`, which refuses sweeps whose bridge carries as much as the operator allows. A refusal keeps nothing reserved. */
export const make = Effect.map(BridgeFlights, (store) =>
  Effect.fnUntraced(function* (intents: ReadonlyArray<Pick<Intent, "id" | "quote">>) {
    const flights: Array<Flight> = []
    for (const { id, quote } of intents) {
      const { crossChain, provider: bridge } = quote
      if (!crossChain || !isOnTrust(bridge)) continue
      const value = deposited(quote)
      if (value === undefined) return yield* refusal(bridge)
      flights.push({ id, bridge, value })
    }
    const [first] = flights
    if (first === undefined || (yield* store.reserve(flights))) return
    return yield* refusal(first.bridge)
  })
)
