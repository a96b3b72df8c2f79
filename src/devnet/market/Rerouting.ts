/** An HTTP client that sends the requests to public services to the market's own server, and all others as they are. */
import { Effect, Layer } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { HOSTS } from "./Services.ts"

/** The URL of a request, at the server if it is for one of the services. */
export const rerouted = (url: string, serverUrl: string): string => {
  const { host, protocol } = new URL(url)
  return protocol === "https:" && HOSTS.some((known) => known === host)
    ? url.replace(`https://${host}`, `${serverUrl}/${host}`)
    : url
}

export const layer = (serverUrl: string): Layer.Layer<HttpClient.HttpClient> =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(
      HttpClient.HttpClient,
      HttpClient.mapRequest((request) => HttpClientRequest.setUrl(request, rerouted(request.url, serverUrl)))
    )
  ).pipe(Layer.provide(FetchHttpClient.layer))
