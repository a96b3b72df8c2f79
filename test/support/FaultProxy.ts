/**
 * A node with faults: a JSON-RPC proxy on loopback in front of a real one. Tests say what happens to each call, and read
 * which calls there were. Like some public nodes it takes no batches.
 */
import { Effect, Exit, Schedule, Schema, type Scope } from "effect"
import type { Hex } from "viem"

/** A JSON-RPC answer as it travels, without its id. */
export interface Answer {
  readonly result?: unknown
  readonly error?: unknown
  /** Default: that of the call. */
  readonly id?: unknown
}

/** The call is answered without JSON-RPC, as by what stands before a node. */
class HttpFault extends Schema.TaggedError<HttpFault>()("HttpFault", {
  status: Schema.Number,
  /** Default: a short text. */
  body: Schema.optionalKey(Schema.String)
}) {}

/** Handles a call. `forward` asks the node and returns its answer. */
export type Reaction = (forward: Effect.Effect<Answer, HttpFault>) => Effect.Effect<Answer, HttpFault>

/** Nothing wrong. */
export const pass: Reaction = (forward) => forward

/** Never reaches the node, and is never answered. */
export const swallow: Reaction = () => Effect.never

/** Never reaches the node, and is answered with an HTTP error. */
export const refuse =
  (status = 503): Reaction =>
  () =>
    Effect.fail(new HttpFault({ status }))

/** Reaches the node, and only the beginning of the answer arrives. */
export const cut: Reaction = (forward) =>
  Effect.andThen(forward, new HttpFault({ status: 200, body: '{"jsonrpc":"2.0","id":1,"resu' }))

/** Never reaches the node; the connection breaks when `until` is done, as when a hung node is restarted. */
export const breakWhen =
  (until: Effect.Effect<unknown>): Reaction =>
  () =>
    Effect.andThen(until, new HttpFault({ status: 502 }))

/** Reaches the node, and the answer never arrives. */
export const loseReply: Reaction = (forward) => Effect.andThen(forward, Effect.never)

/** Reaches the node late. */
export const delay =
  (millis: number): Reaction =>
  (forward) =>
    Effect.delay(forward, millis)

/** Reaches the node when `until` is done. */
export const hold =
  (until: Effect.Effect<unknown>): Reaction =>
  (forward) =>
    Effect.andThen(until, forward)

/** Reaches the node at once; the answer arrives when `until` is done. */
export const holdReply =
  (until: Effect.Effect<unknown>): Reaction =>
  (forward) =>
    Effect.tap(forward, () => until)

/** The answer arrives changed. */
export const rewrite =
  (change: (answer: Answer) => Answer): Reaction =>
  (forward) =>
    Effect.map(forward, change)

/** Never reaches the node, and is answered with an error of JSON-RPC. */
export const answerError =
  (code: number, message: string): Reaction =>
  () =>
    Effect.succeed({ error: { code, message } })

export interface Call {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
  /** True once the node has answered. */
  readonly forwarded: boolean
}

export interface FaultProxy {
  readonly url: string
  /** Sets the reaction to later calls. Calls in progress keep theirs. */
  readonly react: (reaction: (call: Call) => Reaction) => Effect.Effect<void>
  /** Every call so far, oldest first. */
  readonly calls: Effect.Effect<ReadonlyArray<Call>>
  /** The raw transactions that were to be sent, oldest first, repetitions included. */
  readonly sent: Effect.Effect<ReadonlyArray<Hex>>
  /** Waits until there was such a call; `index` is its place among all calls. */
  readonly awaitCall: (isSuch: (call: Call, index: number) => boolean) => Effect.Effect<Call>
}

/** Only simulations have state overrides. */
export const isSimulation = ({ method, params }: Pick<Call, "method" | "params">): boolean =>
  method === "eth_call" && params.length > 2

export const isSend = ({ method }: Pick<Call, "method">): boolean => method === "eth_sendRawTransaction"

