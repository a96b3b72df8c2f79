/** {@link BridgeFlights} in memory, for tests. */
import { Clock, Effect, Layer, Option } from "effect"
import type { UsdPrice } from "../../../domain/Fees.ts"
import { BridgeFlights, type Flight, UNSUBMITTED_MILLIS } from "../../../ports/orchestrator/BridgeFlights.ts"
import { Intents } from "../../../ports/orchestrator/Intents.ts"

/** `limit`: of each bridge, in US dollars scaled by 10^18. */
export const layer = (limit: UsdPrice) =>
  Layer.effect(
    BridgeFlights,
    Effect.gen(function* () {
      const intents = yield* Intents
      const flights = new Map<string, Flight & { readonly reservedAtMs: number }>()

      const room = Effect.fnUntraced(function* (bridge: string) {
        const now = yield* Clock.currentTimeMillis
        let carried = 0n
        for (const flight of flights.values()) {
          const status = Option.getOrUndefined(yield* intents.find(flight.id))?.status ?? "quoted"
          const counts =
            status === "quoted"
              ? flight.reservedAtMs > now - UNSUBMITTED_MILLIS
              : status === "submitted" || status === "settled_source"
          if (!counts) flights.delete(flight.id)
          else if (flight.bridge === bridge) carried += flight.value
        }
        return carried < limit ? limit - carried : 0n
      })

      return {
        room,
        reserve: Effect.fnUntraced(function* (flight) {
          const left = yield* room(flight.bridge)
          const kept = flights.get(flight.id)
          if (kept === undefined && flight.value > left) return false
          flights.set(flight.id, { ...(kept ?? flight), reservedAtMs: yield* Clock.currentTimeMillis })
          return true
        })
      }
    })
  )
