/**
 * Earlier states of Uniswap v3 pools that have no mean. A pool keeps one observation by default, so that each trade leaves it without a
 * mean for ten minutes. Its present state proves nothing, because anybody can trade in it or fill it for a moment. So its earlier tick and
 * liquidity take the place of the means: those of a reading of this process, or else those of the chain's state at that time. A pool with
 * neither does not count.
 */
import { Clock, Effect, Fiber, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import * as LatestMap from "../../domain/LatestMap.ts"
import { minPoolAge } from "../../domain/PriceFacts.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import * as PoolAges from "./PoolAges.ts"
import * as RoundTrip from "./RoundTrip.ts"

/** Pools whose earlier states are remembered. */
const CAPACITY = 20_000

/** Age in seconds up to which an earlier state takes the place of a mean. */
const MAX_AGE_SECONDS = 3_600

/** Age in seconds from which a newer one is looked for. */
const FRESH_SECONDS = 2 * RoundTrip.WINDOW_SECONDS

/** Time for which a caller waits for the chain's earlier state. The search goes on, for the next caller. */
const PATIENCE = "1 second"

/** Pause after a search, in milliseconds. */
const RETRY_MILLIS = 60_000

interface State {
  /** UNIX seconds of the block. */
  readonly time: number
  readonly tick: number
  readonly liquidity: bigint
}

/** `newer` becomes `older` once it is as old as the window. So one of them is old enough while the pool is read now and then. */
interface Known {
  readonly older?: State | undefined
  readonly newer?: State | undefined
}

/** The means where there are any, since they cannot be moved for a moment. */
const stateOf = (time: number, { hasMean, liquidity, meanLiquidity, meanTick, tick }: RoundTrip.PoolTrip): State =>
  hasMean ? { time, tick: meanTick, liquidity: meanLiquidity } : { time, tick, liquidity }

const later = (a: State | undefined, b: State): State => (a !== undefined && a.time > b.time ? a : b)

/** The latest state that is old enough at `time`, and not too old. */
const earlier = ({ newer, older }: Known, time: number, window: number): State | undefined =>
  [newer, older].find(
    (state) => state !== undefined && time - state.time >= window && time - state.time <= MAX_AGE_SECONDS
  )

/** Seconds that an earlier state must be old. 0 where new pools count, as on a local network. */
const windowOn = ({ chain }: ChainClient): number => Math.min(minPoolAge(chain), RoundTrip.WINDOW_SECONDS)

/**
 * Makes `steadying(client, journey, time, pools)`, which finds the earlier states of pools. Its result gives a pool that has no mean its
 * earlier state instead; none if that is not known. `journey` reads the pools, and `time` is that of the block in which it read them, in
 * UNIX seconds.
 */
export const make = Effect.gen(function* () {
  const scope = yield* Effect.scope
  const known = LatestMap.make<string, Known>(CAPACITY)
  /** The last search for a pool, and the UNIX milliseconds from which the chain is asked again. */
  const searches = LatestMap.make<string, { readonly looking: Fiber.Fiber<void>; readonly nextAtMs: number }>(CAPACITY)

  const keyOf = (chainId: ChainId, pool: Address.Address) => `${chainId} ${pool}`

  const note = (key: string, state: State, window: number) => {
    const { newer, older } = known.get(key) ?? {}
    if (newer === undefined) known.set(key, { older, newer: state })
    else if (state.time - newer.time >= window) known.set(key, { older: newer, newer: state })
  }

  const look = Effect.fnUntraced(function* (client: ChainClient, journey: RoundTrip.Journey, before: number) {
    const block = yield* PoolAges.blockBefore(client, before)
    if (Option.isNone(block)) return
    const { native, stables, time, tokens } = yield* RoundTrip.travel(client, journey, block.value.number)
    for (const trip of [native, ...stables, ...tokens].flat()) {
      const key = keyOf(client.chain.id, trip.pool)
      const before = known.get(key)
      known.set(key, { ...before, older: later(before?.older, stateOf(time, trip)) })
    }
  })

  return Effect.fnUntraced(function* (
    client: ChainClient,
    journey: RoundTrip.Journey,
    time: number,
    pools: ReadonlyArray<RoundTrip.PoolTrip>
  ) {
    const window = windowOn(client)
    if (window === 0) return (trip: RoundTrip.PoolTrip): Option.Option<RoundTrip.PoolTrip> => Option.some(trip)
    const keyed = pools.map((trip) => ({ trip, key: keyOf(client.chain.id, trip.pool) }))
    const stateAt = (key: string) => earlier(known.get(key) ?? {}, time, window)
    const now = yield* Clock.currentTimeMillis
    const needing = keyed.filter(({ trip }) => !trip.hasMean)
    const missing = needing.filter(({ key }) => stateAt(key) === undefined)
    const stale = needing.filter(({ key }) => time - (stateAt(key)?.time ?? 0) > FRESH_SECONDS)
    const due = stale.filter(({ key }) => now >= (searches.get(key)?.nextAtMs ?? 0))
    if (due.length > 0) {
      // Detached from the caller, which may stop waiting.
      const looking = yield* Effect.forkIn(Effect.ignore(look(client, journey, time - window), { log: "Debug" }), scope)
      for (const { key } of due) searches.set(key, { looking, nextAtMs: now + RETRY_MILLIS })
    }
    const running = new Set(missing.flatMap(({ key }) => searches.get(key)?.looking ?? []))
    if (running.size > 0) yield* Effect.timeoutOption(Fiber.awaitAll(running), PATIENCE)
    for (const { key, trip } of keyed) note(key, stateOf(time, trip), window)
    return (trip: RoundTrip.PoolTrip): Option.Option<RoundTrip.PoolTrip> =>
      trip.hasMean
        ? Option.some(trip)
        : Option.map(Option.fromUndefinedOr(stateAt(keyOf(client.chain.id, trip.pool))), (state) => ({
            ...trip,
            meanTick: state.tick,
            meanLiquidity: state.liquidity
          }))
  })
})
