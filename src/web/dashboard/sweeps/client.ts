/** API client of builders' sweeps, loaded with the pages that use it. */
import { Effect } from "effect"
import { FetchHttpClient } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { MySweeps } from "../../../api/builder/SweepsApi.ts"
import { callsOf, contract } from "../../api/backend.ts"
import { baseUrl } from "../../api/baseUrl.ts"

export const call = callsOf(
  Effect.runSync(HttpApiClient.make(contract.add(MySweeps), { baseUrl }).pipe(Effect.provide(FetchHttpClient.layer)))
)
