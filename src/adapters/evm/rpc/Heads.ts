/**
 * New heads of a chain, by a WebSocket subscription if the chain has one, else by polling. When a socket cannot be opened, breaks,
 * falls silent or serves another chain, the chain is polled until the socket is tried again.
 */
import { Clock, Duration, Effect, Option, Schema, type Scope, Stream } from "effect"
import { Socket } from "effect/socket"
import type { Chain } from "../../../domain/Chain.ts"
import type { Block, ChainClient } from "../../../ports/shared/Chains.ts"
import { checkChain, EndpointFailed } from "./JsonRpc.ts"
import * as Rpc from "./Schemas.ts"

/** Heads that are buffered for a slow subscriber. Beyond them it misses the oldest. */
const CAPACITY = 16

/** Polls per block time while a block is due, so that a head is known after an eighth of a block time at the latest. */
const QUESTIONS_PER_BLOCK = 8

/** Bounds of the polling interval, in milliseconds. */
const QUESTION_MILLIS = { from: 25, to: 2_000 }

/** Weight of the newest block in the moving average of block times. */
const NEWEST_WEIGHT = 0.25

/** A node without a head for this many block times, and at least this many milliseconds, counts as dead. */
const SILENT = { blocks: 10, millis: 15_000 }

/** Time from the failure of a socket to the next attempt. */
const SOCKET_RETRY = Duration.seconds(30)

const clamp = (value: number, { from, to }: { readonly from: number; readonly to: number }): number =>
  Math.min(Math.max(value, from), to)

/**
 * Polls rarely while no block is due and often when one is, by the average of observed block times. The average starts at the
 * configured block time and never exceeds it, so that a chain that paused is polled often enough when it resumes.
 */
const polled = (chain: Chain, latest: Effect.Effect<Option.Option<Block>, unknown>): Stream.Stream<Block> =>
  Stream.unwrap(
    Effect.sync(() => {
      let blockMillis: number = chain.blockTimeMillis
      let seen: { readonly head: Block; readonly atMillis: number } | undefined

      const pause = Effect.map(Clock.currentTimeMillis, (now) => {
        const step = clamp(blockMillis / QUESTIONS_PER_BLOCK, QUESTION_MILLIS)
        const dueIn = seen === undefined ? 0 : seen.atMillis + blockMillis - step - now
        return Math.max(dueIn, step)
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
        Effect.suspend(() => (seen === undefined ? ask : Effect.andThen(Effect.flatMap(pause, Effect.sleep), ask)))
      )
    })
  )

const Message = Schema.fromJsonString(
  Schema.Union([
    Schema.Struct({
      method: Schema.Literal("eth_subscription"),
      params: Schema.Struct({ result: Rpc.RpcBlock })
    }),
    Schema.Struct({ id: Schema.Literal(1), result: Schema.Unknown }),
    Schema.Struct({ id: Schema.Literal(2), result: Schema.String })
  ])
)

const decodeMessage = Schema.decodeUnknownEffect(Message)

const call = (id: number, method: string, params: ReadonlyArray<unknown>): string =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params })

/** Always ends with a failure, because a subscription has no regular end. */
const subscribed = (chain: Chain, url: string): Stream.Stream<Block, EndpointFailed, Socket.WebSocketConstructor> => {
  const endpoint = URL.canParse(url) ? new URL(url).host : "invalid URL"
  const failed = (detail: string) => new EndpointFailed({ endpoint, detail })
  const silence = Math.max(SILENT.blocks * chain.blockTimeMillis, SILENT.millis)

  const blockOf = Effect.fnUntraced(function* (frame: string | Uint8Array) {
    const text = typeof frame === "string" ? frame : new TextDecoder().decode(frame)
    const message = yield* Effect.mapError(decodeMessage(text), () => failed("said what it was not asked for"))
    if ("method" in message) return [Rpc.block(message.params.result)]
    if (message.id === 1) yield* checkChain(endpoint, message.result, chain.id)
    return []
  })

  return Stream.unwrap(
    Effect.gen(function* () {
      const socket = yield* Socket.makeWebSocket(url, { openTimeout: SILENT.millis })
      const { pull } = yield* socket.reader
      const { writeAll } = yield* socket.writer
      yield* writeAll([call(1, "eth_chainId", []), call(2, "eth_subscribe", ["newHeads"])])
      const frames = Effect.timeoutOrElse(pull, {
        duration: silence,
        orElse: () => Effect.fail(failed(`silent for ${silence} ms`))
      })
      return Stream.fromIterableEffectRepeat(
        Effect.flatMap(frames, (batch) => Effect.map(Effect.forEach(batch, blockOf), (blocks) => blocks.flat()))
      )
    }).pipe(Effect.mapError(({ message }) => failed(message)))
  ).pipe(Stream.mapError((error) => (error._tag === "EndpointFailed" ? error : failed(error.message))))
}

/** All subscribers share one stream of heads. Without a subscriber, no node is asked. */
export const make = (
  client: Pick<ChainClient, "chain" | "block">,
  wsUrl: string | undefined
): Effect.Effect<ChainClient["heads"], never, Scope.Scope> => {
  const asked = polled(client.chain, client.block("latest"))
  const heads =
    wsUrl === undefined
      ? asked
      : Stream.merge(Stream.take(asked, 1), subscribed(client.chain, wsUrl)).pipe(
          Stream.provide(Socket.layerWebSocketConstructorGlobal),
          Stream.catchTag("EndpointFailed", (error) =>
            Stream.merge(
              Stream.fromEffectDrain(
                Effect.logWarning(`chain ${client.chain.id}: no heads by WebSocket, asking instead: ${error.message}`)
              ),
              Stream.interruptWhen(asked, Effect.sleep(SOCKET_RETRY))
            )
          ),
          Stream.forever,
          Stream.changesWith((a, b) => a.hash === b.hash)
        )
  return Stream.share(heads, { capacity: CAPACITY, strategy: "sliding", replay: 1 })
}
