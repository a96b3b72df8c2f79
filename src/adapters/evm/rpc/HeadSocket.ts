/**
 * New heads of a chain by a WebSocket subscription (`eth_subscribe`). A socket that cannot be opened, breaks, falls silent, serves
 * another chain, lags or stays ahead of the polled heads is opened again, after ever longer pauses.
 */
import { Clock, Effect, Latch, Layer, Option, PubSub, Schema, type Scope, Stream } from "effect"
import { Socket } from "effect/socket"
import type { Chain } from "../../../domain/Chain.ts"
import type { Block } from "../../../ports/shared/Chains.ts"
import { checkChain, EndpointFailed } from "./JsonRpc.ts"
import * as Rpc from "./Schemas.ts"
import * as UrlSecrets from "./UrlSecrets.ts"

/** A node without a head for this many block times, and at least this many milliseconds, counts as dead. */
const SILENT = { blocks: 10, millis: 15_000 }

/** A socket whose heads have all been ahead for this many milliseconds is reopened. It may be that of another chain. */
const AHEAD_MILLIS = 60_000

/** Bounds of the pause before a socket is opened again, in milliseconds. It doubles with each failure in a row. */
const PAUSE_MILLIS = { from: 1_000, to: 60_000 }

/** Longest text of a failure, in characters. The node chooses the reason of a close. */
const LONGEST_DETAIL = 200

/** Heads that are buffered for a slow subscriber. Beyond them it misses the oldest. */
const CAPACITY = 16

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
  const endpoint = UrlSecrets.hostOf(url)
  const hide = UrlSecrets.hiding(url)
  // A key is hidden before the cut, which could leave a part of it.
  const failed = (detail: string) => new EndpointFailed({ endpoint, detail: hide(detail).slice(0, LONGEST_DETAIL) })
  const silence = Math.max(SILENT.blocks * chain.blockTimeMillis, SILENT.millis)

  const blockOf = Effect.fnUntraced(function* (frame: string | Uint8Array) {
    const text = typeof frame === "string" ? frame : new TextDecoder().decode(frame)
    const message = yield* Effect.mapError(decodeMessage(text), () => failed("sent a message that is no new head"))
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
    })
  ).pipe(Stream.mapError((error) => failed(error._tag === "EndpointFailed" ? error.detail : error.message)))
}

export interface HeadSocket {
  /** Opens the socket, and keeps it open until the scope of `make` closes. Does nothing the second time. */
  readonly start: Effect.Effect<void>
  /** New heads. Emits nothing while the socket is down. */
  readonly heads: Stream.Stream<Block>
  /** True from the first accepted head of a socket until it fails, or runs ahead of the polled heads. */
  readonly isUp: () => boolean
  /** Awaits that a socket which is up is up no longer. */
  readonly down: Effect.Effect<void>
}

/** Decision about a head of a subscription. */
export type Verdict = "accepted" | "old" | "ahead"

/**
 * `accept` is called with each head. `old`: the socket is reopened. `ahead`: the head is ignored, and the socket counts as down until the
 * next head that is accepted. After a minute without one it is reopened. A `WebSocketConstructor` in the context replaces that of the runtime.
 */
export const make = Effect.fnUntraced(function* (
  chain: Chain,
  url: string,
  accept: (head: Block) => Effect.Effect<Verdict>
): Effect.fn.Return<HeadSocket, never, Scope.Scope> {
  const scope = yield* Effect.scope
  const given = yield* Effect.serviceOption(Socket.WebSocketConstructor)
  const constructor = Option.match(given, {
    onNone: () => Socket.layerWebSocketConstructorGlobal,
    onSome: (make) => Layer.succeed(Socket.WebSocketConstructor, make)
  })
  const hub = yield* PubSub.sliding<Block>({ capacity: CAPACITY })
  const down = yield* Latch.make(true)
  let isStarted = false
  let failures = 0
  /** UNIX milliseconds of the first head that was ahead, if none was accepted since. */
  let aheadSince: number | undefined
  let isAheadLogged = false

  const isUp = () => !down.isOpen()

  const ranAhead = Effect.fnUntraced(function* ({ number }: Block) {
    yield* down.open
    const failure = new EndpointFailed({
      endpoint: UrlSecrets.hostOf(url),
      detail: `block ${number} is far above the heads of the other endpoints`
    })
    const now = yield* Clock.currentTimeMillis
    // After the clock was set back, nobody knows how long the heads have been ahead.
    if (aheadSince === undefined || aheadSince > now) aheadSince = now
    if (now - aheadSince >= AHEAD_MILLIS) return yield* failure
    if (isAheadLogged || failures > 0) return
    isAheadLogged = true
    yield* Effect.logWarning("heads.subscription_ahead").pipe(
      Effect.annotateLogs({ chain: chain.name, detail: failure.message })
    )
  })

  const received = Effect.fnUntraced(function* (head: Block) {
    const verdict = yield* accept(head)
    if (verdict === "old") {
      return yield* new EndpointFailed({
        endpoint: UrlSecrets.hostOf(url),
        detail: `lags: block ${head.number} is old`
      })
    }
    if (verdict === "ahead") return yield* ranAhead(head)
    aheadSince = undefined
    if (!isUp()) {
      yield* down.close
      if (failures > 0) yield* Effect.logInfo("heads.subscribed").pipe(Effect.annotateLogs({ chain: chain.name }))
    }
    failures = 0
    yield* PubSub.publish(hub, head)
  })

  const lost = Effect.fnUntraced(function* ({ message: detail }: EndpointFailed) {
    yield* down.open
    aheadSince = undefined
    isAheadLogged = false
    failures++
    if (failures === 1) {
      yield* Effect.logWarning("heads.subscription_lost").pipe(Effect.annotateLogs({ chain: chain.name, detail }))
    }
    yield* Effect.sleep(Math.min(PAUSE_MILLIS.to, PAUSE_MILLIS.from * 2 ** (failures - 1)))
  })

  const session = Stream.runForEach(subscribed(chain, url), received).pipe(Effect.catchTag("EndpointFailed", lost))

  return {
    start: Effect.suspend(() => {
      if (isStarted) return Effect.void
      isStarted = true
      return session.pipe(Effect.forever, Effect.provide(constructor), Effect.forkIn(scope), Effect.asVoid)
    }),
    heads: Stream.fromPubSub(hub),
    isUp,
    down: down.await
  }
})
