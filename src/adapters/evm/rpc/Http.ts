/** One exchange with a JSON-RPC endpoint over HTTP: a body out, a body back. What it says is read elsewhere. */
import { Duration, Effect } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { EndpointFailed } from "./JsonRpc.ts"

export interface Reply {
  /** Of HTTP. */
  readonly status: number
  /** Parsed; undefined where the body is no JSON. */
  readonly body: unknown
}

export interface Transport {
  /** The host alone: the rest of an RPC URL often holds an API key. */
  readonly name: string
  readonly post: (body: unknown) => Effect.Effect<Reply, EndpointFailed>
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : "invalid URL")

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Fails where there is no reply at all within `timeout`. Nothing is retried here. */
export const make = (client: HttpClient.HttpClient, url: string, timeout: Duration.Input): Transport => {
  const name = hostOf(url)
  const failed = (detail: string) => new EndpointFailed({ endpoint: name, detail })
  const post: Transport["post"] = (body) =>
    client.execute(HttpClientRequest.post(url).pipe(HttpClientRequest.bodyJsonUnsafe(body))).pipe(
      Effect.flatMap(({ status, text }) => Effect.map(text, (said): Reply => ({ status, body: parsed(said) }))),
      // A span of the client would hold the URL, and what it sends to third parties; its error holds the URL too.
      Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
      Effect.mapError((error) => failed(error.reason._tag)),
      Effect.timeoutOrElse({
        duration: timeout,
        orElse: () => Effect.fail(failed(`no answer within ${Duration.toMillis(timeout)} ms`))
      })
    )
  return { name, post }
}
