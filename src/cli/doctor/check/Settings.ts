/** Checks every setting of the services, and names all that are missing or wrong at once. */
import { ConfigProvider, Effect, Option } from "effect"
import { builder } from "../../../config/Builder.ts"
import { chains } from "../../../config/Chains.ts"
import { common } from "../../../config/Common.ts"
import { orchestrator, orchestratorSettings } from "../../../config/Orchestrator.ts"
import type { Finding } from "../../../domain/doctor/Finding.ts"
import * as Settings from "../../../domain/doctor/Settings.ts"
import * as ChainLimits from "../../../orchestrator/shared/ChainLimits.ts"
import { builderChecks } from "../../BuilderBackendCommand.ts"
import { publicChains } from "../../DatabaseUrl.ts"
import * as NamedChains from "../../NamedChains.ts"
import { orchestratorChecks } from "../../OrchestratorCommand.ts"
import { makeLacking } from "../../PriceOptions.ts"
import * as Problems from "../../Problems.ts"
import { BOTH, type Check, type Deployment, type Service } from "../Check.ts"
import { rawText } from "../Secrets.ts"

/** Value of a setting; its default if it cannot be read, which is then a problem of its own. */
const valueOf = <A>(setting: { readonly config: Effect.Effect<A, unknown>; readonly default: A }) =>
  Effect.orElseSucceed(setting.config, () => setting.default)

const problemsOf = (service: Service) =>
  (service === "orchestrator"
    ? Problems.check([common, chains, orchestrator], orchestratorChecks)
    : Problems.check([common, chains, builder], builderChecks)
  ).pipe(
    Effect.as<ReadonlyArray<string>>([]),
    Effect.catchTag("WrongSettings", ({ problems }) => Effect.succeed(problems))
  )

/** None while settings are wrong, which is a finding of its own. */
const cutBudgetsOf = ({ served }: Deployment) =>
  Effect.gen(function* () {
    const { relayer } = yield* orchestratorSettings
    return (yield* served).flatMap(({ client: { chain } }) => {
      const cut = ChainLimits.cutUnlistedBudget(relayer, chain)
      return cut === undefined ? [] : [{ chain: chain.name, ...cut }]
    })
  }).pipe(Effect.orElseSucceed((): ReadonlyArray<Settings.CutBudget> => []))

/** None while settings are wrong, which is a finding of its own. */
const fewSourcesOf = ({ served }: Deployment) =>
  Effect.gen(function* () {
    const lackingOf = yield* makeLacking
    return (yield* served).flatMap(({ client: { chain } }) => lackingOf(chain) ?? [])
  }).pipe(Effect.orElseSucceed((): ReadonlyArray<Settings.FewSources> => []))

/** None while settings are wrong, which is a finding of its own. */
const unserved = Effect.orElseSucceed(NamedChains.unserved, (): ReadonlyArray<Settings.Unserved> => [])

const factsOf = Effect.fnUntraced(function* (service: Service, deployment: Deployment) {
  // The first one of a list is that in use.
  const [token = ""] = (yield* rawText((service === "orchestrator" ? orchestrator : builder).adminToken.name)).split(
    ","
  )
  const [builderUrl, builderToken] = [
    yield* valueOf(orchestrator.builderUrl),
    yield* valueOf(orchestrator.builderToken)
  ]
  return {
    service,
    problems: yield* problemsOf(service),
    misspelt: yield* Problems.misspelt(yield* ConfigProvider.ConfigProvider),
    hasDatabaseUrl: Option.isSome(yield* valueOf(common.databaseUrl)),
    hasComposeDatabase: (yield* rawText("POSTGRES_PASSWORD")).trim() !== "",
    publicChains: yield* Effect.orElseSucceed(publicChains, (): ReadonlyArray<string> => []),
    adminTokenLength: token.trim() === "" ? undefined : token.trim().length,
    missingBackend: [
      ...(Option.isNone(builderUrl) ? [orchestrator.builderUrl.name] : []),
      ...(Option.isNone(builderToken) ? [orchestrator.builderToken.name] : [])
    ],
    hasDashboard: (yield* valueOf(builder.dashboardOrigins)).length > 0,
    allowsPrivateWebhooks: yield* valueOf(builder.webhooksAllowPrivate),
    cutBudgets: service === "orchestrator" ? yield* cutBudgetsOf(deployment) : [],
    fewSources: service === "orchestrator" ? yield* fewSourcesOf(deployment) : [],
    unserved: service === "orchestrator" ? yield* unserved : []
  } satisfies Settings.SettingsFacts
})

/** Both services share settings. */
const distinct = (findings: ReadonlyArray<Finding>): ReadonlyArray<Finding> => [
  ...new Map(findings.map((finding) => [`${finding.code} ${finding.subject} ${finding.seen}`, finding])).values()
]

export const settings: Check = {
  name: "settings",
  services: BOTH,
  findings: (deployment) =>
    Effect.map(
      Effect.forEach(deployment.services, (service) => factsOf(service, deployment)),
      (all) => distinct(all.flatMap((facts) => Settings.judge(facts)))
    )
}
