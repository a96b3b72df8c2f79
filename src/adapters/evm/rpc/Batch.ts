/**
 * Batches calls of one endpoint that are made at the same moment into one request (JSON-RPC 2.0, section 6). Each call has an
 * answer or an error of its own.
 *
 * Endpoints accept batches of any size, of limited size, or none, and report that in different ways. So any reply that does not
 * answer each call of a batch reduces the batch size, down to single calls, and the unanswered calls are repeated. Transactions
 * are not repeated, because the node may have accepted them and only their sender can decide about a second attempt. They share a
 * request only when a batch of that size was answered before.
 */
import { Effect, Exit, Request, RequestResolver } from "effect"
import * as Arr from "effect/Array"
import * as BatchLimit from "./BatchLimit.ts"
import type { Transport } from "./Http.ts"
import type { Call as Lookup, Endpoint, RpcFailure } from "./JsonRpc.ts"
import * as Replies from "./Replies.ts"

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

const kindOf = ({ method, params }: Call): Kind => {
  switch (method) {
    case "eth_sendRawTransaction":
      return "send"
    case "eth_estimateGas":
      return "call"
    case "eth_call":
      // Only simulations have state overrides.
      return params.length > 2 ? "simulation" : "call"
    default:
      return "lookup"
  }
}

const envelope = ({ method, params }: Lookup, index: number) => ({
  jsonrpc: "2.0",
  id: index + 1,
  method,
  params
})

const completeAll = (entries: ReadonlyArray<Entry>, exit: Exit.Exit<never, RpcFailure>) =>
  Effect.sync(() => {
    for (const entry of entries) entry.completeUnsafe(exit)
  })

/** Sends calls in requests of at most a given size, and completes each of them. */
const makeSender = (transport: Transport, limit: BatchLimit.BatchLimit, replies: Replies.Replies) => {
  const sendAlone = (entry: Entry): Effect.Effect<void> =>
    transport.post(envelope(entry.request, 0)).pipe(
      Effect.match({
        onFailure: (failure) => entry.completeUnsafe(Exit.fail(failure)),
        onSuccess: (reply) => entry.completeUnsafe(replies.single(reply))
      })
    )

  const send = (entries: ReadonlyArray<Entry>, size: number, kind: Kind): Effect.Effect<void> =>
    Effect.forEach(Arr.chunksOf(entries, size), (part) => sendTogether(part, kind), {
      concurrency: "unbounded",
      discard: true
    })

  const sendTogether = Effect.fnUntraced(function* (entries: ReadonlyArray<Entry>, kind: Kind): Effect.fn.Return<void> {
    const [only] = entries
    if (entries.length === 1 && only !== undefined) return yield* sendAlone(only)
    const posted = yield* Effect.result(transport.post(entries.map(({ request }, index) => envelope(request, index))))
    if (posted._tag === "Failure") return yield* completeAll(entries, Exit.fail(posted.failure))
    const overloaded = replies.overloaded(posted.success)
    if (overloaded !== undefined) return yield* completeAll(entries, overloaded)
    const outcomes = replies.batch(posted.success)
    const unanswered = entries.filter((_, index) => !outcomes.has(index + 1))
    // Before the callers continue, because their next calls must respect the new limit.
    if (unanswered.length === 0) limit.answered(entries.length)
    else yield* limit.refused(entries.length)
    entries.forEach((entry, index) => {
      const outcome = outcomes.get(index + 1)
      if (outcome !== undefined) entry.completeUnsafe(outcome)
    })
    return yield* kind === "send"
      ? completeAll(unanswered, replies.failed(`HTTP ${posted.success.status} without an answer to this call`))
      : send(unanswered, limit.size(), kind)
  })

  return send
}

/** Repeats only calls that a batch left without an answer. */
export const make = (transport: Transport, { maxBatch }: Options): Endpoint => {
  const { name } = transport
  const limit = BatchLimit.make(maxBatch)
  const replies = Replies.make(name)
  const send = makeSender(transport, limit, replies)

  const sizeOf = (kind: Kind): number => {
    switch (kind) {
      case "simulation":
        return 1
      case "send":
        return limit.proven()
      default:
        return limit.size()
    }
  }

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
      yield* limit.current
      const kind = kindOf(first.request)
      // The limit may have changed in the meantime.
      yield* send(entries, sizeOf(kind), kind)
    })
  })

  const request: Endpoint["request"] = (method, params) => Effect.request(new Call({ method, params }), resolver)

  /** Sends one request. Its unanswered calls are repeated one by one, which also finds the endpoint's limit. */
  const requestPart = Effect.fnUntraced(function* (part: ReadonlyArray<Lookup>) {
    const [only] = part
    if (part.length === 1 && only !== undefined) return [yield* request(only.method, only.params)]
    const reply = yield* transport.post(part.map(envelope))
    const overloaded = replies.overloaded(reply)
    if (overloaded !== undefined) return yield* overloaded
    const outcomes = replies.batch(reply)
    return yield* Effect.forEach(
      part,
      ({ method, params }, index) => outcomes.get(index + 1) ?? request(method, params),
      { concurrency: outcomes.size === part.length ? 1 : "unbounded" }
    )
  })

  const requestAll: Endpoint["requestAll"] = Effect.fnUntraced(function* (lookups) {
    const parts = Arr.chunksOf(lookups, yield* limit.current)
    return (yield* Effect.forEach(parts, requestPart, { concurrency: "unbounded" })).flat()
  })

  return { name, request, requestAll }
}
