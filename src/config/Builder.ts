/** Settings of the builder backend. */
import { Config } from "effect"
import { optional, origins, secret, withDefault, type Setting } from "./Setting.ts"

export const builder = {
  port: withDefault("BUILDER_PORT", Config.Port, { value: 8788, shown: "8788" }, "Port of the builder backend."),
  adminToken: secret(
    "ADMIN_TOKEN",
    "Bearer token of the machine routes, and of the admin console where no gateway is configured. Unset: they are closed."
  ),
  selfSignup: withDefault(
    "SELF_SIGNUP_ENABLED",
    Config.Boolean,
    { value: false, shown: "false" },
    "Whether builders may sign up by themselves."
  ),
  dashboardOrigins: {
    name: "DASHBOARD_URL",
    meaning:
      "Origins of the dashboard, separated by commas: sign-in messages name one of them, and browsers may send the session cookie from no other.",
    config: origins("DASHBOARD_URL")
  } satisfies Setting<ReadonlyArray<string>>,
  sessionCookieDomain: optional(
    "SESSION_COOKIE_DOMAIN",
    Config.NonEmptyString,
    "`Domain` of the session cookie, to share it between subdomains. Unset: the backend's own host alone."
  ),
  gatewayHeader: optional(
    "GATEWAY_HEADER",
    Config.NonEmptyString,
    "Header in which the single sign-on gateway before the admin console passes its signed assertion. Set: nothing else opens the console."
  ),
  gatewayJwksUrl: optional("GATEWAY_JWKS_URL", Config.URL, "Where the gateway publishes the keys of its assertions."),
  gatewayIssuer: optional("GATEWAY_ISSUER", Config.NonEmptyString, "`iss` of the gateway's assertions."),
  gatewayAudience: optional(
    "GATEWAY_AUDIENCE",
    Config.NonEmptyString,
    "`aud` of the gateway's assertions: this console."
  ),
  webhooksAllowPrivate: withDefault(
    "WEBHOOKS_ALLOW_PRIVATE",
    Config.Boolean,
    { value: false, shown: "false" },
    "Whether builders' webhooks may go to private networks and over http. For a local network alone: elsewhere it lets builders reach what only the backend can."
  ),
  serveWeb: withDefault(
    "SERVE_WEB",
    Config.Boolean,
    { value: true, shown: "true" },
    "Whether the builder backend serves the dashboard and the admin console, at /app."
  ),
  orchestratorUrl: optional(
    "ORCHESTRATOR_URL",
    Config.URL,
    "Where the orchestrator is: the web app shows it in its quickstart and may call it, and the console asks it for its health."
  ),
  orchestratorToken: secret(
    "ORCHESTRATOR_ADMIN_TOKEN",
    "The orchestrator's ORCH_ADMIN_TOKEN, with which the console shows its health, alerts and stuck sweeps. Unset: it shows none."
  )
} as const
