/**
 * Asks one endpoint of a chain for what `./sweep doctor` judges. Each question has a time limit, and one without an answer spoils no
 * other. Results have hosts, and no URLs.
 */
import { Clock, Duration, Effect, Option, Schema } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { Socket } from "effect/socket"
import type * as Address from "../../../domain/Address.ts"
import type { Answer, ChainFacts, EndpointFacts, Head } from "../../../domain/doctor/Endpoints.ts"
import * as Body from "../../body/Body.ts"
import * as JsonRpcBatch from "../rpc/Batch.ts"
import * as BlockOverrides from "../rpc/BlockOverrides.ts"
import * as JsonRpcHttp from "../rpc/Http.ts"
import type { Endpoint } from "../rpc/JsonRpc.ts"
import * as StateOverrides from "../rpc/StateOverrides.ts"

/** Time limit of a question. */
const LIMIT = Duration.seconds(5)

/** Widths that are asked for in turn, in blocks. Each costs a request, and the time limit covers all. */
const LOG_WIDTHS = [5_000, 2_000, 500, 100, 10, 1] as const

const LOG_LIMIT = Duration.seconds(8)

/** Time limit of all questions of {@link askBriefly}, since a request waits for them. */
const BRIEF_LIMIT = Duration.millis(2_000)

/** Time limit for the hash of a block. */
const HASH_LIMIT = Duration.millis(1_000)

/** Largest answer to the first question, in bytes. */
const MAX_GREETING_BYTES = 65_536

/** Blocks below the lowest head, since heads may still change. */
const DEPTH = 3n

/** Samples of the latency. */
const SAMPLES = 3

const Quantity = Schema.String.check(Schema.isPattern(/^0x[0-9a-f]{1,16}$/i))
const BlockHeader = Schema.Struct({ number: Quantity, timestamp: Quantity, hash: Schema.String })
const decodeHeader = Schema.decodeUnknownOption(BlockHeader)
const decodeReply = Schema.decodeUnknownOption(
  Schema.fromJsonString(Schema.Struct({ result: Schema.optionalKey(Schema.Unknown) }))
)

const hex = (number: bigint): string => `0x${number.toString(16)}`

const LOCAL = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/

export type Identity = Pick<EndpointFacts, "host" | "role" | "isEncrypted" | "isLocal">

export const identityOf = (url: string, role: EndpointFacts["role"]): Identity => {
  const { host, hostname, protocol } = new URL(url)
  return { host, role, isEncrypted: protocol === "https:" || protocol === "wss:", isLocal: LOCAL.test(hostname) }
}

const chainIdBody = { jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] }

const answerOf = (status: number, text: string): Answer => {
  if (status === 401 || status === 403) return { _tag: "Refused", status }
  const reply = Option.getOrUndefined(decodeReply(text))
  if (typeof reply?.result === "string") return { _tag: "Chain", id: reply.result }
  return {
    _tag: "Silent",
    detail: reply === undefined ? `HTTP ${status} without JSON` : `HTTP ${status} without a chain id`
  }
}

/** The first question, by a plain request: its status and its date count too. */
const greet = Effect.fnUntraced(function* (url: string, limit: Duration.Duration) {
  const http = yield* HttpClient.HttpClient
  const before = yield* Clock.currentTimeMillis
  const ask = Effect.gen(function* () {
    const response = yield* http.execute(
      HttpClientRequest.post(url).pipe(HttpClientRequest.bodyJsonUnsafe(chainIdBody))
    )
    const text = yield* Body.text(response, MAX_GREETING_BYTES)
    const now = yield* Clock.currentTimeMillis
    const date = Date.parse(response.headers["date"] ?? "")
    return {
      answer: answerOf(response.status, text),
      // The date is cut to a whole second.
      ...(Number.isNaN(date) ? {} : { clockOffsetMillis: date + 500 - (before + now) / 2 })
    }
  })
  return yield* ask.pipe(
    // The client's spans and errors contain the URL, and with it an API key.
    Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
    Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }),
    Effect.catchTags({
      BodyTooLong: ({ message }) => Effect.succeed({ answer: { _tag: "Silent", detail: message } satisfies Answer }),
      HttpClientError: ({ reason }) =>
        Effect.succeed({ answer: { _tag: "Silent", detail: reason._tag } satisfies Answer })
    }),
    Effect.timeoutOrElse({
      duration: limit,
      orElse: () =>
        Effect.succeed({
          answer: { _tag: "Silent", detail: `no answer within ${Duration.toSeconds(limit)} s` } satisfies Answer
        })
    })
  )
})

