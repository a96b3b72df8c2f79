/** Decodes replies of a JSON-RPC endpoint: to single calls and to batches. */
import { Exit, Option, Schema } from "effect"
import * as RpcErrors from "./Errors.ts"
import type { Reply } from "./Http.ts"
import { EndpointFailed, RpcError, type RpcFailure } from "./JsonRpc.ts"

/** HTTP statuses by which a proxy reports the load of a node. They say nothing about the request. */
const OVERLOADED: ReadonlySet<number> = new Set([408, 429, 502, 503, 504])

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

  const outcomeOf = (body: unknown, status: number): Outcome => {
    const answer = Option.getOrUndefined(decodeAnswer(body))
    if (answer === undefined) return failed(`HTTP ${status} with a malformed body`)
    if (!("error" in answer)) return Exit.succeed(answer.result)
    const { code, data, message } = answer.error
    return Exit.fail(new RpcError({ endpoint, code, text: message, data }))
  }

  return {
    failed,
    overloaded: ({ status }) => (OVERLOADED.has(status) ? failed(`HTTP ${status}`) : undefined),
    // Nodes send JSON-RPC errors with status 200 or 400.
    single: ({ body, status }) =>
      status === 429 || status >= 500 ? failed(`HTTP ${status}`) : outcomeOf(body, status),
    batch: ({ body, status }) => {
      const outcomes = new Map<unknown, Outcome>()
      for (const each of Array.isArray(body) ? body : []) {
        const outcome = outcomeOf(each, status)
        if (!RpcErrors.isBatchRefusal(outcome)) outcomes.set(Option.getOrUndefined(decodeAnswer(each))?.id, outcome)
      }
      return outcomes
    }
  }
}
