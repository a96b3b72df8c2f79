/** API client of builders' API keys and first steps, loaded with the pages that use it. */
import { Effect } from "effect"
import { FetchHttpClient } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { MyKeys } from "../../../api/builder/KeysApi.ts"
import { callsOf, contract } from "../../api/backend.ts"
import { baseUrl } from "../../api/baseUrl.ts"

export const call = callsOf(
  Effect.runSync(HttpApiClient.make(contract.add(MyKeys), { baseUrl }).pipe(Effect.provide(FetchHttpClient.layer)))
)
