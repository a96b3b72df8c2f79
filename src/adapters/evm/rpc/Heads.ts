/**
 * Heads of a chain: the newest that is known, and a stream of new ones. They come from a WebSocket subscription if the chain has one,
 * and from polling while it has none or the subscription is down.
 *
 * Polling costs requests, so the chain is polled only while somebody reads the stream. A reader that only needs to know the head now
 * and then reads the newest known one.
 */
import { Clock, Effect, Latch, Option, type Scope, Stream } from "effect"
import type { Chain } from "../../../domain/Chain.ts"
import type { Block, ChainClient } from "../../../ports/shared/Chains.ts"
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
        const dueIn = seen === undefined ? 0 : seen.atMillis + blockMillis - step - now
        const early = Effect.andThen(soon.await, Effect.sleep(QUESTION_MILLIS.from))
        yield* Effect.raceFirst(Effect.sleep(Math.max(dueIn, step)), early)
        yield* soon.close
      })
      const ask = Effect.gen(function* () {
        const found = yield* Effect.orElseSucceed(latest, Option.none)
        const now = yield* Clock.currentTimeMillis
        if (Option.isNone(found) || found.value.hash === seen?.head.hash) return []
        if (seen !== undefined) {
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
  let known: { readonly head: Block; readonly atMillis: number } | undefined
  /** UNIX milliseconds of the newest answer to a poll. */
  let polledAt = Number.NEGATIVE_INFINITY

  const note = (head: Block) =>
    Effect.map(Clock.currentTimeMillis, (atMillis) => {
      known = { head, atMillis }
    })
  const latest = Effect.gen(function* () {
    const found = yield* client.block("latest")
    if (Option.isSome(found)) yield* note(found.value)
    polledAt = yield* Clock.currentTimeMillis
    return found
  })
  const socket = wsUrl === undefined ? undefined : yield* HeadSocket.make(client.chain, wsUrl, note)

  const recentHead: ChainClient["recentHead"] = Effect.fnUntraced(function* (maxAgeMillis) {
    if (socket !== undefined) yield* socket.start
    const now = yield* Clock.currentTimeMillis
    const isTold = socket?.isUp() === true && now - polledAt < SUBSCRIBED_MILLIS
    return known !== undefined && (isTold || now - known.atMillis < maxAgeMillis)
      ? Option.some(known.head)
      : yield* latest
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
