/** The outcome of one small request to a service: its status, or the kind of its failure. Never a URL, a header or a body. */
import { Effect } from "effect"
import { HttpClient, type HttpClientRequest } from "effect/http"
import * as Exchange from "../../adapters/http/Exchange.ts"
import type { Outcome } from "../../domain/doctor/Services.ts"

const LIMIT = "5 seconds"

export const outcomeOf = Effect.fnUntraced(function* (request: HttpClientRequest.HttpClientRequest) {
  const client = yield* HttpClient.HttpClient
  return yield* Exchange.exchange(client, request, LIMIT, ({ status }) =>
    Effect.succeed<Outcome>({ _tag: "Status", status })
  ).pipe(
    // The client's spans contain URLs, and some URLs contain keys.
    Effect.provideService(HttpClient.TracerDisabledWhen, () => true),
    Effect.catch(({ detail }) => Effect.succeed<Outcome>({ _tag: "Silent", detail }))
  )
})
