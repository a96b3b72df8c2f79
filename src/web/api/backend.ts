/**
 * Calls of pages to the builder backend, by clients generated from its API contract. A call resolves with a response of the
 * contract or rejects with one of its errors. Other failures (no network, an invalid response) reject with Effect's error.
 */
import { Effect } from "effect"
import { FetchHttpClient } from "effect/http"
import { HttpApi } from "effect/http-api"

/** The base of the contract. Each client adds the groups that its pages use, so that no other group is loaded. */
export const contract = HttpApi.make("builder").annotate(HttpApi.ParseOptions, { errors: "all" })

/** Runs calls of a client as promises, with the session cookie. Aborting the signal interrupts them. */
export const callsOf =
  <Client>(client: Client) =>
  <A, E>(request: (client: Client) => Effect.Effect<A, E>, signal?: AbortSignal): Promise<A> =>
    Effect.runPromise(
      Effect.provideService(request(client), FetchHttpClient.RequestInit, { credentials: "include" }),
      signal === undefined ? {} : { signal }
    )
