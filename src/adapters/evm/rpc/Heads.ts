/**
 * Heads of a chain: the newest that is known, and a stream of new ones. They come from a WebSocket subscription if the chain has one,
 * and from polling while it has none or the subscription is down.
 *
 * Polling costs requests, so the chain is polled only while somebody reads the stream. A reader that only needs to know the head now
 * and then reads the newest known one.
 */
import { Clock, Effect, Latch, Option, type Scope, Stream } from "effect"
import { isWithin } from "../../../domain/Age.ts"
import type { Chain } from "../../../domain/Chain.ts"
import { toleratedBlocks } from "../../../domain/HeadLag.ts"
import type { Block, ChainClient } from "../../../ports/shared/Chains.ts"
import * as Choice from "./Choice.ts"
import * as HeadSocket from "./HeadSocket.ts"

/** Heads that are buffered for a slow subscriber. Beyond them it misses the oldest. */
const CAPACITY = 16

/** Polls per block time while a block is due, so that a head is known after an eighth of a block time at the latest. */
const QUESTIONS_PER_BLOCK = 8

/** Bounds of the polling interval, in milliseconds. */
const QUESTION_MILLIS = { from: 50, to: 2_000 }

/** Longest block time of chains that may make a block as soon as they have a transaction, in milliseconds. */
const ON_DEMAND_MILLIS = 2_000

/** Interval of polls while the subscription is up, in milliseconds. They notice a subscription that lags. */
const SUBSCRIBED_MILLIS = 60_000

/** Block times for which a head counts as young, and least milliseconds. */
const YOUNG = { blocks: 2, millis: 2_000 }

/** Weight of the newest block in the moving average of block times. */
const NEWEST_WEIGHT = 0.25

const clamp = (value: number, { from, to }: { readonly from: number; readonly to: number }): number =>
  Math.min(Math.max(value, from), to)

/**
 * Polls rarely while no block is due and often when one is, by the average of observed block times. The average starts at the
 * configured block time and never exceeds it, so that a chain that paused is polled often enough when it resumes. `soon` opens when
 * there may be a block at any time.
 */
const polled = (
  chain: Chain,
  latest: Effect.Effect<Option.Option<Block>, unknown>,
  socket: HeadSocket.HeadSocket | undefined,
  soon: Latch.Latch
): Stream.Stream<Block> =>
  Stream.unwrap(
    Effect.sync(() => {
      let blockMillis: number = chain.blockTimeMillis
      let seen: { readonly head: Block; readonly atMillis: number } | undefined

      const pause = Effect.gen(function* () {
        if (socket?.isUp() === true) return yield* Effect.raceFirst(socket.down, Effect.sleep(SUBSCRIBED_MILLIS))
        const now = yield* Clock.currentTimeMillis
        const step = clamp(blockMillis / QUESTIONS_PER_BLOCK, QUESTION_MILLIS)
        // At most a block time, also if the clock was set back.
        const dueIn = seen === undefined ? 0 : Math.min(seen.atMillis - now, 0) + blockMillis - step
        const early = Effect.andThen(soon.await, Effect.sleep(QUESTION_MILLIS.from))
        yield* Effect.raceFirst(Effect.sleep(Math.max(dueIn, step)), early)
        yield* soon.close
      })
      const ask = Effect.gen(function* () {
        const found = yield* Effect.orElseSucceed(latest, Option.none)
        const now = yield* Clock.currentTimeMillis
        if (Option.isNone(found) || found.value.hash === seen?.head.hash) return []
        // After the clock was set back, nobody knows how long the block took.
        if (seen !== undefined && now >= seen.atMillis) {
          const blocks = Math.max(1, Number(found.value.number - seen.head.number))
          const took = Math.min((now - seen.atMillis) / blocks, chain.blockTimeMillis)
          blockMillis += NEWEST_WEIGHT * (took - blockMillis)
        }
        seen = { head: found.value, atMillis: now }
        return [found.value]
      })
      return Stream.fromIterableEffectRepeat(
        Effect.suspend(() => (seen === undefined ? ask : Effect.andThen(pause, ask)))
      )
    })
  )

interface Known {
  readonly head: Block
  /** UNIX milliseconds at which it was received. */
  readonly atMillis: number
}

/** The head, unless it is older than the limit. */
const younger = (known: Known | undefined, limit: number, now: number): Block | undefined =>
  known !== undefined && isWithin(limit, known.atMillis, now) ? known.head : undefined

/**
 * All readers of the stream share it. Without a reader of either, no node is asked. The subscription starts with the first one and
 * then stays, since it costs no requests. Run `sent` after each transaction: where blocks are made on demand, one is due then.
 */
