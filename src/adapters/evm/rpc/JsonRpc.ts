/**
 * One JSON-RPC endpoint of a node. It distinguishes an error that the node returned ({@link RpcError}), a missing or unusable
 * answer ({@link EndpointFailed}), and a refusal for the rate of requests ({@link RateLimited}). Every decision about a retry
 * depends on that.
 */
import { Duration, Effect, Schema } from "effect"

/** The node answered with an error object (JSON-RPC 2.0, section 5.1). */
export class RpcError extends Schema.TaggedError<RpcError>()("RpcError", {
  endpoint: Schema.String,
  code: Schema.Number,
  text: Schema.String,
  data: Schema.Unknown
}) {
  override get message(): string {
    return `${this.endpoint}: ${this.text} (${this.code})`
  }
}

/** No usable answer: the network, a timeout, an HTTP error, a malformed body, or the wrong chain. */
export class EndpointFailed extends Schema.TaggedError<EndpointFailed>()("EndpointFailed", {
  endpoint: Schema.String,
  detail: Schema.String,
  /** True if the endpoint serves another chain. */
  isOtherChain: Schema.optionalKey(Schema.Boolean)
}) {
  override get message(): string {
    return `${this.endpoint}: ${this.detail}`
  }
}

/** The endpoint refuses for the rate of requests, or its budget does not allow the request in time. It may be asked later. */
export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  endpoint: Schema.String,
  detail: Schema.String,
  /** Milliseconds after which it may be asked again, if known. */
  retryAfterMillis: Schema.optional(Schema.Number)
}) {
  override get message(): string {
    return `${this.endpoint}: ${this.detail}`
  }
}

export type RpcFailure = RpcError | EndpointFailed | RateLimited

export interface Call {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

export interface Endpoint {
  /** Host of the URL only, since the rest of an RPC URL often contains an API key. */
  readonly name: string
  readonly request: (method: string, params: ReadonlyArray<unknown>) => Effect.Effect<unknown, RpcFailure>
  /** Answers to several lookups, in order, by fewer requests. Fails when one of them fails. */
  readonly requestAll: (lookups: ReadonlyArray<Call>) => Effect.Effect<ReadonlyArray<unknown>, RpcFailure>
}

/** Text of an answer. An object's own `toString` may be anything. */
const textOf = (answer: unknown): string => (typeof answer === "string" ? answer : JSON.stringify(answer))

/** Fails unless `answer`, the result of `eth_chainId`, is the chain's id. */
export const checkChain = (endpoint: string, answer: unknown, chainId: number): Effect.Effect<void, EndpointFailed> =>
  answer === `0x${chainId.toString(16)}`
    ? Effect.void
    : Effect.fail(
        new EndpointFailed({ endpoint, detail: `serves chain ${textOf(answer)}, not ${chainId}`, isOtherChain: true })
      )

/** Checks before the first request that the endpoint serves `chainId`. Repeats the check until it got an answer. */
export const verified = Effect.fnUntraced(function* (endpoint: Endpoint, chainId: number) {
  const check = yield* endpoint.request("eth_chainId", []).pipe(
    Effect.flatMap((answer) => checkChain(endpoint.name, answer, chainId)),
    Effect.cachedWithTTL((exit) => (exit._tag === "Success" ? Duration.infinity : Duration.zero))
  )
  return {
    name: endpoint.name,
    request: (method, params) => Effect.andThen(check, endpoint.request(method, params)),
    requestAll: (lookups) => Effect.andThen(check, endpoint.requestAll(lookups))
  } satisfies Endpoint
})
