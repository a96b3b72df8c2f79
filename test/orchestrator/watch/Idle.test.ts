/** Requests of an idle service: every loop that reads chains, over the real adapter, on nodes that count their calls. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { Socket } from "effect/socket"
import { TestClock } from "effect/testing"
import { keccak256, numberToHex, zeroHash } from "viem"
import * as EvmChains from "../../../src/adapters/evm/chains/Chains.ts"
import { KNOWN_CHAINS } from "../../../src/catalog/KnownChains.ts"
import type { Chain } from "../../../src/domain/Chain.ts"
import * as ChainReviews from "../../../src/orchestrator/operate/ChainReviews.ts"
import { Alerts } from "../../../src/ports/shared/Alerts.ts"
import { chain as template } from "../../support/FakeChain.ts"
import { runningIn, worldOn } from "../../support/RelayScene.ts"
import { START } from "../../support/RelayFixtures.ts"

interface Call {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

const chains: ReadonlyArray<Chain> = Object.values(KNOWN_CHAINS).map(
  ({ blockTimeMillis, confirmations, id, name }) => ({ ...template, id, name, blockTimeMillis, confirmations })
)

const chainOf = (url: string): Chain => {
  const found = chains.find(({ name }) => new URL(url).hostname === name)
  return found ?? assert.fail(url)
}

const blockAt = ({ blockTimeMillis }: Chain, millis: number, number = Math.floor(millis / blockTimeMillis)) => ({
  number: numberToHex(number),
  hash: keccak256(numberToHex(number)),
  parentHash: zeroHash,
  timestamp: numberToHex(Math.floor((number * blockTimeMillis) / 1_000)),
  baseFeePerGas: "0x1",
  gasLimit: "0x1c9c380"
})

const answerOf = (chain: Chain, { method, params }: Call, millis: number): unknown => {
  switch (method) {
    case "eth_chainId":
      return numberToHex(chain.id)
    case "eth_getBlockByNumber":
      return blockAt(chain, millis, params[0] === "latest" ? undefined : Number(params[0]))
    case "eth_getCode":
      // Lanes have none.
      return Object.values(chain.contracts).includes(params[0] as Chain["contracts"]["guard"]) ? "0x60" : "0x"
    case "eth_getBalance":
      return numberToHex(10n ** 20n)
    case "eth_call":
      // The probe for state overrides has an account return its balance.
      return numberToHex(42, { size: 32 })
    default:
      return "0x0"
  }
}

/** Nodes by the hosts of their URLs. Each call counts, also those of a batch. */
const nodes = () => {
  const calls: Array<{ readonly method: string; readonly chain: string; readonly millis: number }> = []
  const http = HttpClient.make((request, url) =>
    Effect.map(Clock.currentTimeMillis, (millis) => {
      const sent = request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : "{}"
      const body = JSON.parse(sent) as Call | ReadonlyArray<Call>
      const chain = chainOf(url.href)
      const answered = [body].flat().map((call) => {
        calls.push({ method: call.method, chain: chain.name, millis })
        return { jsonrpc: "2.0", id: call.id, result: answerOf(chain, call, millis) }
      })
      return HttpClientResponse.fromWeb(request, Response.json(Array.isArray(body) ? answered : answered[0]))
    })
  )
  return { calls, http }
}

/** A socket that announces each block of the test clock. */
class AnnouncingSocket extends EventTarget {
  binaryType = "arraybuffer"
  readyState = 1
  readonly #chain: Chain
  constructor(url: string) {
    super()
    this.#chain = chainOf(url)
  }
  #say(message: unknown) {
    this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(message) }))
  }
  send(text: string) {
    const { id, method } = JSON.parse(text) as Call
    queueMicrotask(() => this.#say({ id, result: method === "eth_chainId" ? numberToHex(this.#chain.id) : "0x1" }))
  }
  announce(millis: number) {
    this.#say({ method: "eth_subscription", params: { result: blockAt(this.#chain, millis) } })
  }
  get blockTimeMillis() {
    return this.#chain.blockTimeMillis
  }
  close() {
    this.readyState = 3
  }
}

/** Runs the service's loops for `minutes`, and returns the calls that its nodes counted. */
const idle = Effect.fnUntraced(function* (minutes: number, hasSockets: boolean) {
  const { calls, http } = nodes()
  const sockets: Array<AnnouncingSocket> = []
  const webSockets = Layer.succeed(Socket.WebSocketConstructor, (url: string) => {
    const socket = new AnnouncingSocket(url)
    sockets.push(socket)
    return socket as unknown as WebSocket
  })
  const evm = EvmChains.layer(
    chains.map((chain) => ({
      chain,
      rpcUrls: [`http://${chain.name}/`],
      ...(hasSockets ? { wsUrl: `ws://${chain.name}/` } : {})
    }))
  ).pipe(Layer.provide([Layer.succeed(HttpClient.HttpClient, http), webSockets]))
  const context = yield* Layer.build(runningIn(ChainReviews.layer.pipe(Layer.provideMerge(worldOn(evm)))))
  yield* Effect.forkScoped(
    Effect.forever(
      Effect.gen(function* () {
        yield* Effect.sleep(250)
        const now = yield* Clock.currentTimeMillis
        for (const socket of sockets) if (now % socket.blockTimeMillis < 250) socket.announce(now)
      })
    )
  )
  yield* TestClock.adjust(minutes * 60_000)
  const alerts = yield* Effect.provide(
    Effect.flatMap(Alerts, ({ list }) => list),
    context
  )
  return { calls, sockets, alerts }
})

/** Minutes of a run. The service starts in the first ones, and the loop with the longest period but an hour runs once in the others. */
const MINUTES = { start: 2, end: 12 }

/** Calls of a day. The probe for state overrides (`eth_call`) runs at the start, and every hour. */
const perDay = (calls: ReadonlyArray<{ readonly method: string; readonly millis: number }>) => {
  const at = (minute: number) => Number(START) * 1_000 + minute * 60_000
  const regular = calls.filter(({ millis }) => millis >= at(MINUTES.start) && millis < at(MINUTES.end)).length
  const hourly = calls.filter(({ method }) => method === "eth_call").length
  return (regular * 24 * 60) / (MINUTES.end - MINUTES.start) + 24 * hourly
}

describe("an idle replica with six chains", () => {
  it.effect("makes at most 250,000 requests a day by polling, and raises no alert", () =>
    Effect.gen(function* () {
      const { alerts, calls } = yield* idle(MINUTES.end, false)
      assert.lengthOf(chains, 6)
      assert.isAtMost(perDay(calls), 250_000)
      // Each chain is asked for its head every ten seconds.
      assert.isAtLeast(perDay(calls), 6 * 8_640)
      assert.deepStrictEqual(
        alerts.map(({ kind }) => kind),
        []
      )
    })
  )

  it.effect("makes at most 30,000 requests a day with subscriptions", () =>
    Effect.gen(function* () {
      const { alerts, calls, sockets } = yield* idle(MINUTES.end, true)
      assert.lengthOf(sockets, 6)
      assert.isAtMost(perDay(calls), 30_000)
      // A subscription that lags is noticed within a minute.
      assert.isAtLeast(perDay(calls), 6 * 1_440)
      assert.deepStrictEqual(
        alerts.map(({ kind }) => kind),
        []
      )
    })
  )
})