export const make = Effect.fnUntraced(function* (
  client: Pick<ChainClient, "chain" | "block">,
  wsUrl: string | undefined
): Effect.fn.Return<
  { readonly reads: Pick<ChainClient, "heads" | "recentHead">; readonly sent: Effect.Effect<unknown> },
  never,
  Scope.Scope
> {
  const soon = yield* Latch.make()
  const { blockTimeMillis } = client.chain
  const youngMillis = Math.max(YOUNG.blocks * blockTimeMillis, YOUNG.millis)
  /** A subscription whose head is more blocks below the last polled one lags. */
  const tolerated = toleratedBlocks(blockTimeMillis)
  /** The newest known head. */
  let known: Known | undefined
  /** The newest head of a poll. */
  let polledHead: Known | undefined
  /** UNIX milliseconds of the newest answer to a poll. */
  let polledAt = Number.NEGATIVE_INFINITY

  const latest = Effect.gen(function* () {
    // All readers share the head, so it is no read of an endpoint that one of them asks alone.
    const found = yield* Effect.provideService(client.block("latest"), Choice.Current, undefined)
    polledAt = yield* Clock.currentTimeMillis
    // Also if it is lower than the known one: a poll asks all endpoints, and a reorganisation may lower the head.
    if (Option.isSome(found)) known = polledHead = { head: found.value, atMillis: polledAt }
    return found
  })
  /** True if the chain may have made so many blocks since the last poll. An older poll proves nothing. */
  const isReachable = (head: Block, now: number): boolean => {
    if (polledHead === undefined || !isWithin(SUBSCRIBED_MILLIS, polledHead.atMillis, now)) return true
    const made = BigInt(Math.floor((now - polledHead.atMillis) / blockTimeMillis))
    return head.number <= polledHead.head.number + made + tolerated
  }
  /** UNIX milliseconds of the last head of the subscription that was ahead. */
  let aheadAt = Number.NEGATIVE_INFINITY
  /** True if the head is further than all endpoints are, which a poll tells. The chain may also be faster than it is configured. */
  const isAhead = Effect.fnUntraced(function* (head: Block) {
    const startedAt = yield* Clock.currentTimeMillis
    if (isReachable(head, startedAt)) return false
    // A subscription that invents heads does not cause more polls than the chain has blocks.
    if (isWithin(blockTimeMillis, aheadAt, startedAt)) return true
    yield* Effect.ignore(latest)
    const now = yield* Clock.currentTimeMillis
    if (isReachable(head, now)) return false
    aheadAt = now
    return true
  })
  const accept = Effect.fnUntraced(function* (head: Block): Effect.fn.Return<HeadSocket.Verdict> {
    // An endpoint that lags may limit the polled heads, so the subscription need not be wrong.
    if (yield* isAhead(head)) return "ahead"
    const atMillis = yield* Clock.currentTimeMillis
    // An older poll proves nothing, because a reorganisation may have lowered the head since.
    const polled = younger(polledHead, SUBSCRIBED_MILLIS, atMillis)
    if (polled !== undefined && head.number + tolerated < polled.number) return "old"
    const before = younger(known, youngMillis, atMillis)
    if (before === undefined || before.number <= head.number) known = { head, atMillis }
    return "accepted"
  })
  const socket = wsUrl === undefined ? undefined : yield* HeadSocket.make(client.chain, wsUrl, accept)

  const recentHead: ChainClient["recentHead"] = Effect.fnUntraced(function* (maxAgeMillis) {
    if (socket !== undefined) yield* socket.start
    const now = yield* Clock.currentTimeMillis
    // The subscription may lag unless a poll was compared with it a while ago. It tells of the next block while the last one is young.
    const isCompared = isWithin(SUBSCRIBED_MILLIS, polledAt, now)
    const isTold = isCompared && socket?.isUp() === true
    const limit = isTold ? Math.max(maxAgeMillis, youngMillis) : isCompared || known === polledHead ? maxAgeMillis : 0
    return known !== undefined && isWithin(limit, known.atMillis, now) ? Option.some(known.head) : yield* latest
  })

  const asked = polled(client.chain, latest, socket, soon)
  const heads =
    socket === undefined
      ? asked
      : Stream.unwrap(Effect.as(socket.start, Stream.merge(asked, socket.heads))).pipe(
          Stream.changesWith((a, b) => a.hash === b.hash)
        )
  return {
    reads: { heads: yield* Stream.share(heads, { capacity: CAPACITY, strategy: "sliding", replay: 1 }), recentHead },
    sent: client.chain.blockTimeMillis > ON_DEMAND_MILLIS ? Effect.void : soon.open
  }
})
