/** Settings of the orchestrator. */
import { Config, Option } from "effect"
import type { OrchestratorSettingsShape } from "../orchestrator/shared/OrchestratorSettings.ts"
import { chains, ChainsConfig } from "./Chains.ts"
import { kms } from "./Kms.ts"
import { fees } from "./orchestrator/Fees.ts"
import { across } from "./orchestrator/Across.ts"
import { bridges } from "./orchestrator/Bridges.ts"
import { discovery } from "./orchestrator/Discovery.ts"
import { prices } from "./orchestrator/Prices.ts"
import { relaying } from "./orchestrator/Relaying.ts"
import { retention } from "./orchestrator/Retention.ts"
import { routeProviders } from "./orchestrator/RouteProviders.ts"
import { risk } from "./orchestrator/Risk.ts"
import { screening } from "./orchestrator/Screening.ts"
import { trading } from "./orchestrator/Trading.ts"
import { treasury } from "./orchestrator/Treasury.ts"
import {
  BPS,
  defaultsOf,
  integer,
  NON_NEGATIVE,
  optional,
  POSITIVE,
  secrets,
  sentToken,
  setting,
  tokens,
  valuesOf
} from "./Setting.ts"

const DAY_MILLIS = 86_400_000

/** One US dollar in the scale of values. */
const USD = 10n ** 18n

export const orchestrator = {
  port: setting({
    name: "ORCHESTRATOR_PORT",
    default: 8787,
    check: Config.Port,
    meaning: "Port of the orchestrator."
  }),
  adminToken: tokens({
    name: "ORCH_ADMIN_TOKEN",
    meaning:
      "Bearer token of the operator routes. Former tokens follow, separated by commas, each with the date from which it is refused (`new,old@2026-12-01`) or without one. If not set, these routes are closed."
  }),
  rateLimit: setting({
    name: "RATE_LIMIT",
    default: 100,
    check: integer(POSITIVE),
    meaning: "Requests per client and minute on the public routes."
  }),
  roleLifetimeSeconds: setting({
    name: "ROLE_LIFETIME_SECONDS",
    default: 30,
    check: integer({ from: 3, to: 3_600 }),
    meaning:
      "Time without a sign of life of any process after which a role, or a role's chain, raises the alert `role_unserved`, in seconds. The same in all processes."
  }),
  relayerKeys: secrets({
    name: "RELAYER_KEYS",
    required: true,
    meaning:
      "Keys of the relayer's lanes, separated by commas and used on every chain. Each is a private key, or says where the key is: `keystore:<file>`, `awskms:…`, `gcpkms:…` or `remote:<URL>#<address>`. None may be the key of a delegated account."
  }),
  protocolBpsTier1: setting({
    name: "PROTOCOL_BPS_TIER1",
    default: 25,
    check: integer(BPS),
    meaning: "Protocol fee of tier 1, in basis points."
  }),
  protocolBpsTier2: setting({
    name: "PROTOCOL_BPS_TIER2",
    default: 50,
    check: integer(BPS),
    meaning: "Protocol fee of tier 2, in basis points."
  }),
  protocolBpsTier3: setting({
    name: "PROTOCOL_BPS_TIER3",
    default: 100,
    check: integer(BPS),
    meaning: "Protocol fee of tier 3, in basis points."
  }),
  subscriberShareBps: setting({
    name: "SUBSCRIBER_SHARE_BPS",
    default: 5_000,
    check: integer(BPS),
    meaning: "Share of the protocol fee that subscribers pay, in basis points of the fee."
  }),
  networkMarginBps: setting({
    name: "NETWORK_FEE_MARGIN_BPS",
    default: 2_000,
    check: integer({ from: 0, to: 100_000 }),
    meaning: "Margin on the estimated network cost of a sweep, in basis points of the cost."
  }),
  ...fees,
  quoteLifetimeSeconds: setting({
    name: "QUOTE_LIFETIME_SECONDS",
    default: 120,
    check: integer(POSITIVE),
    meaning:
      "Lifetime of a quote, in seconds. At most 3600 together with `ORDER_GRACE_SECONDS`, since clients refuse later deadlines, and at most `KEEP_QUOTES_HOURS`."
  }),
  orderGraceSeconds: setting({
    name: "ORDER_GRACE_SECONDS",
    default: 600,
    check: integer(NON_NEGATIVE),
    meaning:
      "Time after the expiry of its quote in which an order can still settle, in seconds. At most 3600 together with `QUOTE_LIFETIME_SECONDS`."
  }),
  ...trading,
  clearanceLifetimeSeconds: setting({
    name: "CLEARANCE_LIFETIME_SECONDS",
    default: 60,
    check: integer(NON_NEGATIVE),
    meaning:
      "Maximum age of a sanctions clearance when the relayer sends, in seconds. While screening does not answer, quotes and submissions rely on clearances up to this age."
  }),
  ...screening,
  ...risk,
  ...relaying,
  builderUrl: optional({
    name: "BUILDER_URL",
    check: Config.URL,
    meaning: "Base URL of the builder backend. If not set, sweeps are not attributed."
  }),
  builderToken: sentToken({
    name: "BUILDER_ADMIN_TOKEN",
    meaning:
      "`ADMIN_TOKEN` of the builder backend, of which the current token is sent, with which accruals and revenue are posted. The backend does not limit attributions that carry it: without it, 100 quotes a minute are attributed."
  }),
  attributionCacheSeconds: setting({
    name: "ATTRIBUTION_CACHE_SECONDS",
    default: 0,
    check: integer(NON_NEGATIVE),
    meaning:
      "Time for which the builder of an API key is cached, in seconds. With 0, every attributed quote asks the builder backend, so that a rotated or suspended key stops attributing at once. With a cache it stops within this time."
  }),
  ...across,
  ...bridges,
  ...retention,
  ...treasury,
  ...kms,
  ...discovery,
  ...prices,
  ...routeProviders
} as const

