/** API client of the builders' pages. */
import { Effect } from "effect"
import { FetchHttpClient } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { Auth, Me, SelfSignup } from "../../api/builder/AccountApi.ts"
import { DeploymentGroup } from "../../api/builder/DeploymentApi.ts"
import { callsOf, contract } from "./backend.ts"
import { baseUrl } from "./baseUrl.ts"

export const call = callsOf(
  Effect.runSync(
    HttpApiClient.make(contract.add(Auth, SelfSignup, Me, DeploymentGroup), { baseUrl }).pipe(
      Effect.provide(FetchHttpClient.layer)
    )
  )
)
