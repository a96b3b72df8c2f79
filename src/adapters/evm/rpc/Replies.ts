/** Decodes replies of a JSON-RPC endpoint: to single calls and to batches. */
import { Exit, Option, Schema } from "effect"
import * as RpcErrors from "./Errors.ts"
import type { Reply } from "./Http.ts"
import { EndpointFailed, RateLimited, RpcError, type RpcFailure } from "./JsonRpc.ts"
import * as RateLimits from "./RateLimits.ts"

/** HTTP statuses by which a proxy reports the load of a node. They say nothing about the request. */
const OVERLOADED: ReadonlySet<number> = new Set([408, 502, 503, 504])

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

/** An answer, or the failure of the call. */
export type Outcome = Exit.Exit<unknown, RpcFailure>

export interface Replies {
  readonly failed: (detail: string) => Exit.Exit<never, RpcFailure>
  /** Failure of all calls of a reply that says nothing about them; undefined for other replies. */
  readonly overloaded: (reply: Reply) => Exit.Exit<never, RpcFailure> | undefined
  /** Outcome of a single call. */
  readonly single: (reply: Reply) => Outcome
  /** Outcomes of the answered calls of a batch, by id. */
  readonly batch: (reply: Reply) => ReadonlyMap<unknown, Outcome>
}

/** Replies of the endpoint of this name. */
export const make = (endpoint: string): Replies => {
  const failed = (detail: string) => Exit.fail(new EndpointFailed({ endpoint, detail }))

  const rateLimited = (detail: string, retryAfterMillis: number | undefined) =>
    Exit.fail(new RateLimited({ endpoint, detail, retryAfterMillis }))

  const outcomeOf = (body: unknown, { retryAfterMillis, status }: Reply): Outcome => {
    const answer = Option.getOrUndefined(decodeAnswer(body))
    if (answer === undefined) return failed(`HTTP ${status} with a malformed body`)
    if (!("error" in answer)) return Exit.succeed(answer.result)
    const { code, data, message } = answer.error
    const error = new RpcError({ endpoint, code, text: message, data })
    return RateLimits.isRateLimit(error)
      ? rateLimited(`${message} (${code})`, retryAfterMillis ?? RateLimits.namedWait(error))
      : Exit.fail(error)
  }

  const isLimited = (outcome: Outcome): outcome is Exit.Exit<never, RpcFailure> =>
    Option.exists(Exit.findErrorOption(outcome), ({ _tag }) => _tag === "RateLimited")

  /** Refusal for the rate of requests by the reply's status; undefined for other replies. The body may name a wait. */
  const refusal = (reply: Reply): Exit.Exit<never, RpcFailure> | undefined => {
    const { retryAfterMillis, status } = reply
    if (status !== 429 && (status !== 503 || retryAfterMillis === undefined)) return undefined
    const said = outcomeOf(reply.body, reply)
    return isLimited(said) ? said : rateLimited(`HTTP ${status}`, retryAfterMillis)
  }

  /** Some endpoints refuse a batch for the rate by one error in place of all answers. */
  const refusalInBody = (reply: Reply): Exit.Exit<never, RpcFailure> | undefined => {
    if (Array.isArray(reply.body)) return undefined
    const said = outcomeOf(reply.body, reply)
    return isLimited(said) ? said : undefined
  }

  return {
    failed,
    overloaded: (reply) =>
      refusal(reply) ?? (OVERLOADED.has(reply.status) ? failed(`HTTP ${reply.status}`) : refusalInBody(reply)),
    // Nodes send JSON-RPC errors with status 200 or 400.
    single: (reply) =>
      refusal(reply) ?? (reply.status >= 500 ? failed(`HTTP ${reply.status}`) : outcomeOf(reply.body, reply)),
    batch: (reply) => {
      const outcomes = new Map<unknown, Outcome>()
      for (const each of Array.isArray(reply.body) ? reply.body : []) {
        const outcome = outcomeOf(each, reply)
        if (!RpcErrors.isBatchRefusal(outcome)) outcomes.set(Option.getOrUndefined(decodeAnswer(each))?.id, outcome)
      }
      return outcomes
    }
  }
}