export const OrchestratorConfig = valuesOf(orchestrator)

/** Values of all settings of the orchestrator. */
export type OrchestratorValues = ReturnType<typeof defaultsOf<typeof orchestrator>>

type Values = OrchestratorValues
type ChainsValues = ReturnType<typeof defaultsOf<typeof chains>>

/** The use cases' settings. The environment cannot change the numbers here. */
const asUseCaseSettings = (ofChains: ChainsValues, values: Values): OrchestratorSettingsShape => ({
  domainName: ofChains.domainName,
  fees: {
    protocolBps: { tier1: values.protocolBpsTier1, tier2: values.protocolBpsTier2, tier3: values.protocolBpsTier3 },
    subscriberShareBps: values.subscriberShareBps,
    networkMarginBps: values.networkMarginBps
  },
  feeRules: [],
  quoteLifetimeMillis: values.quoteLifetimeSeconds * 1000,
  orderGraceSeconds: values.orderGraceSeconds,
  slippage: {
    fixedBps: Option.getOrUndefined(values.slippageBps),
    floorBps: values.slippageMinBps,
    capBps: values.slippageMaxBps
  },
  maxTransferFeeBps: values.transferFeeMaxBps,
  defaultSourceChain: Option.getOrUndefined(ofChains.defaultSourceChain),
  clearanceLifetimeMillis: values.clearanceLifetimeSeconds * 1000,
  relayer: {
    pollMillis: values.relayerPollMillis,
    leaseMillis: 30_000,
    batch: values.relayerBatch,
    unlistedSweepGas: BigInt(values.unlistedSweepGas),
    batchesPerLane: 2,
    gatherMillis: 50,
    rebroadcastMillis: values.rebroadcastSeconds * 1000,
    bumpMillis: values.bumpSeconds * 1000,
    pausedChains: values.pausedChains,
    dailySpendCap: Option.getOrUndefined(values.dailySpendCap),
    unlistedLossBudget: values.unlistedLossBudget,
    lossBudget: values.lossBudget,
    firstSweepsLossBudget: values.firstSweepsLossBudget,
    feeCover: { toleranceBps: values.networkFeeToleranceBps, lossBps: values.networkFeeLossBps },
    failureBudget: {
      owner: values.ownerFailureBudget,
      builder: values.builderFailureBudget,
      windowMillis: 3_600_000
    },
    laneRestRecipients: values.laneRestRecipients,
    minLaneBalance: values.minLaneBalance
  },
  prices: {
    maxDeviationBps: values.priceMaxDeviationBps,
    maxAgeMillis: values.priceMaxAgeSeconds * 1000,
    minSources: values.priceMinSources,
    minDepthUsd: values.priceMinDepthUsd,
    unlistedHaircutBps: values.unlistedHaircutBps
  },
  watcher: { pollMillis: values.watcherPollMillis, batch: 500 },
  outbox: { pollMillis: 1_000, leaseMillis: 30_000, batch: 50 },
  roles: { lifetimeMillis: values.roleLifetimeSeconds * 1000 },
  treasury: {
    assets: values.treasuryAssets,
    intervalMillis: values.treasuryIntervalHours === 0 ? undefined : values.treasuryIntervalHours * 3_600_000,
    minValue: BigInt(values.treasuryMinUsd) * USD,
    maxValue: BigInt(values.treasuryMaxUsd) * USD,
    toleranceBps: values.treasuryToleranceBps,
    pollMillis: 5_000,
    lotPauseMillis: 600_000
  },
  retention: {
    quotesMillis: values.keepQuotesHours * 3_600_000,
    messagesMillis: values.keepMessagesDays * DAY_MILLIS,
    attemptsMillis: values.keepAttemptsDays * DAY_MILLIS,
    eventsMillis: values.keepEventsDays * DAY_MILLIS,
    alertsMillis: 90 * DAY_MILLIS
  }
})

/** The use cases' settings, as the environment sets them. */
export const orchestratorSettings = Config.map(Config.all([ChainsConfig, OrchestratorConfig]), ([ofChains, values]) =>
  asUseCaseSettings(ofChains, values)
)

/** The use cases' settings in an empty environment. */
export const orchestratorDefaults = asUseCaseSettings(defaultsOf(chains), defaultsOf(orchestrator))
