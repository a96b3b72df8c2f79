/** Checks that each service reaches the other one, and that its token is accepted. */
import { Effect, Option, Redacted } from "effect"
import { HttpClientRequest } from "effect/http"
import { builder } from "../../../config/Builder.ts"
import { orchestrator } from "../../../config/Orchestrator.ts"
import type { Setting } from "../../../config/Setting.ts"
import * as Services from "../../../domain/doctor/Services.ts"
import { within } from "../../../runtime/Within.ts"
import { BOTH, type Check, type Deployment } from "../Check.ts"
import { outcomeOf } from "../Outcome.ts"
import { ages } from "./Roles.ts"

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

/** Time in which the database must answer, so that the check ends within its own limit. */
const DATABASE_LIMIT = "10 seconds"

/** True if an orchestrator has given a sign of life lately. False without a database, its schema or an answer. */
const isRunning = Effect.fnUntraced(function* ({ withDatabase }: Deployment) {
  const known = yield* withDatabase(ages).pipe(
    within(DATABASE_LIMIT),
    Effect.orElseSucceed(() => Option.none<ReadonlyMap<string, number>>())
  )
  const lifetimeMillis = (yield* orchestrator.roleLifetimeSeconds.config) * 1_000
  return Option.exists(known, (byPost) => [...byPost.values()].some((age) => age <= lifetimeMillis))
})

const judged = Effect.fnUntraced(function* (deployment: Deployment, { name, path, token, url }: Peer) {
  const at = yield* url.config
  if (Option.isNone(at)) return []
  const base = at.value.href.replace(/\/$/, "")
  const secret = yield* token.config
  const [ready, authorized, runs] = yield* Effect.all(
    [
      outcomeOf(HttpClientRequest.get(`${base}/readyz`)),
      Option.isNone(secret)
        ? Effect.succeed(undefined)
        : outcomeOf(
            HttpClientRequest.get(`${base}${path}`).pipe(HttpClientRequest.bearerToken(Redacted.value(secret.value)))
          ),
      isRunning(deployment)
    ],
    { concurrency: 3 }
  )
  return Services.judgePeer({
    name,
    urlSetting: url.name,
    tokenSetting: token.name,
    ready,
    authorized,
    isRunning: runs
  })
})

export const peers: Check = {
  name: "other service",
  services: BOTH,
  findings: (deployment) =>
    Effect.map(
      Effect.forEach(
        deployment.services,
        (service) => judged(deployment, service === "orchestrator" ? BACKEND : ORCHESTRATOR),
        { concurrency: 2 }
      ),
      (all) => all.flat()
    )
}
