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
      const flights = new Map<
        string,
        Flight & { readonly reservedAtMs: number; readonly holders: ReadonlySet<string> }
      >()

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
        reserve: Effect.fnUntraced(function* (wanted, holder) {
          const reservedAtMs = yield* Clock.currentTimeMillis
          const added = wanted.filter(({ id }) => !flights.has(id))
          for (const [bridge, each] of Map.groupBy(added, (flight) => flight.bridge)) {
            const value = each.reduce((sum, flight) => sum + flight.value, 0n)
            if (value > (yield* room(bridge))) return false
          }
          for (const flight of wanted) {
            const before = flights.get(flight.id)
            const holders = new Set([...(before?.holders ?? []), holder])
            flights.set(flight.id, { ...(before ?? flight), reservedAtMs, holders })
          }
          return true
        }),
        releaseQuoted: Effect.fnUntraced(function* (intentIds, holder) {
          for (const id of intentIds) {
            const intent = Option.getOrUndefined(yield* intents.find(id))
            const flight = flights.get(id)
            if (intent?.status !== "quoted" || flight === undefined || !flight.holders.has(holder)) continue
            const holders = new Set([...flight.holders].filter((each) => each !== holder))
            if (holders.size === 0) flights.delete(id)
            else flights.set(id, { ...flight, holders })
          }
        })
      }
    })
  )
