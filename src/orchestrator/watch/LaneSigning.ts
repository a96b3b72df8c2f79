/**
 * Signs versions of pending transactions. A lane that cannot sign holds up nothing that needs no signature: its alert is raised, and the
 * caller goes on with the bytes that are stored.
 */
import { Clock, Effect, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { Chain } from "../../domain/Chain.ts"
import { RelayerKeys, type SigningFailed } from "../../ports/orchestrator/RelayerKeys.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import type { UnsignedTransaction } from "../../ports/shared/Transaction.ts"
import * as Signing from "../relay/Signing.ts"
import * as LaneAlerts from "../shared/LaneAlerts.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"

/** Maximum time between two failures of one outage, in milliseconds. A signer that nobody has asked for longer may work again. */
const GAP_MILLIS = 60_000

/** Failures in a row, as UNIX milliseconds of the first and of the last one. */
interface Outage {
  readonly sinceMs: number
  readonly lastMs: number
}

/** Makes `sign`, `failed` and `outageMillis`. */
export const make = Effect.gen(function* () {
  const alerts = yield* StandingAlerts
  const keys = yield* RelayerKeys
  const signAttempt = yield* Signing.make
  /** By chain and lane. A restart forgets it, which only prolongs the wait. */
  const outages = new Map<string, Outage>()

  const note = ({ id }: Chain, lane: Address.Address, nowMs: number): Outage => {
    const key = LaneAlerts.signingKey(id, lane)
    const before = outages.get(key)
    const isOngoing = before !== undefined && nowMs - before.lastMs <= GAP_MILLIS
    const outage = { sinceMs: isOngoing ? before.sinceMs : nowMs, lastMs: nowMs }
    outages.set(key, outage)
    return outage
  }

  /** Notes that the lane could not sign, and raises its alert. */
  const failed = Effect.fnUntraced(function* (
    { chain }: ChainClient,
    lane: Address.Address,
    { detail, message }: SigningFailed
  ) {
    note(chain, lane, yield* Clock.currentTimeMillis)
    yield* Effect.annotateLogs(Effect.logError("watch.signing_failed"), { detail: message })
    yield* alerts.raise(LaneAlerts.cannotSign(chain, lane, detail))
  })

  /** The signed version. None if the lane cannot sign. */
  const sign = Effect.fnUntraced(function* (client: ChainClient, lane: Address.Address, content: UnsignedTransaction) {
    const signed = yield* Effect.result(signAttempt(lane, content))
    if (signed._tag === "Failure") {
      yield* failed(client, lane, signed.failure)
      return Option.none()
    }
    const key = LaneAlerts.signingKey(client.chain.id, lane)
    outages.delete(key)
    yield* alerts.clear(key)
    return Option.some(signed.success)
  })

  /** Time for which the lane has not been able to sign, in milliseconds. 0 if it could, or was not asked lately. */
  const outageMillis = Effect.fnUntraced(function* (chain: Chain, lane: Address.Address) {
    const nowMs = yield* Clock.currentTimeMillis
    const hasKey = keys.lanes(chain.id).includes(lane)
    const outage = hasKey ? outages.get(LaneAlerts.signingKey(chain.id, lane)) : note(chain, lane, nowMs)
    return outage === undefined || nowMs - outage.lastMs > GAP_MILLIS ? 0 : nowMs - outage.sinceMs
  })

  return { failed, outageMillis, sign }
})

export type LaneSigning = Effect.Success<typeof make>
