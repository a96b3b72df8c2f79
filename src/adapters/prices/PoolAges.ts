/**
 * Ages of Uniswap v3 pools. A pool that nobody had time to arbitrage can have any price, so a young one counts for nothing.
 *
 * Each of these proves that a pool was initialized at a time or earlier:
 *
 * - an observation of that time, since a pool observes from its initialization on;
 * - a reading of this process at that time;
 * - its price in a block of that time, on nodes that keep old states;
 * - the log `Initialize`, which a pool has once, or a complete search of the blocks since that time that does not find it.
 *
 * A young oldest observation proves nothing, because a pool overwrites its observations. Neither does the code of a pool, which
 * anybody can create long before it is initialized. An age says nothing of the liquidity: that has its own measurements.
 */
import { Clock, Effect, Fiber, Option } from "effect"
import { encodeFunctionData, parseAbi } from "viem"
import type * as Address from "../../domain/Address.ts"
import { Hash } from "../../domain/Hex.ts"
import * as LatestMap from "../../domain/LatestMap.ts"
import type { ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"

/** topic0 of `Initialize(uint160,int24)`. */
const INITIALIZE = Hash.make("0x98636036cb66a9c19a37435efc1e90142190214e8abeb821bdba3f2990dd4c95")

/** Pools whose age is remembered. */
const CAPACITY = 20_000

/** Guesses of a block before a time. The first goes by the configured time of a block, the others by the measured one. */
const BLOCK_GUESSES = 4

/** Time for which a caller waits for a search. It goes on, for the next caller. */
const PATIENCE = "1 second"

/** Pause after a search that found out nothing, in milliseconds. */
const RETRY_MILLIS = 60_000

/** Requests of one search for a log. The next search goes on with the blocks that are left. */
const LOG_REQUESTS = 20

const slot0Abi = parseAbi(["function slot0() view returns (uint160 sqrtPriceX96)"])
const SLOT0 = encodeFunctionData({ abi: slot0Abi, functionName: "slot0" })

export interface KnownPool {
  readonly pool: Address.Address
  /** UNIX seconds of its oldest observation. */
  readonly oldest: number
}

/** A block that is at least as old as `before` (UNIX seconds), and not much older; none if that is not found. */
export const blockBefore = Effect.fnUntraced(function* (client: ChainClient, before: number) {
  const found = yield* client.block("latest")
  if (Option.isNone(found)) return Option.none()
  const latest = found.value
  const age = Number(latest.timestamp) - before
  let [number, timestamp] = [latest.number, Number(latest.timestamp)]
  let secondsPerBlock = client.chain.blockTimeMillis / 1_000
  for (let guesses = 0; timestamp > before; guesses++) {
    if (number === 0n || guesses === BLOCK_GUESSES) return Option.none()
    // Each guess goes a little further than the pace says, since paces change.
    const back = BigInt(Math.ceil((age / secondsPerBlock) * (1 + 0.02 * guesses)))
    number = latest.number > back ? latest.number - back : 0n
    const block = yield* client.block(number)
    if (Option.isNone(block)) return Option.none()
    timestamp = Number(block.value.timestamp)
    const blocks = Number(latest.number - number)
    secondsPerBlock = Math.max((Number(latest.timestamp) - timestamp) / Math.max(blocks, 1), 0.001)
  }
  return Option.some({ number, timestamp, latest })
})

/** True if the pool had a price at the end of the block; none if the nodes do not have the state of that block. */
const hadPrice = (client: ChainClient, pool: Address.Address, block: bigint) =>
  client.call({ to: pool, data: SLOT0, block }).pipe(
    // A pool without code returns nothing, and one that is not initialized a price of 0.
    Effect.map((data) => Option.some(data.length >= 66 && BigInt(data.slice(0, 66)) > 0n)),
    Effect.catchTags({
      CallReverted: () => Effect.succeed(Option.some(false)),
      ChainUnavailable: () => Effect.succeed(Option.none<boolean>())
    })
  )

/** Result of a search: UNIX seconds at which the pool had been initialized, or the last block that is left to search. */
type Found = { readonly since: number } | { readonly left: bigint | undefined }

/** Looks for a proof that the pool had been initialized at `before`. `left`: the last block that an earlier search left. */
const search = Effect.fnUntraced(function* (
  client: ChainClient,
  pool: Address.Address,
  before: number,
  left: bigint | undefined
): Effect.fn.Return<Found, ChainUnavailable> {
  const start = yield* blockBefore(client, before)
  if (Option.isNone(start)) return { left }
  const { latest, number, timestamp } = start.value
  if (Option.getOrElse(yield* hadPrice(client, pool, number), () => false)) return { since: timestamp }
  const { logs, unread } = yield* client.logs({
    address: pool,
    topics: [INITIALIZE],
    fromBlock: number,
    toBlock: left ?? latest.number,
    order: "newest",
    until: () => true,
    requests: LOG_REQUESTS
  })
  const [initialized] = logs
  if (initialized !== undefined) {
    const block = yield* client.block(initialized.blockNumber)
    return Option.isSome(block) ? { since: Number(block.value.timestamp) } : { left }
  }
  return unread === undefined ? { since: timestamp } : { left: unread.toBlock }
})

/** Makes `matured(client, time, minAgeSeconds, pools)`: those of the pools that are proved to be old enough at `time`. */
export const make = Effect.gen(function* () {
  const scope = yield* Effect.scope
  /** UNIX seconds at which a pool had been initialized. */
  const since = LatestMap.make<string, number>(CAPACITY)
  /** UNIX milliseconds from which a pool is searched for again, and the last block that is left to search. */
  const searches = LatestMap.make<string, { readonly nextAtMs: number; readonly left: bigint | undefined }>(CAPACITY)

  const note = (key: string, seconds: number) => since.set(key, Math.min(seconds, since.get(key) ?? seconds))

  const look = Effect.fnUntraced(function* (client: ChainClient, key: string, pool: Address.Address, before: number) {
    const now = yield* Clock.currentTimeMillis
    const last = searches.get(key)
    if (now < (last?.nextAtMs ?? 0)) return
    const next = { nextAtMs: now + RETRY_MILLIS, left: last?.left }
    searches.set(key, next)
    const found = yield* Effect.orElseSucceed(search(client, pool, before, last?.left), () => ({ left: last?.left }))
    if ("since" in found) return note(key, found.since)
    searches.set(key, { ...next, left: found.left })
    yield* Effect.logWarning("price.pool_age_unknown").pipe(Effect.annotateLogs({ chainId: client.chain.id, pool }))
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
