/**
 * Ages of Uniswap v3 pools. A pool that nobody had time to arbitrage can have any price, so a young one counts for nothing.
 *
 * Each of these proves that a pool was initialized at a time or earlier:
 *
 * - an observation of that time, since a pool observes from its initialization on;
 * - a reading of this process at that time;
 * - the log `Initialize`, which a pool has once, or a complete search of the blocks since that time that does not find it.
 *
 * A young oldest observation proves nothing, because a pool overwrites its observations. Neither does the code of a pool, which
 * anybody can create long before it is initialized. An age says nothing of the liquidity: that has its own measurements.
 */
import { Clock, Effect, Fiber, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import { Hash } from "../../domain/Hex.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"

/** topic0 of `Initialize(uint160,int24)`. */
const INITIALIZE = Hash.make("0x98636036cb66a9c19a37435efc1e90142190214e8abeb821bdba3f2990dd4c95")

/** Pools whose age is remembered. */
const CAPACITY = 20_000

/** Searches for the first block before a time. Chains whose blocks are slower than configured need more than one. */
const BLOCK_SEARCHES = 4

/** Time for which a caller waits for a search. It goes on, for the next caller. */
const PATIENCE = "1 second"

/** Pause after a search that found out nothing, in milliseconds. */
const RETRY_MILLIS = 60_000

/** Logs at so many requests are the most that one pool is worth. */
const LOG_REQUESTS = 12

export interface KnownPool {
  readonly pool: Address.Address
  /** UNIX seconds of its oldest observation. */
  readonly oldest: number
}

/** The newest block that is at least as old as `before` (UNIX seconds); none if that is not found. */
const blockBefore = Effect.fnUntraced(function* (client: ChainClient, before: number) {
  const { blockTimeMillis } = client.chain
  const latest = yield* client.block("latest")
  if (Option.isNone(latest)) return Option.none()
  let { number, timestamp } = latest.value
  for (let searches = 0; searches < BLOCK_SEARCHES; searches++) {
    if (Number(timestamp) <= before) return Option.some({ number, timestamp: Number(timestamp), latest: latest.value })
    if (number === 0n) return Option.none()
    const back = BigInt(Math.ceil(((Number(timestamp) - before) * 1_000) / blockTimeMillis))
    number = number > back ? number - back : 0n
    const found = yield* client.block(number)
    if (Option.isNone(found)) return Option.none()
    timestamp = found.value.timestamp
  }
  return Option.none()
})

/** UNIX seconds at which the pool had been initialized, by its log or by the absence of one since `before`. */
const search = Effect.fnUntraced(function* (client: ChainClient, pool: Address.Address, before: number) {
  const start = yield* blockBefore(client, before)
  if (Option.isNone(start)) return Option.none()
  const { latest, number, timestamp } = start.value
  const { logs, unread } = yield* client.logs({
    address: pool,
    topics: [INITIALIZE],
    fromBlock: number,
    toBlock: latest.number,
    order: "newest",
    until: () => true,
    requests: LOG_REQUESTS
  })
  const [initialized] = logs
  if (initialized !== undefined) {
    const block = yield* client.block(initialized.blockNumber)
    return Option.map(block, (found) => Number(found.timestamp))
  }
  return unread === undefined ? Option.some(timestamp) : Option.none()
})

/** Makes `matured(client, time, minAgeSeconds, pools)`: those of the pools that are proved to be old enough at `time`. */
export const make = Effect.gen(function* () {
  const scope = yield* Effect.scope
  /** UNIX seconds at which a pool had been initialized. */
  const since = new Map<string, number>()
  /** UNIX milliseconds from which a pool is searched for again. */
  const searchAt = new Map<string, number>()

  const keep = <A>(map: Map<string, A>, key: string, value: A) => {
    map.delete(key)
    map.set(key, value)
    const [oldest] = map.keys()
    if (map.size > CAPACITY && oldest !== undefined) map.delete(oldest)
  }

  const note = (key: string, seconds: number) => keep(since, key, Math.min(seconds, since.get(key) ?? seconds))

  const look = Effect.fnUntraced(function* (client: ChainClient, key: string, pool: Address.Address, before: number) {
    const now = yield* Clock.currentTimeMillis
    if (now < (searchAt.get(key) ?? 0)) return
    keep(searchAt, key, now + RETRY_MILLIS)
    const found = yield* Effect.orElseSucceed(search(client, pool, before), () => Option.none<number>())
    if (Option.isSome(found)) note(key, found.value)
  })

  return Effect.fnUntraced(function* (
    client: ChainClient,
    time: number,
    minAgeSeconds: number,
    pools: ReadonlyArray<KnownPool>
  ) {
    if (minAgeSeconds === 0) return new Set(pools.map(({ pool }) => pool))
    const keyed = pools.map(({ oldest, pool }) => ({ pool, oldest, key: `${client.chain.id} ${pool}` }))
    for (const { key, oldest } of keyed) note(key, oldest)
    const isOld = ({ key }: { readonly key: string }) => time - (since.get(key) ?? time) >= minAgeSeconds
    const unproved = keyed.filter((each) => !isOld(each))
    if (unproved.length > 0) {
      // Detached from the caller, which may stop waiting.
      const looking = yield* Effect.forkIn(
        Effect.forEach(unproved, ({ key, pool }) => look(client, key, pool, time - minAgeSeconds), {
          concurrency: 4,
          discard: true
        }),
        scope
      )
      yield* Effect.timeoutOption(Fiber.await(looking), PATIENCE)
    }
    return new Set(keyed.filter(isOld).map(({ pool }) => pool))
  })
})
