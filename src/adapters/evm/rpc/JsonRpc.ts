/**
 * One JSON-RPC endpoint of a node. It tells "the node answered that it cannot" ({@link RpcError}) from "there is no usable
 * answer" ({@link EndpointFailed}), which is what every decision about a retry rests on.
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
  detail: Schema.String
}) {
  override get message(): string {
    return `${this.endpoint}: ${this.detail}`
  }
}

export type RpcFailure = RpcError | EndpointFailed

export interface Call {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

export interface Endpoint {
  /** The host alone: the rest of an RPC URL often holds an API key. */
  readonly name: string
  readonly request: (method: string, params: ReadonlyArray<unknown>) => Effect.Effect<unknown, RpcFailure>
  /** The answers to lookups, in their order; cheaper than a request for each. Fails when one of them does. */
  readonly requestAll: (lookups: ReadonlyArray<Call>) => Effect.Effect<ReadonlyArray<unknown>, RpcFailure>
}

/** Fails unless `answer`, to `eth_chainId`, names the chain. */
export const checkChain = (endpoint: string, answer: unknown, chainId: number): Effect.Effect<void, EndpointFailed> =>
  answer === `0x${chainId.toString(16)}`
    ? Effect.void
    : Effect.fail(new EndpointFailed({ endpoint, detail: `serves chain ${String(answer)}, not ${chainId}` }))

/** Checks before the first request that the endpoint serves `chainId`, and again until it was reached once. */
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