const blockOf = (endpoint: Endpoint, which: string) =>
  Effect.map(endpoint.request("eth_getBlockByNumber", [which, false]), (block) =>
    Option.getOrUndefined(decodeHeader(block))
  )

const headOf = ({ number, timestamp }: typeof BlockHeader.Type): Head => ({
  number: BigInt(number),
  timestamp: BigInt(timestamp)
})

const unlessSilent = <A, E>(question: Effect.Effect<A, E>) =>
  Effect.map(Effect.option(question), (answer) => Option.getOrUndefined(answer))

/** Shortest of a few small requests, in milliseconds. */
const latency = (endpoint: Endpoint) =>
  Effect.forEach(Array.from({ length: SAMPLES }), () => Effect.timed(endpoint.request("eth_chainId", []))).pipe(
    Effect.map((samples) => Math.min(...samples.map(([took]) => Duration.toMillis(took)))),
    Effect.timeoutOption(LIMIT),
    Effect.orElseSucceed(Option.none<number>),
    Effect.map(Option.getOrUndefined)
  )

/** True if the endpoint has the state of the first block after genesis, which is pruned first. */
const hasArchive = (endpoint: Endpoint, head: Head) =>
  endpoint.request("eth_getBalance", [`0x${"00".repeat(20)}`, hex(head.number > 0n ? 1n : 0n)]).pipe(
    Effect.as(true),
    Effect.catchTag("RpcError", () => Effect.succeed(false))
  )

/** Widest of {@link LOG_WIDTHS} in which the endpoint searches the logs of one contract. 0 if none. */
const logBlocks = Effect.fnUntraced(function* (endpoint: Endpoint, head: Head, address: Address.Address) {
  for (const width of LOG_WIDTHS) {
    const from = head.number >= BigInt(width) ? head.number - BigInt(width) + 1n : 0n
    const taken = yield* endpoint
      .request("eth_getLogs", [{ address, fromBlock: hex(from), toBlock: hex(head.number) }])
      .pipe(
        Effect.as(true),
        Effect.catchTag("RpcError", () => Effect.succeed(false))
      )
    if (taken) return width
  }
  return 0
})

/** An endpoint with its facts, and the effect that reads the hash of one of its blocks. */
export interface Asked {
  readonly facts: EndpointFacts
  readonly hashAt: (height: bigint) => Effect.Effect<string | undefined>
}

const nothing = () => Effect.succeed(undefined)

/** Asks an HTTP endpoint. `address` is a contract whose logs are searched. One that only sends is asked for the chain's id alone. */
export const ask = Effect.fnUntraced(function* (
  url: string,
  role: "rpcUrls" | "broadcastUrls" | "privateUrls",
  address: Address.Address
): Effect.fn.Return<Asked, never, HttpClient.HttpClient> {
  const http = yield* HttpClient.HttpClient
  const first = yield* greet(url, LIMIT)
  const greeted = { ...identityOf(url, role), ...first }
  if (role !== "rpcUrls" || greeted.answer._tag !== "Chain") return { facts: greeted, hashAt: nothing }

  const endpoint = JsonRpcBatch.make(JsonRpcHttp.make(http, url, LIMIT), { maxBatch: 1 })
  const [latencyMillis, header] = yield* Effect.all([latency(endpoint), unlessSilent(blockOf(endpoint, "latest"))], {
    concurrency: 2
  })
  const head = header === undefined ? undefined : headOf(header)
  const states = yield* StateOverrides.make([endpoint])
  const blocks = yield* BlockOverrides.make([endpoint])
  const [stateOverrides, blockOverrides, archive, width] = yield* Effect.all(
    [
      unlessSilent(states.isSupported),
      blocks.areTaken(endpoint),
      head === undefined ? nothing() : unlessSilent(hasArchive(endpoint, head)),
      head === undefined
        ? nothing()
        : Effect.map(
            Effect.timeoutOption(unlessSilent(logBlocks(endpoint, head, address)), LOG_LIMIT),
            Option.getOrUndefined
          )
    ],
    { concurrency: "unbounded" }
  )
  const facts: EndpointFacts = {
    ...greeted,
    latencyMillis,
    head,
    stateOverrides,
    blockOverrides,
    archive,
    logBlocks: width
  }
  return {
    facts,
    hashAt: (height) => unlessSilent(Effect.map(blockOf(endpoint, hex(height)), (block) => block?.hash))
  }
})

