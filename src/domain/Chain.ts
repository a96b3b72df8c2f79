/** What the service knows of a chain it serves: contracts, tokens and how long to wait there. */
import { Option, Schema } from "effect"
import * as Address from "./Address.ts"
import { ChainId } from "./ChainId.ts"
import type { Tier } from "./Tier.ts"
import { NATIVE, TokenInfo } from "./Token.ts"
import { described } from "./Described.ts"

/** The service's own contracts on one chain; addresses follow from their CREATE2 inputs. */
export const Deployment = Schema.Struct({
  delegate: described(Address.NonZeroAddress, "Contract that owners delegate their accounts to."),
  guard: described(Address.NonZeroAddress, "Contract that checks and logs every settlement."),
  entry: described(Address.NonZeroAddress, "Contract that relayers call to settle batches.")
})
export type Deployment = typeof Deployment.Type

/** How a rollup charges for publishing transactions on its base layer; without one a chain charges for execution alone. */
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
  wrappedNative: Address.NonZeroAddress,
  /** USD-pegged tokens, most liquid first: hops for routes, and the unit of on-chain prices. */
  stables: Schema.Array(Address.NonZeroAddress),
  swapRouter: Schema.optionalKey(Address.NonZeroAddress),
  quoter: Schema.optionalKey(Address.NonZeroAddress),
  spokePool: Schema.optionalKey(Address.NonZeroAddress),
  /** Swaps before it deposits into the SpokePool; without it only what the bridge itself carries can leave the chain. */
  spokePoolPeriphery: Schema.optionalKey(Address.NonZeroAddress),
  permit2: Address.NonZeroAddress,
  multicall3: Address.NonZeroAddress,
  sanctionsOracle: Address.NonZeroAddress,
  /** Blocks after which a transaction counts as settled; 1 means the block that includes it is enough. */
  confirmations: Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)),
  /** Whether the chain takes EIP-7702 transactions; absent means that it does. */
  supportsSetCode: Schema.optionalKey(Schema.Boolean),
  blockTimeMillis: Schema.Int.check(Schema.isGreaterThan(0)),
  dataFee: Schema.optionalKey(DataFeeModel),
  explorerUrl: Schema.optionalKey(Schema.String),
  tokens: Schema.Array(TokenInfo),
  contracts: Deployment
})
export type Chain = typeof Chain.Type

/** The token's entry in the chain's list; the native currency is always listed. */
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

/** The ERC-20 that stands for `address` on this chain: the wrapped native for the native currency, else itself. */
export const erc20 = (chain: Chain, address: Address.Address): Address.Address =>
  address === NATIVE ? chain.wrappedNative : address

/** The source chain's name in a route hint of the form `<source>-><destination>` (spec, QuoteRequest.route). */
export const routeSource = (route: string): Option.Option<string> => {
  const [source, destination, ...rest] = route.split("->")
  return source !== undefined && destination !== undefined && rest.length === 0 && source.trim() !== ""
    ? Option.some(source.trim().toLowerCase())
    : Option.none()
}

/** The tier that the chain's token list alone gives: native currency, its wrapped form and stables are the least risky. */
export const listedTier = (chain: Chain, address: Address.Address): Tier =>
  address === NATIVE || address === chain.wrappedNative || chain.stables.includes(address)
    ? "tier1"
    : chain.tokens.some((entry) => entry.address === address)
      ? "tier2"
      : "tier3"
