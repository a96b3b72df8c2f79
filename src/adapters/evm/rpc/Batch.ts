/**
 * Batches calls of one endpoint that are made at the same moment into one request (JSON-RPC 2.0, section 6). Each call has an
 * answer or an error of its own.
 *
 * Endpoints accept batches of any size, of limited size, or none, and report that in different ways. So any reply that does not
 * answer each call of a batch reduces the batch size, down to single calls, and the unanswered calls are repeated. Transactions
 * are not repeated, because the node may have accepted them and only their sender can decide about a second attempt. They share a
 * request only when a batch of that size was answered before.
 */
import { Clock, Effect, Exit, Option, Request, RequestResolver, Schema } from "effect"
import * as Arr from "effect/Array"
import { type Call as Lookup, type Endpoint, EndpointFailed, RpcError, type RpcFailure } from "./JsonRpc.ts"
import type { Reply, Transport } from "./Http.ts"
import * as RpcErrors from "./Errors.ts"

export interface Options {
  /** Maximum number of calls in one request. 1 disables batches. */
  readonly maxBatch: number
}

class Call extends Request.Class<
  { readonly method: string; readonly params: ReadonlyArray<unknown> },
  unknown,
  RpcFailure
> {}

type Entry = Request.Entry<Call>

/**
 * Only calls of one kind share a request, because a request is answered when its slowest call is. So lookups do not wait for calls
 * that the node executes, and nothing waits for a send. A simulation is a batch in itself and has its own request.
 */
type Kind = "lookup" | "call" | "simulation" | "send"

const kindOf = ({ method }: Call): Kind => {
  switch (method) {
    case "eth_sendRawTransaction":
      return "send"
    case "eth_call":
      return "call"
    case "eth_simulateV1":
      return "simulation"
    default:
      return "lookup"
  }
}

/** Milliseconds for which an endpoint that refused a batch gets no larger one. */
const SMALLER_FOR_MILLIS = 600_000

/** HTTP statuses by which a proxy reports the load of a node. They say nothing about the request. */
const SAYS_NOTHING: ReadonlySet<number> = new Set([408, 429, 502, 503, 504])

const RpcAnswer = Schema.Union([
  Schema.Struct({
    id: Schema.optionalKey(Schema.Unknown),
    error: Schema.Struct({
      code: Schema.Number,
      message: Schema.String,
      data: Schema.optionalKey(Schema.Unknown)
    })
  }),
  Schema.Struct({ id: Schema.optionalKey(Schema.Unknown), result: Schema.Unknown })
])

const decodeAnswer = Schema.decodeUnknownOption(RpcAnswer)

const envelope = ({ method, params }: Lookup, index: number) => ({
  jsonrpc: "2.0",
  id: index + 1,
  method,
  params
})

