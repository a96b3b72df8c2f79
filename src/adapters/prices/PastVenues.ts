/** Exchanges as they were in earlier blocks, read from nodes that keep old states. */
import { Clock, Effect, Option } from "effect"
import { minPoolAge } from "../../domain/PriceFacts.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import { before, KnownPools } from "../swap/KnownPools.ts"
import * as Venues from "../swap/Venues.ts"
import * as PoolAges from "./PoolAges.ts"
import * as Silences from "./Silences.ts"

/** Age of the younger of the two earlier blocks, in seconds. */
const RECENT_SECONDS = 600

/** Longest lifetime of an earlier block, in milliseconds. It only becomes older. */
const PAST_LIFETIME_MILLIS = 3_600_000

/** Part of its age by which an earlier block may become older. */
const PAST_LIFETIME_PART = 10

export interface Past {
  readonly sources: ReadonlyArray<Venues.ExchangeSource>
  readonly client: ChainClient
  /** UNIX milliseconds. */
  readonly untilMs: number
  /** Notes an answer about this exchange. */
  readonly noteAnswer: (exchange: string) => void
  /**
   * Notes that the node did not answer about this exchange at this time, in UNIX milliseconds. True if it had states of this age before and is
   * expected to answer again. False for a node that never had them.
   */
  readonly isExpected: (exchange: string, nowMillis: number) => boolean
}

/** Ages in seconds of the blocks in which an exchange must have paid as well, the least one last. Empty where new pools count. */
export const agesOn = ({ chain }: ChainClient): ReadonlyArray<number> => {
  const oldest = minPoolAge(chain)
  return oldest === 0 ? [] : [...new Set([oldest, Math.min(oldest, RECENT_SECONDS)])]
}

/**
 * The chain as it was at the end of a block. `answered` is run for each call that the node executed. An empty answer is none: a node without
 * the state may give it.
 */
const pinned = (client: ChainClient, block: bigint, answered: Effect.Effect<unknown>): ChainClient => ({
  ...client,
  call: (request) =>
    client.call({ ...request, block }).pipe(
      Effect.tap((data) => (data === "0x" ? Effect.void : answered)),
      Effect.tapErrorTag("CallReverted", () => answered)
    )
})

/** Makes `pastOf(client, age)`: sources that read the chain as it was this many seconds ago; none if that block is not found. */
export const make = Effect.map(KnownPools, (pools) => {
  const known = new Map<string, Past>()
  /** Chains and ages of which a node has had the state. */
  const had = new Set<string>()
  /** By chain, age and exchange. */
  const silences = Silences.make()

  return Effect.fnUntraced(function* (client: ChainClient, age: number) {
    const now = yield* Clock.currentTimeMillis
    const key = `${client.chain.id} ${age}`
    const kept = known.get(key)
    if (kept !== undefined && now < kept.untilMs) return Option.some(kept)
    const latest = yield* client.block("latest")
    if (Option.isNone(latest)) return Option.none()
    const block = yield* PoolAges.blockBefore(client, Number(latest.value.timestamp) - age)
    if (Option.isNone(block)) return Option.none()
    const answered = Effect.sync(() => had.add(key))
    const then = pinned(client, block.value.number, answered)
    const sources = yield* Venues.make.pipe(
      Effect.provideService(Chains, { all: [then], get: () => Effect.succeed(then) }),
      Effect.provideService(KnownPools, before(pools))
    )
    const lifetime = Math.min(PAST_LIFETIME_MILLIS, (age * 1_000) / PAST_LIFETIME_PART)
    const past: Past = {
      sources,
      client: then,
      untilMs: now + lifetime,
      noteAnswer: (exchange) => silences.end(`${key} ${exchange}`),
      isExpected: (exchange, nowMillis) => had.has(key) && silences.isPassing(`${key} ${exchange}`, nowMillis)
    }
    known.set(key, past)
    return Option.some(past)
  })
})
