/** API client of builders' webhooks, loaded with the pages that use it. */
import { Effect } from "effect"
import { FetchHttpClient } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { MyWebhooks } from "../../../api/builder/WebhookApi.ts"
import { callsOf, contract } from "../../api/backend.ts"
import { baseUrl } from "../../api/baseUrl.ts"

export const call = callsOf(
  Effect.runSync(HttpApiClient.make(contract.add(MyWebhooks), { baseUrl }).pipe(Effect.provide(FetchHttpClient.layer)))
)
