/**
 * Every setting, once, with its default and its meaning. The services read them from the environment through Effect's
 * Config; `./sweep settings` and the README print this list.
 */
import { Config, Option, Redacted, Schema, SchemaTransformation } from "effect"
import { Uint256 } from "./domain/Amount.ts"
import { DEFAULT_DOMAIN_NAME, DomainName } from "./domain/SweepOrder.ts"
import { defaults, type OrchestratorSettingsShape } from "./orchestrator/OrchestratorSettings.ts"

/** What a person needs to know of a setting. */
export interface Documented {
  readonly name: string
  readonly meaning: string
  /** The default as it would be written; absent for a setting that has none. */
  readonly fallback?: string
}

interface Setting<A> extends Documented {
  readonly config: Config.Config<A>
}

const withDefault = <A>(
  name: string,
  config: (name: string) => Config.Config<A>,
  fallback: { readonly value: NoInfer<A>; readonly shown: string },
  meaning: string
): Setting<A> => ({
  name,
  meaning,
  fallback: fallback.shown,
  config: Config.withDefault(config(name), fallback.value)
})

const optional = <A>(
  name: string,
  config: (name: string) => Config.Config<A>,
  meaning: string
): Setting<Option.Option<A>> => ({ name, meaning, config: Config.option(config(name)) })

/** What an integer setting may be. */
interface Range {
  readonly from: number
  readonly to: number
}

/** Decades of seconds: more is a mistake. */
const MANY = 1_000_000_000
const POSITIVE: Range = { from: 1, to: MANY }
const NON_NEGATIVE: Range = { from: 0, to: MANY }
const BPS: Range = { from: 0, to: 10_000 }

/** Digits alone: `1e3`, `0x10` and ` 5 ` are taken for mistakes. */
const integerIn = ({ from, to }: Range) => {
  const message = `expected an integer from ${from} to ${to}`
  return Schema.String.check(Schema.isPattern(/^[0-9]{1,15}$/, { message })).pipe(
    Schema.decodeTo(
      Schema.Int.check(Schema.isBetween({ minimum: from, maximum: to }, { message })),
      SchemaTransformation.transform({ decode: Number, encode: String })
    )
  )
}

const integerConfig = (range: Range) => (name: string) => Config.schema(integerIn(range), name)

const integer = (name: string, value: number, range: Range, meaning: string) =>
  withDefault(name, integerConfig(range), { value, shown: String(value) }, meaning)

const text = (name: string, value: string, meaning: string) =>
  withDefault(name, Config.NonEmptyString, { value, shown: value }, meaning)

const secret = (name: string, meaning: string) => optional(name, (key) => Config.Redacted(key), meaning)

const wei = (name: string) => Config.schema(Uint256, name)

/** A comma-separated list of secrets, such as private keys; none when it is not set. */
const secrets = (name: string) =>
  Config.Redacted(name).pipe(
    Config.map((list) =>
      Redacted.value(list)
        .split(",")
        .map((entry) => entry.trim())
        .filter((entry) => entry !== "")
        .map((entry) => Redacted.make(entry, { label: name }))
    ),
    Config.withDefault([])
  )

/** A comma-separated list of urls, of which only the origins matter; none when it is not set. */
const origins = (name: string) =>
  Config.Array(Schema.URL, name).pipe(
    Config.map((urls) => urls.map(({ origin }) => origin)),
    Config.withDefault([])
  )

/** A comma-separated list of chain ids; none when it is not set. */
const chainIds = (name: string) =>
  Config.Array(integerIn({ from: 1, to: Number.MAX_SAFE_INTEGER }), name).pipe(Config.withDefault([]))

