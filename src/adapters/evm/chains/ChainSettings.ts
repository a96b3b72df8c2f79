/**
 * One entry of the chains file: an operator's settings of a chain, completed with public facts about it and with the computed
 * addresses of its contracts.
 */
import { Effect, Schema } from "effect"
import { MULTICALL3, PERMIT2 } from "../../../catalog/Facts.ts"
import { KNOWN_CHAINS } from "../../../catalog/KnownChains.ts"
import * as Address from "../../../domain/Address.ts"
import * as Assets from "../../../domain/Assets.ts"
import { type Chain, DataFeeModel, Deployment } from "../../../domain/Chain.ts"
import * as ChainMoney from "../../../domain/ChainMoney.ts"
import { ChainId } from "../../../domain/ChainId.ts"
import * as PriceFacts from "../../../domain/PriceFacts.ts"
import { RpcEndpoint, RpcUrl } from "../../../domain/RpcEndpoint.ts"
import * as SwapTarget from "../../../domain/SwapTarget.ts"
import { TokenInfo } from "../../../domain/Token.ts"
import * as Venue from "../../../domain/Venue.ts"
import * as SweepDeployment from "../contracts/Deployment.ts"

const DAY_SECONDS = 86_400

const isWebSocketUrl = (text: string): boolean => URL.canParse(text) && /^wss?:$/.test(new URL(text).protocol)

const WebSocketUrl = Schema.String.check(
  Schema.makeFilter((text: string) => isWebSocketUrl(text) || "expected a ws or wss URL")
)

/** Used in route hints, which ignore case and also accept ids. */
const ChainName = Schema.String.check(
  Schema.isPattern(/^[a-z](?:[a-z0-9._ -]*[a-z0-9])?$/, {
    message: "expected a name that begins with a letter, of lower-case letters, digits, spaces and . _ -"
  })
)

/** A chain's entry, completed with known facts. */
export const ChainSettings = Schema.Struct({
  id: ChainId,
  name: ChainName,
  nativeSymbol: Schema.NonEmptyString,
  /**
   * JSON-RPC endpoints, preferred first: URLs, or objects with limits. They may contain API keys, so they never appear in logs
   * or answers.
   */
  rpcUrls: Schema.NonEmptyArray(Schema.Union([RpcUrl, RpcEndpoint])),
  /** Endpoints to which transactions are sent instead, all of them at once. Default: `rpcUrls`. They may contain API keys. */
  broadcastUrls: Schema.optionalKey(Schema.NonEmptyArray(Schema.Union([RpcUrl, RpcEndpoint]))),
  /** Private endpoints, to which transactions are sent first, all of them at once. They may contain API keys. Default: none. */
  privateUrls: Schema.optionalKey(Schema.NonEmptyArray(Schema.Union([RpcUrl, RpcEndpoint]))),
  /** Time without inclusion after which a transaction of `privateUrls` goes public. Default: 30 seconds. */
  publicAfterSeconds: Schema.optionalKey(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 600 }))),
  /** WebSocket URL for new heads. Default: the node is polled, as while the connection is down. May contain an API key. */
  wsUrl: Schema.optionalKey(WebSocketUrl),
  /** Recipient of protocol fees. */
  feeRecipient: Address.NonZeroAddress,
  /** Recipient of builder fees that are paid out in batches. Default: `feeRecipient`. */
  builderVault: Schema.optionalKey(Address.NonZeroAddress),
  /** Former vaults, whose payments still count, as after a restore. Default: none. */
  formerVaults: Schema.optionalKey(Schema.Array(Address.NonZeroAddress)),
  /** Administrator of the guard's allow-list. It cannot change after deployment: the contracts' addresses depend on it. */
  guardOwner: Address.NonZeroAddress,
  timelockSeconds: SweepDeployment.Deployment.fields.timelockSeconds.pipe(
    Schema.withDecodingDefaultKey(Effect.succeed(2 * DAY_SECONDS))
  ),
  wrappedNative: Address.NonZeroAddress,
  stables: Schema.Array(Address.NonZeroAddress),
  swapRouter: Schema.optionalKey(Address.NonZeroAddress),
  quoter: Schema.optionalKey(Address.NonZeroAddress),
  ...Venue.fields,
  spokePool: Schema.optionalKey(Address.NonZeroAddress),
  /** Former SpokePools, in which orders under way are still followed. Default: none. */
  formerSpokePools: Schema.optionalKey(Schema.Array(Address.NonZeroAddress)),
  spokePoolPeriphery: Schema.optionalKey(Address.NonZeroAddress),
  multicallHandler: Schema.optionalKey(Address.NonZeroAddress),
  permit2: Address.NonZeroAddress.pipe(Schema.withDecodingDefaultKey(Effect.succeed(Address.of(PERMIT2)))),
  multicall3: Address.NonZeroAddress.pipe(Schema.withDecodingDefaultKey(Effect.succeed(Address.of(MULTICALL3)))),
  sanctionsOracle: Address.NonZeroAddress,
  confirmations: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)),
  supportsSetCode: Schema.optionalKey(Schema.Boolean),
  blockTimeMillis: Schema.Int.check(Schema.isGreaterThan(0)),
  finalitySeconds: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThan(0))),
  dataFee: Schema.optionalKey(DataFeeModel),
  explorerUrl: Schema.optionalKey(Schema.String),
  ...ChainMoney.fields,
  ...PriceFacts.fields,
  ...Assets.fields,
  ...SwapTarget.fields,
  tokens: Schema.Array(TokenInfo),
  /** Addresses of contracts that were deployed by other means. Default: the computed addresses. */
  contracts: Schema.optionalKey(Deployment),
  /**
   * Addresses of contracts of earlier generations, the latest first. Intents that were quoted for them still settle. Each must be
   * deployed: while a guard does not answer, no sweep fails or expires. Default: those of `priorGuard`, or none if that is not set.
   */
  earlierContracts: Schema.optionalKey(Schema.Array(Deployment)),
  /** Guard of the first generation, if that was deployed on the chain. The addresses of the current contracts depend on it. */
  priorGuard: SweepDeployment.Deployment.fields.priorGuard
})
export type ChainSettings = typeof ChainSettings.Type

