/**
 * Last good prices that outlive the process. They are read every 30 seconds, so that the prices of other replicas count, and each
 * token's is written every 30 seconds at most.
 */
import { Cache, Duration, Effect, Exit } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Kept, State } from "../../domain/PriceReview.ts"
import { LastPrices } from "../../ports/orchestrator/LastPrices.ts"

const INTERVAL_MILLIS = 30_000

/** Pause after a read that failed. */
const RETRY: Duration.Input = "1 second"

/** Time after which a price is reviewed without what the store has. */
const PATIENCE: Duration.Input = "500 millis"

/** More than there are chains. */
const CAPACITY = 1_000

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
    const good = stored._tag === "Success" ? stored.success.get(token) : undefined
    return good !== undefined && good.atMs > (state.good?.atMs ?? Number.NEGATIVE_INFINITY) ? { ...state, good } : state
  })

  const note = Effect.fnUntraced(function* (chainId: ChainId, token: Address.Address, good: Kept) {
    const key = `${chainId} ${token}`
    if (good.atMs - (written.get(key) ?? Number.NEGATIVE_INFINITY) < INTERVAL_MILLIS) return
    written.set(key, good.atMs)
    // Detached: a quote does not wait for it.
    yield* Effect.forkIn(Effect.ignore(store.keep(chainId, token, good), { log: "Warn" }), scope)
  })

  return { latest, note }
})
