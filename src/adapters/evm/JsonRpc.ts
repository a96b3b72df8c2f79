/**
 * One JSON-RPC endpoint of a node, spoken to over HTTP. It tells "the node answered that it cannot" ({@link RpcError}) from
 * "there is no usable answer" ({@link EndpointFailed}), which is what every decision about a retry rests on.
 */
import { Duration, Effect, Schema } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"

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

export interface Endpoint {
  /** The host alone: the rest of an RPC URL often holds an API key. */
  readonly name: string
  readonly request: (method: string, params: ReadonlyArray<unknown>) => Effect.Effect<unknown, RpcFailure>
}

const Answer = Schema.Union([
  Schema.Struct({
    error: Schema.Struct({
      code: Schema.Number,
      message: Schema.String,
      data: Schema.optionalKey(Schema.Unknown)
    })
  }),
  Schema.Struct({ result: Schema.Unknown })
])

const decodeAnswer = Schema.decodeUnknownEffect(Answer)

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : "invalid URL")

/** An endpoint without a check of what chain it serves; see {@link verified}. Nothing is retried here. */
export const make = (client: HttpClient.HttpClient, url: string, timeout: Duration.Input): Endpoint => {
  const name = hostOf(url)
  const failed = (detail: string) => new EndpointFailed({ endpoint: name, detail })

  const request = Effect.fnUntraced(function* (method: string, params: ReadonlyArray<unknown>) {
    const [status, body] = yield* client
      .execute(
        HttpClientRequest.post(url).pipe(HttpClientRequest.bodyJsonUnsafe({ jsonrpc: "2.0", id: 1, method, params }))
      )
      .pipe(
        Effect.flatMap((response) => Effect.map(response.json, (json) => [response.status, json] as const)),
        // A span of the client would hold the URL, and what it sends to third parties; its error holds the URL too.
        Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
        Effect.mapError((error) => failed(error.reason._tag)),
        Effect.timeoutOrElse({
          duration: timeout,
          orElse: () => Effect.fail(failed(`no answer within ${Duration.toMillis(timeout)} ms`))
        })
      )
    // Nodes answer errors with 200 or 400; 429 and 5xx come from what stands before them and say nothing about the request.
    if (status === 429 || status >= 500) return yield* failed(`HTTP ${status}`)
    const answer = yield* decodeAnswer(body).pipe(Effect.mapError(() => failed(`HTTP ${status} with a malformed body`)))
    if ("error" in answer) {
      const { code, message, data } = answer.error
      return yield* new RpcError({ endpoint: name, code, text: message, data })
    }
    return answer.result
  })

  return { name, request }
}

/** Checks before the first request that the endpoint serves `chainId`, and again until it was reached once. */
export const verified = Effect.fnUntraced(function* (endpoint: Endpoint, chainId: number) {
  const check = yield* endpoint.request("eth_chainId", []).pipe(
    Effect.flatMap((answer) =>
      answer === `0x${chainId.toString(16)}`
        ? Effect.void
        : Effect.fail(
            new EndpointFailed({ endpoint: endpoint.name, detail: `serves chain ${String(answer)}, not ${chainId}` })
          )
    ),
    Effect.cachedWithTTL((exit) => (exit._tag === "Success" ? Duration.infinity : Duration.zero))
  )
  return {
    name: endpoint.name,
    request: (method, params) => Effect.andThen(check, endpoint.request(method, params))
  } satisfies Endpoint
})
