/** Checks that each service reaches the other one, and that its token is accepted. */
import { Effect, Option, Redacted } from "effect"
import { HttpClientRequest } from "effect/http"
import { builder } from "../../../config/Builder.ts"
import { orchestrator } from "../../../config/Orchestrator.ts"
import type { Setting } from "../../../config/Setting.ts"
import * as Services from "../../../domain/doctor/Services.ts"
import { BOTH, type Check } from "../Check.ts"
import { outcomeOf } from "../Outcome.ts"

interface Peer {
  readonly name: string
  readonly url: Setting<Option.Option<URL>>
  readonly token: Setting<Option.Option<Redacted.Redacted>>
  /** Reads something with the token and changes nothing. */
  readonly path: string
}

const BACKEND: Peer = {
  name: "builder backend",
  url: orchestrator.builderUrl,
  token: orchestrator.builderToken,
  path: "/builders/doctor/accruals"
}

const ORCHESTRATOR: Peer = {
  name: "orchestrator",
  url: builder.orchestratorUrl,
  token: builder.orchestratorToken,
  path: "/admin/alerts"
}

const judged = Effect.fnUntraced(function* ({ name, path, token, url }: Peer) {
  const at = yield* url.config
  if (Option.isNone(at)) return []
  const base = at.value.href.replace(/\/$/, "")
  const secret = yield* token.config
  const [ready, authorized] = yield* Effect.all(
    [
      outcomeOf(HttpClientRequest.get(`${base}/readyz`)),
      Option.isNone(secret)
        ? Effect.succeed(undefined)
        : outcomeOf(
            HttpClientRequest.get(`${base}${path}`).pipe(HttpClientRequest.bearerToken(Redacted.value(secret.value)))
          )
    ],
    { concurrency: 2 }
  )
  return Services.judgePeer({ name, urlSetting: url.name, tokenSetting: token.name, ready, authorized })
})

export const peers: Check = {
  name: "other service",
  services: BOTH,
  findings: ({ services }) =>
    Effect.map(
      Effect.forEach(services, (service) => judged(service === "orchestrator" ? BACKEND : ORCHESTRATOR), {
        concurrency: 2
      }),
      (all) => all.flat()
    )
}
