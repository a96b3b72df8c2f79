/** Settings of the orchestrator. */
import { Config, Option } from "effect"
import type { OrchestratorSettingsShape } from "../orchestrator/shared/OrchestratorSettings.ts"
import { chains, ChainsConfig } from "./Chains.ts"
import {
  BPS,
  chainIds,
  defaultsOf,
  integer,
  list,
  NON_NEGATIVE,
  oneOf,
  optional,
  POSITIVE,
  secret,
  secrets,
  setting,
  tokensByChain,
  valuesOf,
  wei
} from "./Setting.ts"

/** At least a week, which is longer than the deepest reorganisation and the longest outage that was planned for. */
const KEPT_DAYS = { from: 7, to: 36_500 }

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
  adminToken: secret({
    name: "ORCH_ADMIN_TOKEN",
    meaning: "Bearer token of the operator routes. If not set, these routes are closed."
  }),
  rateLimit: setting({
    name: "RATE_LIMIT",
    default: 100,
    check: integer(POSITIVE),
    meaning: "Requests per client and minute on the public routes."
  }),
  relayerKeys: secrets({
    name: "RELAYER_KEYS",
    required: true,
    meaning:
      "Private keys of the relayer's lanes, separated by commas and used on every chain. None may be the key of a delegated account."
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
  quoteLifetimeSeconds: setting({
    name: "QUOTE_LIFETIME_SECONDS",
    default: 120,
    check: integer(POSITIVE),
    meaning: "Lifetime of a quote, in seconds."
  }),
  orderGraceSeconds: setting({
    name: "ORDER_GRACE_SECONDS",
    default: 600,
    check: integer(NON_NEGATIVE),
    meaning: "Time after the expiry of its quote in which an order can still settle, in seconds."
  }),
  slippageBps: setting({
    name: "SLIPPAGE_BPS",
    default: 50,
    check: integer(BPS),
    meaning: "Slippage tolerance of a same-chain swap, in basis points."
  }),
  clearanceLifetimeSeconds: setting({
    name: "CLEARANCE_LIFETIME_SECONDS",
    default: 60,
    check: integer(NON_NEGATIVE),
    meaning:
      "Maximum age of a sanctions clearance when the relayer sends, in seconds. While screening does not answer, quotes and submissions rely on clearances up to this age."
  }),
  ofacSnapshot: optional({
    name: "OFAC_SNAPSHOT",
    check: Config.NonEmptyString,
    meaning: "File with sanctioned addresses to block in addition to those of the on-chain oracle."
  }),
  minLaneBalance: setting({
    name: "MIN_LANE_BALANCE_WEI",
    default: 10n ** 16n,
    check: wei,
    meaning:
      "Minimum balance of a lane, in wei. A lane below it pauses and raises an alert. A chain can have its own: `minLaneBalanceWei` in the chains file."
  }),
  relayerBatch: setting({
    name: "RELAYER_BATCH",
    default: 64,
    check: integer({ from: 1, to: 100 }),
    meaning: "Maximum number of sweeps in one transaction."
  }),
  unlistedSweepGas: setting({
    name: "UNLISTED_SWEEP_GAS",
    default: 700_000,
    check: integer({ from: 0, to: 16_777_216 }),
    meaning:
      "Maximum gas limit of a sweep of or into a token that is not on its chain's list. A sweep that needs more gets no quote."
  }),
  pausedChains: list({
    name: "RELAYER_PAUSED_CHAINS",
    check: chainIds,
    meaning:
      "Ids of chains on which the relayer sends nothing, separated by commas. Transactions already sent are followed until they conclude."
  }),
  dailySpendCap: optional({
    name: "DAILY_SPEND_CAP_WEI",
    check: wei,
    meaning:
      "Maximum gas cost of all lanes of one chain in 24 hours, in wei. Above it, the relayer sends nothing there. A chain can have its own: `dailySpendCapWei` in the chains file."
  }),
  unlistedLossBudget: setting({
    name: "UNLISTED_LOSS_BUDGET_WEI",
    default: 2n * 10n ** 16n,
    check: wei,
    meaning:
      "Maximum loss of all sweeps with unlisted tokens on one chain in one hour, in wei of ETH. With 0, only sweeps of listed tokens are served. A chain with another native currency has about the same worth of it, or none if the currency is unknown. A chain can have its own: `unlistedLossBudgetWei` in the chains file."
  }),
  lossBudget: setting({
    name: "LOSS_BUDGET_WEI",
    default: 2n * 10n ** 16n,
    check: wei,
    meaning:
      "Loss of all sweeps of listed tokens on one chain in one hour, in wei of ETH, at which sweeps of owners and networks that caused losses wait. A chain can have its own: `lossBudgetWei` in the chains file."
  }),
  networkFeeToleranceBps: setting({
    name: "NETWORK_FEE_TOLERANCE_BPS",
    default: 1_000,
    check: integer(BPS),
    meaning:
      "Excess of a sweep's present cost over the value of its network fee at which it is still sent, in basis points of the value. Above it, the sweep waits for a lower price of gas."
  }),
  networkFeeLossBps: setting({
    name: "NETWORK_FEE_LOSS_BPS",
    default: 5_000,
    check: integer(BPS),
    meaning:
      "Maximum loss on a sweep whose gas becomes dearer after it was sent, in basis points of the value of its network fee. No version of its transaction may cost more. `LOSS_BUDGET_WEI` limits the losses of an hour."
  }),
  ownerFailureBudget: setting({
    name: "OWNER_FAILURE_BUDGET",
    default: 3,
    check: integer(POSITIVE),
    meaning: "Failed sweeps of one owner in one hour, after which further sweeps of the owner wait."
  }),
  builderFailureBudget: setting({
    name: "BUILDER_FAILURE_BUDGET",
    default: 50,
    check: integer(POSITIVE),
    meaning: "Failed sweeps of one builder in one hour, at which the alert `builder_failing` is raised."
  }),
  relayerPollMillis: setting({
    name: "RELAYER_POLL_MILLIS",
    default: 1_000,
    check: integer(POSITIVE),
    meaning: "Interval at which the relayer looks for work that no event announced, in milliseconds."
  }),
  rebroadcastSeconds: setting({
    name: "REBROADCAST_SECONDS",
    default: 15,
    check: integer(POSITIVE),
    meaning: "Age at which an unconfirmed transaction is broadcast again, in seconds."
  }),
  bumpSeconds: setting({
    name: "BUMP_SECONDS",
    default: 45,
    check: integer(POSITIVE),
    meaning: "Age at which an unconfirmed transaction is replaced with higher fees, in seconds."
  }),
  watcherPollMillis: setting({
    name: "WATCHER_POLL_MILLIS",
    default: 1_000,
    check: integer(POSITIVE),
    meaning: "Interval at which the watcher looks for work, in milliseconds. It reads a chain only while there is some."
  }),
  builderUrl: optional({
    name: "BUILDER_URL",
    check: Config.URL,
    meaning: "Base URL of the builder backend. If not set, sweeps are not attributed."
  }),
  builderToken: secret({
    name: "BUILDER_ADMIN_TOKEN",
    meaning:
      "`ADMIN_TOKEN` of the builder backend, with which accruals and revenue are posted. The backend does not limit attributions that carry it: without it, 100 quotes a minute are attributed."
  }),
  attributionCacheSeconds: setting({
    name: "ATTRIBUTION_CACHE_SECONDS",
    default: 0,
    check: integer(NON_NEGATIVE),
    meaning:
      "Time for which the builder of an API key is cached, in seconds. With 0, every attributed quote asks the builder backend, so that a rotated or suspended key stops attributing at once. With a cache it stops within this time."
  }),
  acrossApiUrl: setting({
    name: "ACROSS_API_URL",
    default: new URL("https://app.across.to/api"),
    check: Config.URL,
    meaning: "Base URL of the Across API, which quotes bridge fees."
  }),
  acrossFixedFeeBps: optional({
    name: "ACROSS_FIXED_FEE_BPS",
    check: integer(BPS),
    meaning:
      "Bridge fee in basis points, for networks without the Across API such as the local one. If set, the API is not called."
  }),
  keepQuotesHours: setting({
    name: "KEEP_QUOTES_HOURS",
    default: 24,
    check: integer({ from: 1, to: 8_760 }),
    meaning: "Age at which a quote that was never submitted is deleted, in hours. Its id is then unknown."
  }),
  keepMessagesDays: setting({
    name: "KEEP_MESSAGES_DAYS",
    default: 7,
    check: integer(KEPT_DAYS),
    meaning:
      "Age at which a booking that the builder backend acknowledged is deleted, in days. Acknowledged events are deleted at once. Rejected messages are kept."
  }),
  keepAttemptsDays: setting({
    name: "KEEP_ATTEMPTS_DAYS",
    default: 30,
    check: integer(KEPT_DAYS),
    meaning:
      "Age at which the signed versions of a final relay transaction are deleted, in days. The transaction and its hash are kept."
  }),
  keepEventsDays: setting({
    name: "KEEP_EVENTS_DAYS",
    default: 365,
    check: integer(KEPT_DAYS),
    meaning:
      "Age at which the history of an intent is deleted, in days. It is deleted by the month in which intents were created, once all of its events are of this age. The intent is kept."
  }),
  feeRecipientKey: secret({
    name: "FEE_RECIPIENT_KEY",
    meaning:
      "Private key of the fee recipient, with which the service sells collected fees. If not set, it sells nothing: `./sweep treasury plan` prints the sales for a Safe."
  }),
  treasuryAssets: list({
    name: "TREASURY_ASSETS",
    check: tokensByChain,
    meaning:
      "Token that collected fees are sold into on each chain, as `<chain id>:<address>`, separated by commas. Fees of other chains are kept as they are."
  }),
  treasuryIntervalHours: setting({
    name: "TREASURY_INTERVAL_HOURS",
    default: 24,
    check: integer({ from: 0, to: 8_760 }),
    meaning: "Interval at which collected fees are sold, in hours. With 0, only `./sweep treasury sell` sells them."
  }),
  treasuryMinUsd: setting({
    name: "TREASURY_MIN_USD",
    default: 25,
    check: integer(NON_NEGATIVE),
    meaning: "Minimum value of a balance of collected fees that is sold, in US dollars."
  }),
  treasuryMaxUsd: setting({
    name: "TREASURY_MAX_USD",
    default: 10_000,
    check: integer(POSITIVE),
    meaning: "Maximum value of one sale of collected fees, in US dollars. A larger balance is sold in several lots."
  }),
  treasuryToleranceBps: setting({
    name: "TREASURY_TOLERANCE_BPS",
    default: 300,
    check: integer(BPS),
    meaning:
      "Maximum difference between the value of the sold fees and the least output of their sale, in basis points. A sale that differs by more is not made."
  }),
  prices: setting({
    name: "PRICES",
    default: "onchain",
    check: oneOf("onchain", "defillama"),
    meaning:
      "Sources of US dollar prices: `onchain` for Uniswap v3 pools and the Chainlink feeds of the chains file, `defillama` for DefiLlama beside them. The median counts."
  }),
  priceMaxDeviationBps: setting({
    name: "PRICE_MAX_DEVIATION_BPS",
    default: 1_000,
    check: integer(BPS),
    meaning:
      "Distance from the last good price of a listed token, in basis points. A price further away counts once a second source confirms it or it has lasted for ten minutes. Until then the last good price counts and the alert `price_deviates` stands."
  }),
  priceMaxAgeSeconds: setting({
    name: "PRICE_MAX_AGE_SECONDS",
    default: 900,
    check: integer(NON_NEGATIVE),
    meaning: "Maximum age of the last good price of a listed token, in seconds. An older one does not count."
  }),
  priceMinDepthUsd: setting({
    name: "PRICE_MIN_DEPTH_USD",
    default: 200,
    check: integer(NON_NEGATIVE),
    meaning: "US dollars that a pool must pay before its price has moved by 3 %. Other pools do not count for prices."
  }),
  unlistedHaircutBps: setting({
    name: "UNLISTED_FEE_HAIRCUT_BPS",
    default: 2_000,
    check: integer({ from: 0, to: 9_999 }),
    meaning:
      "Part of what a fee in an unlisted token sells for that does not count, in basis points. A fee that does not cover the gas without it is declined."
  })
} as const

export const OrchestratorConfig = valuesOf(orchestrator)

type Values = ReturnType<typeof defaultsOf<typeof orchestrator>>
type ChainsValues = ReturnType<typeof defaultsOf<typeof chains>>

/** The use cases' settings. The environment cannot change the numbers here. */
const asUseCaseSettings = (ofChains: ChainsValues, values: Values): OrchestratorSettingsShape => ({
  domainName: ofChains.domainName,
  fees: {
    protocolBps: { tier1: values.protocolBpsTier1, tier2: values.protocolBpsTier2, tier3: values.protocolBpsTier3 },
    subscriberShareBps: values.subscriberShareBps,
    networkMarginBps: values.networkMarginBps
  },
  quoteLifetimeMillis: values.quoteLifetimeSeconds * 1000,
  orderGraceSeconds: values.orderGraceSeconds,
  slippageBps: values.slippageBps,
  defaultSourceChain: Option.getOrUndefined(ofChains.defaultSourceChain),
  clearanceLifetimeMillis: values.clearanceLifetimeSeconds * 1000,
  relayer: {
    pollMillis: values.relayerPollMillis,
    leaseMillis: 30_000,
    batch: values.relayerBatch,
    unlistedSweepGas: BigInt(values.unlistedSweepGas),
    batchesPerLane: 2,
    rebroadcastMillis: values.rebroadcastSeconds * 1000,
    bumpMillis: values.bumpSeconds * 1000,
    pausedChains: values.pausedChains,
    dailySpendCap: Option.getOrUndefined(values.dailySpendCap),
    unlistedLossBudget: values.unlistedLossBudget,
    lossBudget: values.lossBudget,
    feeCover: { toleranceBps: values.networkFeeToleranceBps, lossBps: values.networkFeeLossBps },
    failureBudget: {
      owner: values.ownerFailureBudget,
      builder: values.builderFailureBudget,
      windowMillis: 3_600_000
    },
    minLaneBalance: values.minLaneBalance
  },
  prices: {
    maxDeviationBps: values.priceMaxDeviationBps,
    maxAgeMillis: values.priceMaxAgeSeconds * 1000,
    minDepthUsd: values.priceMinDepthUsd,
    unlistedHaircutBps: values.unlistedHaircutBps
  },
  watcher: { pollMillis: values.watcherPollMillis, batch: 500 },
  outbox: { pollMillis: 1_000, leaseMillis: 30_000, batch: 50 },
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
