/** Settings of the builder backend. */
import { Config, Option } from "effect"
import type { BuilderSettingsShape } from "../builder/shared/BuilderSettings.ts"
import { chains, ChainsConfig } from "./Chains.ts"
import { defaultsOf, integer, list, optional, origins, sentToken, setting, tokens, valuesOf } from "./Setting.ts"

export const builder = {
  port: setting({
    name: "BUILDER_PORT",
    default: 8788,
    check: Config.Port,
    meaning: "Port of the builder backend."
  }),
  adminToken: tokens({
    name: "ADMIN_TOKEN",
    meaning:
      "Bearer token of the machine routes, and of the admin console if no gateway is configured. Former tokens follow, separated by commas, each with the date from which it is refused (`new,old@2026-12-01`) or without one. If not set, these routes are closed."
  }),
  selfSignup: setting({
    name: "SELF_SIGNUP_ENABLED",
    default: false,
    check: Config.Boolean,
    meaning: "Allows builders to sign up without an admin."
  }),
  dashboardOrigins: list({
    name: "DASHBOARD_URL",
    check: origins,
    meaning:
      "Origins of the dashboard, separated by commas. Sign-in messages name one of them, and the session cookie is accepted from these origins only."
  }),
  sessionCookieDomain: optional({
    name: "SESSION_COOKIE_DOMAIN",
    check: Config.NonEmptyString,
    meaning:
      "`Domain` of the session cookie, to share it between subdomains. If not set, only the host of the backend receives it."
  }),
  gatewayHeader: optional({
    name: "GATEWAY_HEADER",
    check: Config.NonEmptyString,
    meaning:
      "Header with the signed assertion of the single sign-on gateway in front of the admin console. If set, only the gateway opens the console."
  }),
  gatewayJwksUrl: optional({
    name: "GATEWAY_JWKS_URL",
    check: Config.URL,
    meaning: "URL of the JSON Web Key Set that verifies the gateway's assertions."
  }),
  gatewayIssuer: optional({
    name: "GATEWAY_ISSUER",
    check: Config.NonEmptyString,
    meaning: "`iss` of the gateway's assertions."
  }),
  gatewayAudience: optional({
    name: "GATEWAY_AUDIENCE",
    check: Config.NonEmptyString,
    meaning: "`aud` of the gateway's assertions, which identifies this console."
  }),
  webhooksAllowPrivate: setting({
    name: "WEBHOOKS_ALLOW_PRIVATE",
    default: false,
    check: Config.Boolean,
    meaning:
      "Allows webhooks to private networks and over http. For local networks only: elsewhere builders could reach hosts that only the backend can reach."
  }),
  keepSweepEventsDays: setting({
    name: "KEEP_SWEEP_EVENTS_DAYS",
    default: 365,
    check: integer({ from: 30, to: 36_500 }),
    meaning:
      "Age at which the events of a sweep are deleted, in days. The sweep stays in lists and totals, without its history."
  }),
  serveWeb: setting({
    name: "SERVE_WEB",
    default: true,
    check: Config.Boolean,
    meaning: "Serves the dashboard and the admin console at `/app`."
  }),
  orchestratorUrl: optional({
    name: "ORCHESTRATOR_URL",
    check: Config.URL,
    meaning:
      "Base URL of the orchestrator, at which this backend calls it: the console reads its health, alerts and stuck sweeps there. Browsers get it too unless `PUBLIC_ORCHESTRATOR_URL` is set."
  }),
  publicOrchestratorUrl: optional({
    name: "PUBLIC_ORCHESTRATOR_URL",
    check: Config.URL,
    meaning:
      "Base URL of the orchestrator for browsers: the sweep page and the dashboard call it, and the quickstart shows it. If not set, `ORCHESTRATOR_URL`. Set it if that is a name that only the backend can reach."
  }),
  orchestratorToken: sentToken({
    name: "ORCHESTRATOR_ADMIN_TOKEN",
    meaning:
      "`ORCH_ADMIN_TOKEN` of the orchestrator, of which the current token is sent, with which the console reads its health, alerts and stuck sweeps. If not set, the console shows none of them."
  })
} as const

export const BuilderConfig = valuesOf(builder)

type Values = ReturnType<typeof defaultsOf<typeof builder>>
type ChainsValues = ReturnType<typeof defaultsOf<typeof chains>>

/** Base URL of the orchestrator for browsers. */
const shownUrl = ({ orchestratorUrl, publicOrchestratorUrl }: Values): string | undefined =>
  Option.getOrUndefined(Option.orElse(publicOrchestratorUrl, () => orchestratorUrl))?.href.replace(/\/$/, "")

/** The use cases' settings. The environment cannot change the numbers here. */
const asUseCaseSettings = (ofChains: ChainsValues, values: Values): BuilderSettingsShape => ({
  dashboardOrigins: values.dashboardOrigins,
  siweResourceOrigins: [],
  siweChainIds: undefined,
  nonceLifetimeMillis: 600_000,
  clockSkewMillis: 300_000,
  sessionLifetimeMillis: 7 * 24 * 3_600_000,
  sessionCookieDomain: Option.getOrUndefined(values.sessionCookieDomain),
  selfSignupEnabled: values.selfSignup,
  domainName: ofChains.domainName,
  defaultChainId: Option.getOrUndefined(ofChains.defaultSourceChain),
  gatewayHeader: Option.getOrUndefined(values.gatewayHeader),
  orchestratorUrl: shownUrl(values),
  localNodes: undefined,
  webhooks: {
    pollMillis: 1_000,
    leaseMillis: 60_000,
    concurrency: 32,
    failingConcurrency: 16,
    perEndpoint: 4,
    perBuilder: 8,
    keepMillis: 30 * 24 * 3_600_000
  },
  retention: {
    eventsMillis: values.keepSweepEventsDays * 24 * 3_600_000,
    alertsMillis: 90 * 24 * 3_600_000
  }
})

/** The use cases' settings, as the environment sets them. */
export const builderSettings = Config.map(Config.all([ChainsConfig, BuilderConfig]), ([ofChains, values]) =>
  asUseCaseSettings(ofChains, values)
)

/** The use cases' settings in an empty environment. */
export const builderDefaults = asUseCaseSettings(defaultsOf(chains), defaultsOf(builder))
