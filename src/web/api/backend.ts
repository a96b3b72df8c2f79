/**
 * How pages ask the builder backend, by clients that are made from its contract. A call answers with what the contract says or
 * rejects with one of its errors; whatever else happens (no network, an answer that is not of the contract) rejects with what
 * Effect says of it.
 */
import { Effect } from "effect"
import { FetchHttpClient } from "effect/http"
import { HttpApi } from "effect/http-api"

/** Where the backend is: this page's origin unless the build was made for another. */
export const baseUrl: string =
  document.querySelector<HTMLMetaElement>('meta[name="builder-url"]')?.content || location.origin

/** The contract, to which each client adds what its pages ask for: what nobody asks for is not loaded. */
export const contract = HttpApi.make("builder").annotate(HttpApi.ParseOptions, { errors: "all" })

/** Runs calls of a client as promises; an abort of the signal interrupts them. The session's cookie goes along. */
export const callsOf =
  <Client>(client: Client) =>
  <A, E>(request: (client: Client) => Effect.Effect<A, E>, signal?: AbortSignal): Promise<A> =>
    Effect.runPromise(
      Effect.provideService(request(client), FetchHttpClient.RequestInit, { credentials: "include" }),
      signal === undefined ? {} : { signal }
    )
