/** Reserves the value of a sweep that a bridge carries on the word of its service, before the sweep is accepted. */
import { Effect } from "effect"
import { deposited, isOnTrust } from "../../domain/PromisedArrival.ts"
import { BridgeFlights } from "../../ports/orchestrator/BridgeFlights.ts"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import { SubmissionRefused } from "./SubmissionRefused.ts"

/** Pause that is asked for without room, in milliseconds. Deliveries take seconds to minutes. */
const PAUSE_MILLIS = 60_000

/** Makes `fly(intent)`, which refuses a sweep whose bridge carries as much as the operator allows. */
export const make = Effect.map(BridgeFlights, (flights) =>
  Effect.fnUntraced(function* ({ id, quote }: Pick<Intent, "id" | "quote">) {
    const { crossChain, provider } = quote
    if (!crossChain || !isOnTrust(provider)) return
    const value = deposited(quote)
    if (value !== undefined && (yield* flights.reserve({ id, bridge: provider, value }))) return
    return yield* new SubmissionRefused({
      reason: "budget_spent",
      detail: `${provider} carries as much value as BRIDGE_MAX_IN_FLIGHT_USD allows`,
      retryAfterMillis: PAUSE_MILLIS
    })
  })
)
