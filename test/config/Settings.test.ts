/** Settings are documented, have defaults, and reject invalid values. */
import { assert, describe, it } from "@effect/vitest"
import { Config, ConfigProvider, Effect, Option, Redacted, Result } from "effect"
import * as SettingsTables from "../../src/cli/SettingsTables.ts"
import { builder, BuilderConfig, builderDefaults, builderSettings } from "../../src/config/Builder.ts"
import { chains, ChainsConfig } from "../../src/config/Chains.ts"
import { common, CommonConfig } from "../../src/config/Common.ts"
import { deployment } from "../../src/config/Deployment.ts"
import * as Address from "../../src/domain/Address.ts"
import { mcp } from "../../src/config/Mcp.ts"
import {
  orchestrator,
  OrchestratorConfig,
  orchestratorDefaults,
  orchestratorSettings
} from "../../src/config/Orchestrator.ts"
import { payouts } from "../../src/config/Payouts.ts"
import type { Setting } from "../../src/config/Setting.ts"
import { documented } from "../../src/config/Settings.ts"
import { wallet } from "../../src/config/Wallet.ts"

type Environment = Readonly<Record<string, string>>

const provider = (env: Environment) => ConfigProvider.fromEnv({ env: { ...env } })

const everything = Config.all({
  common: CommonConfig,
  chains: ChainsConfig,
  orchestrator: OrchestratorConfig,
  builder: BuilderConfig,
  deployerKey: deployment.deployerKey.config,
  vaultKey: payouts.vaultKey.config
})

const settings = documented.flatMap((group) => group.settings)

/** Names of secrets: keys, tokens, passwords, and URLs that contain one. */
const SECRET =
  /(?<!_KMS)_KEYS?$|_TOKEN$|_SECRET$|_HEADERS$|^DATABASE_(?:LISTEN_)?URL$|^(?:REDIS|HEARTBEAT)_URL$|^ALERT_.*(?:WEBHOOK|SLACK)_URL$/

describe("the documented settings", () => {
  it("have unique names, and meanings that are sentences", () => {
    const names = settings.map(({ name }) => name)
    assert.deepStrictEqual([...new Set(names)], names)
    for (const { meaning, name } of settings) {
      assert.match(name, /^[A-Z][A-Z0-9_]+$/)
      assert.match(meaning, /^[A-Z`].{15,}[.]$/, name)
      assert.notMatch(meaning, /\s\s|\n|undefined|TODO/, name)
    }
  })

  it.effect("read as their documented defaults: written down, these change nothing", () =>
    Effect.gen(function* () {
      const written = Object.fromEntries(
        settings.flatMap(({ fallback, name }) => (fallback === undefined ? [] : [[name, fallback]]))
      )
      assert.deepStrictEqual(yield* everything.parse(provider(written)), yield* everything.parse(provider({})))
    })
  )

  it("are all printed, as text and as tables", () => {
    const [text, markdown] = [SettingsTables.asText(), SettingsTables.asMarkdown()]
    for (const { fallback, meaning, name, required, secret } of settings) {
      const mark = required ? " (required)" : ""
      assert.include(text, `  ${name}${mark}\n      ${meaning}${secret ? " Secret." : ""}`)
      const shown = required ? "required" : fallback === undefined ? "" : `\`${fallback}\``
      assert.include(markdown, `| \`${name}\` | ${shown} | ${meaning}${secret ? " Secret." : ""} |`)
    }
  })
})

describe("required settings", () => {
  it("are those without which a command refuses to run", () => {
    assert.deepStrictEqual(
      settings.filter(({ required }) => required).map(({ name }) => name),
      ["RELAYER_KEYS", "SERVICE_ORCHESTRATOR_URL", "SERVICE_BUILDER_URL", "DEPLOYER_KEY", "VAULT_KEY", "OWNER_KEY"]
    )
  })
})

describe("an empty environment", () => {
  it.effect("gives the use cases their defaults", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* orchestratorSettings.parse(provider({})), orchestratorDefaults)
      assert.deepStrictEqual(yield* builderSettings.parse(provider({})), builderDefaults)
    })
  )

  it.effect("has no secrets", () =>
    Effect.gen(function* () {
      const { adminToken, builderToken, relayerKeys } = yield* OrchestratorConfig.parse(provider({}))
      assert.deepStrictEqual([adminToken, builderToken], [Option.none(), Option.none()])
      assert.deepStrictEqual(relayerKeys, [])
    })
  )
})

