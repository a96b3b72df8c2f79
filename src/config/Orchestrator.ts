/** Settings of the orchestrator. */
import { Config, type Redacted } from "effect"
import { defaults } from "../orchestrator/shared/OrchestratorSettings.ts"
import {
  BPS,
  NON_NEGATIVE,
  POSITIVE,
  chainIds,
  integer,
  integerConfig,
  optional,
  secret,
  secrets,
  wei,
  withDefault,
  type Setting
} from "./Setting.ts"

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
