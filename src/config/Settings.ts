/**
 * Every setting, once, with its default and its meaning. The services read them from the environment through Effect's
 * Config; `./sweep settings` and the README print this list.
 */
import { Config, Option } from "effect"
import { builder } from "./Builder.ts"
import { chains, common } from "./Common.ts"
import { mcp } from "./Mcp.ts"
import { orchestrator } from "./Orchestrator.ts"
import { type Documented, secret, type Setting } from "./Setting.ts"
import { defaults, type OrchestratorSettingsShape } from "../orchestrator/shared/OrchestratorSettings.ts"

export { builder, chains, common, mcp, orchestrator }
export type { Documented } from "./Setting.ts"

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
  { group: "MCP server", settings: Object.values(mcp) },
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

export const McpConfig = valuesOf(mcp)

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