/** Asks an HTTP endpoint for no more than tells if it serves its chain, and waits two seconds at most. */
export const askBriefly = Effect.fnUntraced(function* (
  url: string
): Effect.fn.Return<Asked, never, HttpClient.HttpClient> {
  const http = yield* HttpClient.HttpClient
  const endpoint = JsonRpcBatch.make(JsonRpcHttp.make(http, url, BRIEF_LIMIT), { maxBatch: 1 })
  const states = yield* StateOverrides.make([endpoint])
  const [[took, first], header, stateOverrides] = yield* Effect.all(
    [
      Effect.timed(greet(url, BRIEF_LIMIT)),
      unlessSilent(blockOf(endpoint, "latest")),
      unlessSilent(states.isSupported)
    ],
    { concurrency: "unbounded" }
  )
  const facts: EndpointFacts = {
    ...identityOf(url, "rpcUrls"),
    ...first,
    latencyMillis: Duration.toMillis(took),
    head: header === undefined ? undefined : headOf(header),
    stateOverrides
  }
  return {
    facts,
    hashAt: (height) =>
      Effect.map(
        Effect.timeoutOption(unlessSilent(blockOf(endpoint, hex(height))), HASH_LIMIT),
        (found) => Option.getOrUndefined(found)?.hash
      )
  }
})

const lowest = (heights: ReadonlyArray<bigint>): bigint | undefined =>
  heights.reduce<bigint | undefined>((low, height) => (low === undefined || height < low ? height : low), undefined)

/** Facts of endpoints of one chain beside each other: each with its block at a height that all of them have. */
export const together = Effect.fnUntraced(function* (
  asked: ReadonlyArray<Asked>
): Effect.fn.Return<Pick<ChainFacts, "commonHeight" | "endpoints">> {
  const low = lowest(asked.flatMap(({ facts: { head } }) => (head === undefined ? [] : [head.number])))
  const commonHeight = low === undefined || low < DEPTH ? undefined : low - DEPTH
  const endpoints = yield* Effect.forEach(
    asked,
    ({ facts, hashAt }) =>
      commonHeight === undefined
        ? Effect.succeed(facts)
        : Effect.map(hashAt(commonHeight), (commonHash) => ({ ...facts, commonHash })),
    { concurrency: "unbounded" }
  )
  return { commonHeight, endpoints }
})

/** Asks a WebSocket endpoint for the chain's id. */
export const askSocket = Effect.fnUntraced(function* (url: string): Effect.fn.Return<Asked> {
  const answer = yield* Effect.gen(function* () {
    const socket = yield* Socket.makeWebSocket(url, { openTimeout: Duration.toMillis(LIMIT) })
    const { pull } = yield* socket.reader
    const { writeAll } = yield* socket.writer
    yield* writeAll([JSON.stringify(chainIdBody)])
    const [frame] = yield* pull
    return answerOf(200, typeof frame === "string" ? frame : new TextDecoder().decode(frame))
  }).pipe(
    Effect.scoped,
    Effect.provide(Socket.layerWebSocketConstructorGlobal),
    Effect.timeoutOption(LIMIT),
    Effect.map(Option.getOrElse((): Answer => ({ _tag: "Silent", detail: "no answer in time" }))),
    Effect.catch(() => Effect.succeed<Answer>({ _tag: "Silent", detail: "the socket cannot be opened" }))
  )
  return { facts: { ...identityOf(url, "wsUrl"), answer }, hashAt: nothing }
})