export const common = {
  host: text("HOST", "127.0.0.1", "Address that the services listen on; 0.0.0.0 for all."),
  logLevel: withDefault(
    "LOG_LEVEL",
    Config.LogLevel,
    { value: "Info", shown: "Info" },
    "Least severe level that is logged."
  ),
  logFormat: withDefault(
    "LOG_FORMAT",
    (name) => Config.Literals(["pretty", "json"], name),
    { value: "pretty", shown: "pretty" },
    "`pretty` for people, `json` for machines: one object a line."
  ),
  databaseUrl: secret(
    "DATABASE_URL",
    "Postgres of the service, e.g. postgres://user:password@host:5432/sweep. Unset: an embedded one under .sweep/."
  ),
  databasePoolSize: integer("DATABASE_POOL_SIZE", 10, POSITIVE, "Most connections that one process opens to Postgres."),
  trustedProxyHops: integer(
    "TRUSTED_PROXY_HOPS",
    1,
    { from: 0, to: 100 },
    "Proxies in front that append to X-Forwarded-For: the client is that many entries from the right. 0: the socket's peer."
  )
} as const

export const chains = {
  chainsFile: text("CHAINS_FILE", "chains.json", "JSON file that lists the chains to serve."),
  domainName: withDefault(
    "EIP712_DOMAIN_NAME",
    (name) => Config.schema(DomainName, name),
    { value: DEFAULT_DOMAIN_NAME, shown: DEFAULT_DOMAIN_NAME },
    "EIP-712 domain name of orders. Part of the contracts: changing it means deploying anew."
  )
} as const

