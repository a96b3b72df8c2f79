/** Checks that services of the operator answer at the URLs of the settings: single sign-on, subscriptions and token lists. */
import { Effect, Option } from "effect"
import { HttpClientRequest } from "effect/http"
import { builder } from "../../../config/Builder.ts"
import { orchestrator } from "../../../config/Orchestrator.ts"
import { judgeProvider } from "../../../domain/doctor/Services.ts"
import { BOTH, type Check, type Deployment } from "../Check.ts"
import { outcomeOf } from "../Outcome.ts"

interface Named {
  readonly setting: string
  readonly url: string
}

const ofOrchestrator = Effect.gen(function* () {
  const subscriptions = yield* orchestrator.subscriptionsUrl.config
  const lists = yield* orchestrator.tokenLists.config
  return [
    ...Option.toArray(subscriptions).map(({ href }) => ({ setting: orchestrator.subscriptionsUrl.name, url: href })),
    ...lists
      .filter((list) => /^https?:/i.test(list))
      .map((url) => ({ setting: `${orchestrator.tokenLists.name} ${new URL(url).host}`, url }))
  ]
})

const ofBuilderBackend = Effect.map(builder.gatewayJwksUrl.config, (url) =>
  Option.toArray(url).map(({ href }) => ({ setting: builder.gatewayJwksUrl.name, url: href }))
)

const namedBy = Effect.fnUntraced(function* ({ services }: Deployment) {
  const named: ReadonlyArray<Named> = [
    ...(services.includes("orchestrator") ? yield* ofOrchestrator : []),
    ...(services.includes("builder-backend") ? yield* ofBuilderBackend : [])
  ]
  return named
})

export const addresses: Check = {
  name: "addresses of the settings",
  services: BOTH,
  findings: (deployment) =>
    Effect.flatMap(namedBy(deployment), (named) =>
      Effect.forEach(
        named,
        ({ setting, url }) =>
          Effect.map(outcomeOf(HttpClientRequest.get(url)), (outcome) =>
            judgeProvider({ name: setting, keySetting: undefined, outcome })
          ),
        { concurrency: "unbounded" }
      )
    )
}