/** Repeats only calls that a batch left without an answer. */
export const make = (transport: Transport, { maxBatch }: Options): Endpoint => {
  const { name } = transport
  /** Largest batch to try. */
  let limit = maxBatch
  let limitedUntil = 0
  /** Largest batch in which every call was answered. */
  let proven = 1

  const sizeOf = (kind: Kind): number => {
    switch (kind) {
      case "simulation":
        return 1
      case "send":
        return Math.min(proven, limit)
      default:
        return limit
    }
  }

  const failed = (detail: string): Exit.Exit<never, RpcFailure> =>
    Exit.fail(new EndpointFailed({ endpoint: name, detail }))

  const exitOf = (body: unknown, status: number): Exit.Exit<unknown, RpcFailure> => {
    const answer = Option.getOrUndefined(decodeAnswer(body))
    if (answer === undefined) return failed(`HTTP ${status} with a malformed body`)
    if (!("error" in answer)) return Exit.succeed(answer.result)
    const { code, data, message } = answer.error
    return Exit.fail(new RpcError({ endpoint: name, code, text: message, data }))
  }

  /** Nodes send JSON-RPC errors with status 200 or 400. */
  const exitOfReply = ({ body, status }: Reply): Exit.Exit<unknown, RpcFailure> =>
    status === 429 || status >= 500 ? failed(`HTTP ${status}`) : exitOf(body, status)

  /** Answers to single calls, by id. */
  const answersIn = ({ body, status }: Reply): ReadonlyMap<unknown, Exit.Exit<unknown, RpcFailure>> => {
    const answers = new Map<unknown, Exit.Exit<unknown, RpcFailure>>()
    for (const each of Array.isArray(body) ? body : []) {
      const exit = exitOf(each, status)
      if (!RpcErrors.isBatchRefusal(exit)) answers.set(Option.getOrUndefined(decodeAnswer(each))?.id, exit)
    }
    return answers
  }

  const completeAll = (entries: ReadonlyArray<Entry>, exit: Exit.Exit<never, RpcFailure>) =>
    Effect.sync(() => {
      for (const entry of entries) entry.completeUnsafe(exit)
    })

  const askAlone = (entry: Entry): Effect.Effect<void> =>
    transport.post(envelope(entry.request, 0)).pipe(
      Effect.match({
        onFailure: (failure) => entry.completeUnsafe(Exit.fail(failure)),
        onSuccess: (reply) => entry.completeUnsafe(exitOfReply(reply))
      })
    )

  /** Sends the calls in requests of at most `size` calls. */
  const askInParts = (entries: ReadonlyArray<Entry>, size: number, kind: Kind): Effect.Effect<void> =>
    Effect.forEach(Arr.chunksOf(entries, size), (part) => askTogether(part, kind), {
      concurrency: "unbounded",
      discard: true
    })

  const askTogether = Effect.fnUntraced(function* (entries: ReadonlyArray<Entry>, kind: Kind): Effect.fn.Return<void> {
    const [only] = entries
    if (entries.length === 1 && only !== undefined) return yield* askAlone(only)
    const outcome = yield* Effect.result(transport.post(entries.map(({ request }, index) => envelope(request, index))))
    if (outcome._tag === "Failure") return yield* completeAll(entries, Exit.fail(outcome.failure))
    const { status } = outcome.success
    if (SAYS_NOTHING.has(status)) return yield* completeAll(entries, failed(`HTTP ${status}`))
    const answers = answersIn(outcome.success)
    const unanswered = entries.filter((_, index) => !answers.has(index + 1))
    // Before the callers continue, because their next calls must respect the new limit.
    if (unanswered.length === 0) {
      proven = Math.max(proven, entries.length)
    } else {
      limit = Math.max(1, Math.min(limit, entries.length >> 1))
      proven = Math.min(proven, limit)
      limitedUntil = (yield* Clock.currentTimeMillis) + SMALLER_FOR_MILLIS
    }
    entries.forEach((entry, index) => {
      const exit = answers.get(index + 1)
      if (exit !== undefined) entry.completeUnsafe(exit)
    })
    return yield* kind === "send"
      ? completeAll(unanswered, failed(`HTTP ${status} without an answer to this call`))
      : askInParts(unanswered, limit, kind)
  })

  /** Resets a learned limit after `SMALLER_FOR_MILLIS`. */
  const currentLimit = Effect.map(Clock.currentTimeMillis, (now) => {
    if (limit < maxBatch && now >= limitedUntil) limit = maxBatch
    return limit
  })

  const resolver = RequestResolver.makeWith<Call>({
    batchKey: ({ request }) => kindOf(request),
    // Lets every running fiber add its calls first.
    delay: Effect.yieldNow,
    collectWhile: (entries) => {
      const [first] = entries
      return first === undefined || entries.size < sizeOf(kindOf(first.request))
    },
    runAll: Effect.fnUntraced(function* (entries: ReadonlyArray<Entry>) {
      const [first] = entries
      if (first === undefined) return
      yield* currentLimit
      const kind = kindOf(first.request)
      // The limit may have changed in the meantime.
      yield* askInParts(entries, sizeOf(kind), kind)
    })
  })

  const request: Endpoint["request"] = (method, params) => Effect.request(new Call({ method, params }), resolver)

  /** Sends one request. Its unanswered calls are repeated one by one, which also finds the endpoint's limit. */
  const requestPart = Effect.fnUntraced(function* (part: ReadonlyArray<Lookup>) {
    const [only] = part
    if (part.length === 1 && only !== undefined) return [yield* request(only.method, only.params)]
    const reply = yield* transport.post(part.map(envelope))
    if (SAYS_NOTHING.has(reply.status)) return yield* failed(`HTTP ${reply.status}`)
    const answers = answersIn(reply)
    return yield* Effect.forEach(
      part,
      ({ method, params }, index) => answers.get(index + 1) ?? request(method, params),
      { concurrency: answers.size === part.length ? 1 : "unbounded" }
    )
  })

  const requestAll: Endpoint["requestAll"] = Effect.fnUntraced(function* (lookups) {
    const parts = Arr.chunksOf(lookups, yield* currentLimit)
    return (yield* Effect.forEach(parts, requestPart, { concurrency: "unbounded" })).flat()
  })

  return { name, request, requestAll }
}
