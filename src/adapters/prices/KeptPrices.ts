/**
 * Last good prices that outlive the process. They are read every 30 seconds, so that the prices of other replicas count, and each
 * token's is written every 30 seconds at most. A price that lies in the future comes from a clock that ran ahead, and does not count.
 */
import { Cache, Clock, Duration, Effect, Exit } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Kept, State } from "../../domain/PriceReview.ts"
import { LastPrices } from "../../ports/orchestrator/LastPrices.ts"

const INTERVAL_MILLIS = 30_000

/** Pause after a read that failed. */
const RETRY: Duration.Input = "1 second"

/** Time after which a price is reviewed without what the store has. */
const PATIENCE: Duration.Input = "500 millis"

/** Distance by which the clocks of replicas may differ. */
const TOLERANCE_MILLIS = 60_000

/** More than there are chains. */
const CAPACITY = 1_000

/** The state without what lies in the future, which would count until its time has come. */
const until = (latestMs: number, { candidate, good }: State): State => ({
  ...(good === undefined || good.atMs > latestMs ? {} : { good }),
  ...(candidate === undefined || candidate.atMs > latestMs ? {} : { candidate })
})

/** Makes `latest(chainId, token, state)`, the state with a newer price of the store, and `note(chainId, token, good)`. */
export const make = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const store = yield* LastPrices
  /** UNIX milliseconds of the last price of a token that was written. */
  const written = new Map<string, number>()
  const reads = yield* Cache.makeWith((chainId: ChainId) => Effect.timeout(store.read(chainId), PATIENCE), {
    capacity: CAPACITY,
    timeToLive: (exit) => (Exit.isSuccess(exit) ? Duration.millis(INTERVAL_MILLIS) : RETRY)
  })

  const latest = Effect.fnUntraced(function* (chainId: ChainId, token: Address.Address, state: State) {
    const stored = yield* Effect.result(Cache.get(reads, chainId))
    const latestMs = (yield* Clock.currentTimeMillis) + TOLERANCE_MILLIS
    const own = until(latestMs, state)
    const good = stored._tag === "Success" ? stored.success.get(token) : undefined
    const isNewer =
      good !== undefined && good.atMs <= latestMs && good.atMs > (own.good?.atMs ?? Number.NEGATIVE_INFINITY)
    return isNewer ? { ...own, good } : own
  })

  const note = Effect.fnUntraced(function* (chainId: ChainId, token: Address.Address, good: Kept) {
    const key = `${chainId} ${token}`
    const sinceMs = good.atMs - (written.get(key) ?? Number.NEGATIVE_INFINITY)
    // A clock that was set back makes it negative.
    if (sinceMs >= 0 && sinceMs < INTERVAL_MILLIS) return
    written.set(key, good.atMs)
    // Detached: a quote does not wait for it.
    yield* Effect.forkIn(Effect.ignore(store.keep(chainId, token, good), { log: "Warn" }), scope)
  })

  return { latest, note }
})
