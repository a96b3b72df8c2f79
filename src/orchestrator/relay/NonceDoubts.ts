/**
 * Alerts about lanes whose transaction counts two endpoints contradict each other about. Each process asks its own endpoints. An endpoint
 * that is a moment behind raises none, since a contradiction has to last.
 */
import { Clock, Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import { RenewedAlerts } from "../shared/RenewedAlerts.ts"

/** Time for which a contradiction has to last until it raises an alert, in milliseconds. */
const LASTING_MILLIS = 60_000

/** A contradiction of two endpoints about a lane. */
export interface Doubt {
  /** Names both endpoints. */
  readonly cause: ChainUnavailable
  /** True if no earlier count of the lane is known, so that it sends nothing. */
  readonly isWaiting: boolean
}

const keyOf = ({ chain }: ChainClient, lane: Address.Address): string => `nonce_doubted:${chain.id}:${lane}`

const alertOf = ({ chain }: ChainClient, lane: Address.Address, { cause, isWaiting }: Doubt) => ({
  severity: isWaiting ? ("critical" as const) : ("warning" as const),
  kind: "nonce_doubted" as const,
  message: `Endpoints of ${chain.name} have named transaction counts of lane ${lane} that contradict each other for more than a minute. ${
    isWaiting ? "The lane sends nothing until they agree." : "The lane continues with the last count that was accepted."
  } Remove the endpoint that is wrong from rpcUrls.`,
  details: { chainId: chain.id, lane, detail: cause.detail }
})

/** Makes `standsFor`, `note` and `end`, each for a lane of a chain. */
export const make = Effect.gen(function* () {
  const alerts = yield* RenewedAlerts
  /** UNIX milliseconds of the first look at each contradiction that has not ended. */
  const since = new Map<string, number>()

  return {
    /** True if this process has seen a contradiction that has not ended, or if an alert stands that no process renews. */
    standsFor: Effect.fnUntraced(function* (client: ChainClient, lane: Address.Address) {
      const key = keyOf(client, lane)
      return since.has(key) || (yield* alerts.left).has(key)
    }),
    /** Notes a contradiction. Raises the alert if it has lasted. */
    note: Effect.fnUntraced(function* (client: ChainClient, lane: Address.Address, doubt: Doubt) {
      const key = keyOf(client, lane)
      const now = yield* Clock.currentTimeMillis
      // The clock may have been set back meanwhile.
      const first = Math.min(since.get(key) ?? now, now)
      since.set(key, first)
      if (now - first >= LASTING_MILLIS) {
        yield* alerts.raise({ key, ...alertOf(client, lane, doubt) })
      }
    }),
    /** Notes that two endpoints agree, or that the lane's count is no longer needed. */
    end: Effect.fnUntraced(function* (client: ChainClient, lane: Address.Address) {
      const key = keyOf(client, lane)
      since.delete(key)
      yield* alerts.end(key)
    })
  }
})