describe("an empty variable", () => {
  const groups: ReadonlyArray<Readonly<Record<string, Setting<unknown>>>> = [
    builder,
    chains,
    common,
    deployment,
    mcp,
    orchestrator,
    payouts,
    wallet
  ]
  const all = groups.flatMap((group) => Object.values(group))

  it("is tried with all settings", () => {
    assert.sameMembers(
      all.map(({ name }) => name),
      settings.map(({ name }) => name)
    )
  })

  it.effect.each(all.map((each) => [each.name, each] as const))("%s counts as not set", ([name, { config }]) =>
    Effect.gen(function* () {
      const absent = yield* Effect.result(config.parse(provider({})))
      // A setting that its command cannot do without stays an error.
      if (Result.isFailure(absent)) return assert.isTrue(all.find((each) => each.name === name)?.required)
      for (const value of ["", " "]) {
        assert.deepStrictEqual(yield* config.parse(provider({ [name]: value })), absent.success)
      }
    })
  )
})

describe("settings", () => {
  it.effect("reach the use cases", () =>
    Effect.gen(function* () {
      const changed = yield* orchestratorSettings.parse(
        provider({
          EIP712_DOMAIN_NAME: "Renamed",
          PROTOCOL_BPS_TIER1: "1",
          PROTOCOL_BPS_TIER2: "2",
          PROTOCOL_BPS_TIER3: "3",
          SUBSCRIBER_SHARE_BPS: "4",
          NETWORK_FEE_MARGIN_BPS: "5",
          QUOTE_LIFETIME_SECONDS: "6",
          ORDER_GRACE_SECONDS: "7",
          SLIPPAGE_BPS: "8",
          SLIPPAGE_MIN_BPS: "26",
          SLIPPAGE_MAX_BPS: "27",
          TRANSFER_FEE_MAX_BPS: "28",
          DEFAULT_SOURCE_CHAIN: "9",
          CLEARANCE_LIFETIME_SECONDS: "10",
          MIN_LANE_BALANCE_WEI: "123456789012345678901234567890",
          RELAYER_POLL_MILLIS: "11",
          REBROADCAST_SECONDS: "12",
          BUMP_SECONDS: "13",
          WATCHER_POLL_MILLIS: "14",
          KEEP_QUOTES_HOURS: "15",
          KEEP_MESSAGES_DAYS: "16",
          KEEP_ATTEMPTS_DAYS: "17",
          KEEP_EVENTS_DAYS: "18",
          PRICE_MAX_DEVIATION_BPS: "22",
          PRICE_MAX_AGE_SECONDS: "23",
          PRICE_MIN_SOURCES: "2",
          PRICE_MIN_DEPTH_USD: "24",
          UNLISTED_FEE_HAIRCUT_BPS: "25",
          TREASURY_ASSETS: `8453:0x${"0a".repeat(20)}, 10:0x${"0b".repeat(20)}`,
          TREASURY_INTERVAL_HOURS: "0",
          TREASURY_MIN_USD: "19",
          TREASURY_MAX_USD: "20",
          TREASURY_TOLERANCE_BPS: "21",
          ROLE_LIFETIME_SECONDS: "29"
        })
      )
      assert.deepStrictEqual(changed, {
        domainName: "Renamed",
        fees: { protocolBps: { tier1: 1, tier2: 2, tier3: 3 }, subscriberShareBps: 4, networkMarginBps: 5 },
        feeRules: [],
        quoteLifetimeMillis: 6_000,
        orderGraceSeconds: 7,
        slippage: { fixedBps: 8, floorBps: 26, capBps: 27 },
        maxTransferFeeBps: 28,
        defaultSourceChain: 9,
        clearanceLifetimeMillis: 10_000,
        roles: { lifetimeMillis: 29_000 },
        relayer: {
          ...orchestratorDefaults.relayer,
          minLaneBalance: 123456789012345678901234567890n,
          pollMillis: 11,
          rebroadcastMillis: 12_000,
          bumpMillis: 13_000
        },
        prices: { maxDeviationBps: 22, maxAgeMillis: 23_000, minSources: 2, minDepthUsd: 24, unlistedHaircutBps: 25 },
        watcher: { ...orchestratorDefaults.watcher, pollMillis: 14 },
        outbox: orchestratorDefaults.outbox,
        treasury: {
          ...orchestratorDefaults.treasury,
          assets: [
            { chainId: 8453, token: Address.of(`0x${"0a".repeat(20)}`) },
            { chainId: 10, token: Address.of(`0x${"0b".repeat(20)}`) }
          ],
          intervalMillis: undefined,
          minValue: 19n * 10n ** 18n,
          maxValue: 20n * 10n ** 18n,
          toleranceBps: 21
        },
        retention: {
          ...orchestratorDefaults.retention,
          quotesMillis: 54_000_000,
          messagesMillis: 1_382_400_000,
          attemptsMillis: 1_468_800_000,
          eventsMillis: 1_555_200_000
        }
      })
    })
  )

  it.effect("that are lists are separated by commas, and secrets stay secret", () =>
    Effect.gen(function* () {
      const { relayerKeys } = yield* OrchestratorConfig.parse(provider({ RELAYER_KEYS: " 0x01, 0x02,, " }))
      assert.deepStrictEqual(
        relayerKeys.map((key) => Redacted.value(key)),
        ["0x01", "0x02"]
      )
      assert.notInclude(JSON.stringify(relayerKeys), "0x01")
      const { dashboardOrigins } = yield* BuilderConfig.parse(
        provider({ DASHBOARD_URL: "https://builders.example/path, http://localhost:3000" })
      )
      assert.deepStrictEqual(dashboardOrigins, ["https://builders.example", "http://localhost:3000"])
    })
  )

  it.effect("that hold keys, tokens or passwords are marked as secret, and no others", () =>
    Effect.gen(function* () {
      const secrets = settings.flatMap(({ name, secret }) => (secret ? [name] : []))
      assert.deepStrictEqual(
        secrets,
        // A key in a KMS is named, not shown.
        settings.map(({ name }) => name).filter((name) => SECRET.test(name))
      )
      const marked = Object.fromEntries(secrets.map((name) => [name, `${name} is HIDDEN`]))
      const values = yield* everything.parse(provider(marked))
      const printed = JSON.stringify(values, (_key, value: unknown) => (typeof value === "bigint" ? `${value}` : value))
      assert.notInclude(printed, "HIDDEN")
    })
  )

  const bad: ReadonlyArray<readonly [name: string, ...values: ReadonlyArray<string>]> = [
    ["LOG_LEVEL", "loud"],
    ["LOG_FORMAT", "xml"],
    ["DATABASE_POOL_SIZE", "0", "2", "-1", "ten", "1.5", "1e3"],
    ["TRUSTED_PROXY_HOPS", "-1", "0x1"],
    ["ORCHESTRATOR_PORT", "70000", "http"],
    ["RATE_LIMIT", "0", "99999999999999999999"],
    ["EIP712_DOMAIN_NAME", "a name of more than thirty-one bytes"],
    ["PROTOCOL_BPS_TIER1", "10001", "-5"],
    ["SUBSCRIBER_SHARE_BPS", "10001"],
    ["QUOTE_LIFETIME_SECONDS", "0"],
    ["SLIPPAGE_BPS", "10001", "-1", "half"],
    ["SLIPPAGE_MIN_BPS", "10001", "-1", "half"],
    ["SLIPPAGE_MAX_BPS", "10001", "-1", "half"],
    ["TRANSFER_FEE_MAX_BPS", "5001", "-1", "half"],
    ["DEFAULT_SOURCE_CHAIN", "base", "0"],
    ["MIN_LANE_BALANCE_WEI", "-1", "0.1", "1 ether"],
    ["BUILDER_URL", "builder"],
    ["ACROSS_API_URL", "across"],
    ["ACROSS_FIXED_FEE_BPS", "10001"],
    ["ACROSS_V1_API_URL", "across"],
    ["ACROSS_ONCHAIN_FEE_BPS", "10001"],
    ["PRICES", "guess"],
    ["BUILDER_PORT", "-1"],
    ["SELF_SIGNUP_ENABLED", "perhaps"],
    ["DASHBOARD_URL", "dashboard"],
    ["GATEWAY_JWKS_URL", "keys"]
  ]

  it.effect.each(bad)("%s is refused by name where it makes no sense", ([name, ...values]) =>
    Effect.forEach(values, (value) =>
      Effect.gen(function* () {
        const error = yield* Effect.flip(everything.parse(provider({ [name]: value })))
        assert.include(error.message, `["${name}"]`, value)
      })
    )
  )
})
