/**
 * The builder backend's client, made from its contract. A call answers with what the contract says or rejects with one of
 * its errors; whatever else happens (no network, an answer that is not of the contract) rejects with what Effect says of it.
 */
import { Effect } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { BuilderApi } from "../../api/builder/BuilderApi.ts"
import * as AdminToken from "./adminToken.ts"

/** Where the backend is: this page's origin unless the build was made for another. */
export const builderUrl: string =
  document.querySelector<HTMLMetaElement>('meta[name="builder-url"]')?.content || location.origin

/** Only the console's routes take the token, so that no other request carries it. */
const withAdminToken = HttpClient.mapRequest((request: HttpClientRequest.HttpClientRequest) => {
  const token = AdminToken.current()
  return token !== undefined && new URL(request.url, builderUrl).pathname.startsWith("/admin/")
    ? HttpClientRequest.bearerToken(request, token)
    : request
})

const client = Effect.runSync(
  HttpApiClient.make(BuilderApi, { baseUrl: builderUrl, transformClient: withAdminToken }).pipe(
    Effect.provide(FetchHttpClient.layer),
    Effect.provideService(FetchHttpClient.RequestInit, { credentials: "include" })
  )
)

type Client = typeof client

/** Runs a call of the client as a promise; an abort of the signal interrupts it. */
export const call = <A, E>(request: (client: Client) => Effect.Effect<A, E>, signal?: AbortSignal): Promise<A> =>
  Effect.runPromise(
    Effect.provideService(request(client), FetchHttpClient.RequestInit, { credentials: "include" }),
    signal === undefined ? {} : { signal }
  )