/** Answers `eth_getLogs` for at most `blocks` blocks at once, as hosted endpoints do, and everything else faithfully. */
export const capLogs =
  (blocks: number) =>
  ({ method, params }: Call): Reaction => {
    if (method !== "eth_getLogs") return pass
    const { fromBlock, toBlock } = params[0] as { readonly fromBlock: Hex; readonly toBlock: Hex }
    return Number(toBlock) - Number(fromBlock) < blocks
      ? pass
      : answerError(-32_600, `You can make eth_getLogs requests with up to a ${blocks} block range.`)
  }

const firstParam = ({ params }: Call): Hex => params[0] as Hex

interface RpcRequest {
  readonly id: unknown
  readonly method: string
  readonly params?: ReadonlyArray<unknown>
}

/** Bun cuts a silent connection after this, which no test waits for. */
const IDLE_TIMEOUT_SECONDS = 255

const NO_BATCHES = { jsonrpc: "2.0", id: null, error: { code: -32600, message: "batches are not supported" } }

const LOOK_AGAIN = Schedule.spaced("5 millis")

/** Answers faithfully until it is told otherwise. */
export const start = Effect.fn("FaultProxy.start")(function* (
  nodeUrl: string
): Effect.fn.Return<FaultProxy, never, Scope.Scope> {
  const calls: Array<{ -readonly [Key in keyof Call]: Call[Key] }> = []
  let reactionTo: (call: Call) => Reaction = () => pass

  const answer = Effect.fnUntraced(function* ({ id, method, params = [] }: RpcRequest) {
    const call = { method, params, forwarded: false }
    calls.push(call)
    const forward = Effect.tryPromise({
      try: async (signal): Promise<Answer> => {
        const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
        const response = await fetch(nodeUrl, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body,
          // Bun has a limited number of requests at once. Those to a silent node would take the place of all others.
          signal
        })
        return response.json()
      },
      catch: () => new HttpFault({ status: 502 })
    }).pipe(
      Effect.tap(() =>
        Effect.sync(() => {
          call.forwarded = true
        })
      )
    )
    const { error, id: other = id, result } = yield* reactionTo(call)(forward)
    return { jsonrpc: "2.0", id: other, ...(error === undefined ? { result } : { error }) }
  })

  const respond = Effect.fnUntraced(
    function* (body: RpcRequest | ReadonlyArray<RpcRequest>) {
      // A held call would hold up whatever travels with it, and the fault is meant for that call alone.
      return "method" in body ? Response.json(yield* answer(body)) : Response.json(NO_BATCHES, { status: 400 })
    },
    Effect.catchTag("HttpFault", ({ body = "no node is there", status }) =>
      Effect.succeed(new Response(body, { status }))
    )
  )

  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Bun.serve({
        hostname: "127.0.0.1",
        port: 0,
        idleTimeout: IDLE_TIMEOUT_SECONDS,
        fetch: async (request) => {
          // A client that is gone takes its unanswered calls with it.
          const body = (await request.json()) as RpcRequest | ReadonlyArray<RpcRequest>
          const exit = await Effect.runPromiseExit(respond(body), { signal: request.signal })
          return Exit.isSuccess(exit) ? exit.value : new Response(null, { status: 500 })
        }
      })
    ),
    (running) => Effect.promise(() => running.stop(true))
  )

  return {
    url: `http://127.0.0.1:${server.port}`,
    react: (reaction) =>
      Effect.sync(() => {
        reactionTo = reaction
      }),
    calls: Effect.sync(() => calls.slice()),
    sent: Effect.sync(() => calls.filter(isSend).map(firstParam)),
    awaitCall: (isSuch) =>
      Effect.sync(() => calls.find(isSuch)).pipe(
        Effect.flatMap(Effect.fromNullishOr),
        Effect.retry(LOOK_AGAIN),
        Effect.orDie
      )
  }
})