/** An entry as written in the file. Known facts about the chain may be omitted. */
export type ChainSettingsInput = typeof ChainSettings.Encoded

/** Completes an entry with known facts. The operator's settings take precedence, each asset for itself. */
export const withKnownFacts = (entry: unknown): unknown => {
  if (typeof entry !== "object" || entry === null || !("id" in entry)) return entry
  const known = typeof entry.id === "number" ? KNOWN_CHAINS[entry.id] : undefined
  const own: unknown = "assets" in entry ? entry.assets : undefined
  const confirmations = "confirmations" in entry ? Number(entry.confirmations) : 0
  const rules = known?.confirmationsByValue?.filter((rule) => rule.confirmations > confirmations)
  const first = "swapRouter" in entry ? String(entry.swapRouter).toLowerCase() : undefined
  const venues = known?.venues?.filter(({ router }) => router.toLowerCase() !== first)
  return {
    ...known,
    // Rules that ask for fewer than the operator does mean nothing.
    ...(rules === undefined ? {} : { confirmationsByValue: rules }),
    // The operator may choose one of them as the first.
    ...(venues === undefined ? {} : { venues }),
    ...entry,
    ...(typeof own === "object" && own !== null && !Array.isArray(own) ? { assets: { ...known?.assets, ...own } } : {})
  }
}

/** Names of the assets whose token the operator states. */
export const ownAssets = ({ assets = {}, id }: ChainSettings): ReadonlyArray<string> => {
  const known = KNOWN_CHAINS[id]?.assets ?? {}
  return Object.keys(assets).filter((name) => known[name] !== assets[name])
}

/** Constructor arguments of the chain's contracts. Sweeps may call the swap router, the SpokePool and its periphery. */
export const deploymentOf = (settings: ChainSettings, domainName: string): SweepDeployment.Deployment => ({
  chainId: settings.id,
  guardOwner: settings.guardOwner,
  timelockSeconds: settings.timelockSeconds,
  feeRecipient: settings.feeRecipient,
  wrappedNative: settings.wrappedNative,
  domainName,
  ...(settings.priorGuard === undefined ? {} : { priorGuard: settings.priorGuard }),
  routers: [settings.swapRouter].filter((target) => target !== undefined),
  bridges: [settings.spokePool, settings.spokePoolPeriphery].filter((target) => target !== undefined)
})

/** The chain, with the addresses of its contracts. */
export const chainOf = (settings: ChainSettings, domainName: string): Chain => {
  const {
    broadcastUrls: _broadcastUrls,
    builderVault,
    contracts: _contracts,
    earlierContracts: _earlier,
    guardOwner: _owner,
    privateUrls: _privateUrls,
    publicAfterSeconds: _publicAfterSeconds,
    rpcUrls: _urls,
    timelockSeconds: _timelock,
    wsUrl: _wsUrl,
    ...facts
  } = settings
  return {
    ...facts,
    builderVault: builderVault ?? settings.feeRecipient,
    ...contractsOf(settings, domainName)
  }
}

const addressesOf = ({ contracts: { delegate, entry, guard } }: SweepDeployment.Plan): Deployment => ({
  delegate: delegate.address,
  guard: guard.address,
  entry: entry.address
})

/**
 * Contracts of the chain. The current ones are deployed by other means, or at the computed addresses. The first generation counts only if
 * the entry names it: most chains never had it, and a guard without code answers nothing.
 */
const contractsOf = (
  settings: ChainSettings,
  domainName: string
): Required<Pick<Chain, "contracts" | "earlierContracts">> => {
  const { contracts, earlierContracts, priorGuard } = settings
  return {
    contracts: contracts ?? addressesOf(SweepDeployment.plan(deploymentOf(settings, domainName))),
    earlierContracts:
      earlierContracts ?? (priorGuard === undefined ? [] : [SweepDeployment.firstGenerationOf(priorGuard)])
  }
}