export const orchestrator = {
  port: withDefault("ORCHESTRATOR_PORT", Config.Port, { value: 8787, shown: "8787" }, "Port of the orchestrator."),
  adminToken: secret("ORCH_ADMIN_TOKEN", "Bearer token of the operator routes. Unset: they are closed."),
  rateLimit: integer("RATE_LIMIT", 100, POSITIVE, "Requests per client and minute on the public routes."),
  relayerKeys: {
    name: "RELAYER_KEYS",
    meaning:
      "Comma-separated private keys of the relayer's lanes, used on every chain. None may be a delegated account.",
    config: secrets("RELAYER_KEYS")
  } satisfies Setting<ReadonlyArray<Redacted.Redacted>>,
  protocolBpsTier1: integer(
    "PROTOCOL_BPS_TIER1",
    defaults.fees.protocolBps.tier1,
    BPS,
    "Protocol fee of tier 1, in basis points."
  ),
  protocolBpsTier2: integer(
    "PROTOCOL_BPS_TIER2",
    defaults.fees.protocolBps.tier2,
    BPS,
    "Protocol fee of tier 2, in basis points."
  ),
  protocolBpsTier3: integer(
    "PROTOCOL_BPS_TIER3",
    defaults.fees.protocolBps.tier3,
    BPS,
    "Protocol fee of tier 3, in basis points."
  ),
  subscriberShareBps: integer(
    "SUBSCRIBER_SHARE_BPS",
    defaults.fees.subscriberShareBps,
    BPS,
    "What subscribers pay of the protocol fee, in basis points of it."
  ),
  networkMarginBps: integer(
    "NETWORK_FEE_MARGIN_BPS",
    defaults.fees.networkMarginBps,
    { from: 0, to: 100_000 },
    "Added to the estimated network cost of a sweep, in basis points."
  ),
  quoteLifetimeSeconds: integer(
    "QUOTE_LIFETIME_SECONDS",
    defaults.quoteLifetimeMillis / 1000,
    POSITIVE,
    "How long a quote can be submitted."
  ),
  orderGraceSeconds: integer(
    "ORDER_GRACE_SECONDS",
    defaults.orderGraceSeconds,
    NON_NEGATIVE,
    "How long after its quote an order can still settle."
  ),
  slippageBps: integer(
    "SLIPPAGE_BPS",
    defaults.slippageBps,
    BPS,
    "What a same-chain swap may lose against its quote, in basis points."
  ),
  defaultSourceChain: optional(
    "DEFAULT_SOURCE_CHAIN",
    integerConfig({ from: 1, to: 999_999_999_999_999 }),
    "Chain id where a sweep starts when neither the route hint, the token nor the owner's balance tells."
  ),
  clearanceLifetimeSeconds: integer(
    "CLEARANCE_LIFETIME_SECONDS",
    defaults.clearanceLifetimeMillis / 1000,
    NON_NEGATIVE,
    "How old a sanctions clearance may be when the relayer sends."
  ),
  ofacSnapshot: optional(
    "OFAC_SNAPSHOT",
    Config.NonEmptyString,
    "File with sanctioned addresses that are blocked besides the oracle's."
  ),
  minLaneBalance: withDefault(
    "MIN_LANE_BALANCE_WEI",
    wei,
    { value: defaults.relayer.minLaneBalance, shown: defaults.relayer.minLaneBalance.toString() },
    "A lane that holds less pauses and alerts."
  ),
  relayerBatch: integer(
    "RELAYER_BATCH",
    defaults.relayer.batch,
    { from: 1, to: 100 },
    "Sweeps that the relayer puts into one transaction, at most."
  ),
  pausedChains: {
    name: "RELAYER_PAUSED_CHAINS",
    meaning: "Comma-separated ids of chains on which nothing is sent; what was sent is followed to its end.",
    config: chainIds("RELAYER_PAUSED_CHAINS")
  } satisfies Setting<ReadonlyArray<number>>,
  dailySpendCap: optional(
    "DAILY_SPEND_CAP_WEI",
    wei,
    "Gas in wei that the lanes of one chain may spend in a day; then nothing is sent until a day has passed."
  ),
  ownerFailureBudget: integer(
    "OWNER_FAILURE_BUDGET",
    defaults.relayer.failureBudget.owner,
    POSITIVE,
    "Sweeps of one owner that may fail on chain within an hour before that owner's are refused."
  ),
  builderFailureBudget: integer(
    "BUILDER_FAILURE_BUDGET",
    defaults.relayer.failureBudget.builder,
    POSITIVE,
    "Sweeps of one builder that may fail on chain within an hour before that builder's are refused."
  ),
  relayerPollMillis: integer(
    "RELAYER_POLL_MILLIS",
    defaults.relayer.pollMillis,
    POSITIVE,
    "How often the relayer looks for work that nothing woke it for."
  ),
  rebroadcastSeconds: integer(
    "REBROADCAST_SECONDS",
    defaults.relayer.rebroadcastMillis / 1000,
    POSITIVE,
    "An unconfirmed transaction is broadcast again after this."
  ),
  bumpSeconds: integer(
    "BUMP_SECONDS",
    defaults.relayer.bumpMillis / 1000,
    POSITIVE,
    "An unconfirmed transaction is replaced with higher fees after this."
  ),
  watcherPollMillis: integer(
    "WATCHER_POLL_MILLIS",
    defaults.watcher.pollMillis,
    POSITIVE,
    "How often the watcher looks at the chains."
  ),
  builderUrl: optional("BUILDER_URL", Config.URL, "Base URL of the builder backend. Unset: sweeps are not attributed."),
  builderToken: secret(
    "BUILDER_ADMIN_TOKEN",
    "The builder backend's ADMIN_TOKEN, with which accruals and revenue are posted."
  ),
  attributionCacheSeconds: integer(
    "ATTRIBUTION_CACHE_SECONDS",
    5,
    NON_NEGATIVE,
    "How long an API key's builder is remembered: a rotated key stops working within this."
  ),
  acrossApiUrl: withDefault(
    "ACROSS_API_URL",
    Config.URL,
    { value: new URL("https://app.across.to/api"), shown: "https://app.across.to/api" },
    "Across API that quotes bridge fees."
  ),
  acrossFixedFeeBps: optional(
    "ACROSS_FIXED_FEE_BPS",
    integerConfig(BPS),
    "Bridge fee in basis points for networks without the Across API, such as the local one. Set: the API is not asked."
  ),
  prices: withDefault(
    "PRICES",
    (name) => Config.Literals(["onchain", "defillama"], name),
    { value: "onchain", shown: "onchain" },
    "Where US dollar prices come from: Uniswap v3 pools, or DefiLlama with the pools as fallback."
  )
} as const

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
  serveWeb: withDefault(
    "SERVE_WEB",
    Config.Boolean,
    { value: true, shown: "true" },
    "Whether the builder backend serves the dashboard and the admin console, at /app."
  ),
  orchestratorUrl: optional(
    "ORCHESTRATOR_URL",
    Config.URL,
    "Where browsers find the orchestrator; the web app shows it in its quickstart and may call it."
  )
} as const

