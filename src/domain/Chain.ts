/** Configuration of a supported chain: contracts, tokens and confirmations. */
import { Option, Schema } from "effect"
import * as Address from "./Address.ts"
import * as Assets from "./Assets.ts"
import * as ChainMoney from "./ChainMoney.ts"
import { ChainId } from "./ChainId.ts"
import * as PriceFacts from "./PriceFacts.ts"
import * as SwapTarget from "./SwapTarget.ts"
import type { Tier } from "./Tier.ts"
import { NATIVE, TokenInfo } from "./Token.ts"
import * as Venue from "./Venue.ts"
import { described } from "./Described.ts"

/** Contracts of this project on one chain. Their addresses follow from their CREATE2 inputs. */
export const Deployment = Schema.Struct({
  delegate: described(Address.NonZeroAddress, "Contract that owners delegate their accounts to."),
  guard: described(Address.NonZeroAddress, "Contract that checks and logs every settlement."),
  entry: described(
    Address.NonZeroAddress,
    "Contract through which relayers settle batches, and single sweeps whose account it checks."
  )
})
export type Deployment = typeof Deployment.Type

/**
 * Fee model of a rollup for publishing transactions on its base layer. Absent: the chain charges for execution only.
 */
export const DataFeeModel = Schema.Literals(["op-stack", "arbitrum"])

export const Chain = Schema.Struct({
  id: ChainId,
  /** Lower-case name used in `route` hints, e.g. `base`. */
  name: Schema.String,
  nativeSymbol: Schema.String,
  /** Receives protocol fees. */
  feeRecipient: Address.NonZeroAddress,
  /** Receives builder fees of builders that are paid from the ledger. */
  builderVault: Address.NonZeroAddress,
  /** Vaults that the chain had before. Their payments still count, and fees of earlier quotes still go there. Default: none. */
  formerVaults: Schema.optionalKey(Schema.Array(Address.NonZeroAddress)),
  wrappedNative: Address.NonZeroAddress,
  /** USD-pegged tokens, most liquid first. They are the hops of routes and the unit of on-chain prices. */
  stables: Schema.Array(Address.NonZeroAddress),
  swapRouter: Schema.optionalKey(Address.NonZeroAddress),
  quoter: Schema.optionalKey(Address.NonZeroAddress),
  ...Venue.fields,
  spokePool: Schema.optionalKey(Address.NonZeroAddress),
  /**
   * SpokePools that the chain had before. Deposits, fills and refunds that orders have in them are still found. New orders never use
   * them. Default: none.
   */
  formerSpokePools: Schema.optionalKey(Schema.Array(Address.NonZeroAddress)),
  /**
   * Contract that swaps before it deposits into the SpokePool. Absent: only tokens that the bridge carries can leave
   * the chain.
   */
  spokePoolPeriphery: Schema.optionalKey(Address.NonZeroAddress),
  /** Contract of Across that swaps what the bridge delivers here. Absent: only tokens that the bridge carries can arrive. */
  multicallHandler: Schema.optionalKey(Address.NonZeroAddress),
  permit2: Address.NonZeroAddress,
  multicall3: Address.NonZeroAddress,
  sanctionsOracle: Address.NonZeroAddress,
  /** Number of blocks after which a transaction counts as settled. 1: the block that includes it. */
  confirmations: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)),
  /** Support for EIP-7702 transactions. Default: true. */
  supportsSetCode: Schema.optionalKey(Schema.Boolean),
  blockTimeMillis: Schema.Int.check(Schema.isGreaterThan(0)),
  /** Typical time until nothing can undo a block any more, in seconds. For display. Absent: unknown. */
  finalitySeconds: Schema.optionalKey(Schema.Int.check(Schema.isGreaterThan(0))),
  dataFee: Schema.optionalKey(DataFeeModel),
  explorerUrl: Schema.optionalKey(Schema.String),
  ...ChainMoney.fields,
  ...PriceFacts.fields,
  ...Assets.fields,
  ...SwapTarget.fields,
  tokens: Schema.Array(TokenInfo),
  contracts: Deployment,
  /** Contracts of earlier generations, the latest first. Intents that were quoted for them still settle. Default: none. */
  earlierContracts: Schema.optionalKey(Schema.Array(Deployment)),
  /** Guard that the current delegate asks too, so that it refuses a single order whose nonce is used there. Default: none. */
  priorGuard: Schema.optionalKey(Address.NonZeroAddress)
})
export type Chain = typeof Chain.Type

/** The token's entry in the chain's list. The native currency is always listed. */
export const token = (chain: Chain, address: Address.Address): Option.Option<TokenInfo> =>
  address === NATIVE
    ? Option.some({
        chainId: chain.id,
        address: NATIVE,
        symbol: chain.nativeSymbol,
        name: chain.nativeSymbol,
        decimals: 18
      })
    : Option.fromUndefinedOr(chain.tokens.find((entry) => entry.address === address))

/** The wrapped native token for the native currency; every other token itself. */
export const erc20 = (chain: Chain, address: Address.Address): Address.Address =>
  address === NATIVE ? chain.wrappedNative : address

/** SpokePools whose events and state count for orders under way: the present one first. A new order has the present one alone. */
export const spokePools = ({
  formerSpokePools = [],
  spokePool
}: Pick<Chain, "formerSpokePools" | "spokePool">): ReadonlyArray<Address.Address> => [
  ...new Set(spokePool === undefined ? formerSpokePools : [spokePool, ...formerSpokePools])
]

/** Vaults whose payments count: the present one first. A new quote names the present one alone. */
export const vaults = ({
  builderVault,
  formerVaults = []
}: Pick<Chain, "builderVault" | "formerVaults">): ReadonlyArray<Address.Address> => [
  ...new Set([builderVault, ...formerVaults])
]

/** Tier by the chain's token list only. The native currency, its wrapped form and stablecoins have the lowest risk. */
export const listedTier = (chain: Chain, address: Address.Address): Tier =>
  address === NATIVE || address === chain.wrappedNative || chain.stables.includes(address)
    ? "tier1"
    : chain.tokens.some((entry) => entry.address === address)
      ? "tier2"
      : "tier3"
