/** API client of the console. It is the only one that sends the operator's token. */
import { Effect } from "effect"
import { FetchHttpClient, HttpClient, HttpClientRequest } from "effect/http"
import { HttpApiClient } from "effect/http-api"
import { Console } from "../../api/builder/ConsoleApi.ts"
import { Operations } from "../../api/builder/OperationsApi.ts"
import { Stories } from "../../api/builder/StoriesApi.ts"
import * as AdminToken from "../api/adminToken.ts"
import { callsOf, contract } from "../api/backend.ts"
import { baseUrl } from "../api/baseUrl.ts"

const withAdminToken = HttpClient.mapRequest((request: HttpClientRequest.HttpClientRequest) => {
  const token = AdminToken.current()
  return token === undefined ? request : HttpClientRequest.bearerToken(request, token)
})

export const call = callsOf(
  Effect.runSync(
    HttpApiClient.make(contract.add(Console, Operations, Stories), { baseUrl, transformClient: withAdminToken }).pipe(
      Effect.provide(FetchHttpClient.layer)
    )
  )
)