/** For `./sweep deploy` alone. */
export const deployerKey = secret(
  "DEPLOYER_KEY",
  "Private key that pays for `./sweep deploy`. It gets no rights by it."
)

/** For `./sweep payouts send` alone. */
export const vaultKey = secret(
  "VAULT_KEY",
  "Private key of the vault, with which `./sweep payouts send` pays builders. No service reads it."
)

/** Every setting, in the order in which it is documented. */
export const documented: ReadonlyArray<{ readonly group: string; readonly settings: ReadonlyArray<Documented> }> = [
  { group: "All services", settings: Object.values(common) },
  { group: "Chains, for all services", settings: Object.values(chains) },
  { group: "Orchestrator", settings: Object.values(orchestrator) },
  { group: "Builder backend", settings: Object.values(builder) },
  { group: "Deployment", settings: [deployerKey] },
  { group: "Payouts", settings: [vaultKey] }
]

/** The values of a group of settings, all at once. */
const valuesOf = <Group extends Readonly<Record<string, Setting<unknown>>>>(group: Group) =>
  Config.all(
    Object.fromEntries(Object.entries(group).map(([key, setting]) => [key, setting.config])) as {
      readonly [Key in keyof Group]: Group[Key]["config"]
    }
  )

export const CommonConfig = valuesOf(common)

export const ChainsConfig = valuesOf(chains)

export const BuilderConfig = valuesOf(builder)

export const OrchestratorConfig = valuesOf(orchestrator)

/** The choices of the orchestrator's use cases, as the environment sets them. */
export const orchestratorSettings = Config.map(
  Config.all([ChainsConfig, OrchestratorConfig]),
  ([{ domainName }, values]): OrchestratorSettingsShape => ({
    domainName,
    fees: {
      protocolBps: { tier1: values.protocolBpsTier1, tier2: values.protocolBpsTier2, tier3: values.protocolBpsTier3 },
      subscriberShareBps: values.subscriberShareBps,
      networkMarginBps: values.networkMarginBps
    },
    quoteLifetimeMillis: values.quoteLifetimeSeconds * 1000,
    orderGraceSeconds: values.orderGraceSeconds,
    slippageBps: values.slippageBps,
    defaultSourceChain: Option.getOrUndefined(values.defaultSourceChain),
    clearanceLifetimeMillis: values.clearanceLifetimeSeconds * 1000,
    relayer: {
      ...defaults.relayer,
      pollMillis: values.relayerPollMillis,
      rebroadcastMillis: values.rebroadcastSeconds * 1000,
      bumpMillis: values.bumpSeconds * 1000,
      minLaneBalance: values.minLaneBalance,
      batch: values.relayerBatch,
      pausedChains: values.pausedChains,
      dailySpendCap: Option.getOrUndefined(values.dailySpendCap),
      failureBudget: {
        ...defaults.relayer.failureBudget,
        owner: values.ownerFailureBudget,
        builder: values.builderFailureBudget
      }
    },
    watcher: { ...defaults.watcher, pollMillis: values.watcherPollMillis },
    outbox: defaults.outbox
  })
)
