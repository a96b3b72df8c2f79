/** Public facts about the supported chains and tokens. They change only with the configuration. */
import { Schema } from "effect"
import * as Address from "./Address.ts"
import * as Chain from "./Chain.ts"
import { ChainId } from "./ChainId.ts"
import { Tier } from "./Tier.ts"
import { NATIVE, TokenInfo } from "./Token.ts"
import { described } from "./Described.ts"

export const ChainFeatures = Schema.Struct({
  source: described(
    Schema.Boolean,
    "True if sweeps can start here. False on a chain without EIP-7702 transactions, and while the operator has paused the chain."
  ),
  swap: described(Schema.Boolean, "True if one token can be swapped for another on this chain."),
  bridgeDestinations: described(Schema.Array(ChainId), "Other chains that sweeps from here can end on."),
  swapBeforeBridge: described(
    Schema.Boolean,
    "If sweeps from here can arrive on another chain as another asset. The token is swapped here before it is bridged."
  )
})

export const ChainDescription = Schema.Struct({
  id: described(ChainId, "Chain."),
  name: described(Schema.String, "Name of the chain in `route` hints."),
  nativeSymbol: described(Schema.String, "Symbol of the native currency."),
  wrappedNative: described(Address.Address, "Contract of the wrapped native currency."),
  contracts: described(Chain.Deployment, "Contracts of this service on the chain."),
  explorerUrl: described(Schema.optionalKey(Schema.String), "URL of the block explorer."),
  blockTimeMillis: described(Schema.Int, "Typical milliseconds between blocks."),
  confirmations: described(Schema.Int, "Number of blocks after which a sweep counts as settled."),
  assets: described(
    Schema.optionalKey(Schema.Record(Schema.String, Address.Address)),
    "Tokens by the name of their asset. Tokens of two chains under one name are the same asset. Their decimals may differ."
  ),
  paused: described(
    Schema.Boolean,
    "True while the operator has paused the chain, or everything: no sweep starts or arrives here. An addition to the specification."
  ),
  features: described(ChainFeatures, "Sweeps that the chain supports.")
}).annotate({ identifier: "Chain" })

export const ChainList = Schema.Struct({
  chains: described(Schema.Array(ChainDescription), "Served chains.")
}).annotate({
  identifier: "ChainList",
  description: "The chains that are served"
})

const bridges = (chain: Chain.Chain): boolean => chain.spokePool !== undefined

/** Describes the chains. No sweep can start or arrive on a paused one. */
export const chainList = (
  chains: ReadonlyArray<Chain.Chain>,
  pausedChains: ReadonlyArray<ChainId> = []
): typeof ChainList.Type => ({
  chains: chains.map((chain) => {
    const paused = pausedChains.includes(chain.id)
    const source = chain.supportsSetCode !== false && !paused
    const swap = source && chain.swapRouter !== undefined && chain.quoter !== undefined
    return {
      id: chain.id,
      name: chain.name,
      nativeSymbol: chain.nativeSymbol,
      wrappedNative: chain.wrappedNative,
      contracts: chain.contracts,
      ...(chain.explorerUrl === undefined ? {} : { explorerUrl: chain.explorerUrl }),
      blockTimeMillis: chain.blockTimeMillis,
      confirmations: chain.confirmations,
      ...(chain.assets === undefined ? {} : { assets: chain.assets }),
      paused,
      features: {
        source,
        swap,
        bridgeDestinations:
          source && bridges(chain)
            ? chains
                .filter(
                  ({ id, ...other }) => id !== chain.id && !pausedChains.includes(id) && bridges({ id, ...other })
                )
                .map(({ id }) => id)
            : [],
        swapBeforeBridge: swap && bridges(chain) && chain.spokePoolPeriphery !== undefined
      }
    }
  })
})

const ListedToken = Schema.Struct({
  ...TokenInfo.fields,
  tags: described(Schema.optionalKey(Schema.Array(Schema.String)), "Keys of the list's tags."),
  extensions: described(
    Schema.Struct({ tier: described(Tier, "Least risky tier that quotes give this token.") }),
    "Fields of this service."
  )
}).annotate({ identifier: "ListedToken" })

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** Token list in the format of wallets and interfaces (https://uniswap.org/tokenlist.schema.json). */
export const TokenList = Schema.Struct({
  name: described(Schema.String, "Name of the list."),
  timestamp: described(Schema.String, "Time when the service began to serve this list (RFC 3339)."),
  version: described(
    Schema.Struct({
      major: described(Count, "Major version."),
      minor: described(Count, "Minor version."),
      patch: described(Count, "Patch version.")
    }),
    "Version of the list."
  ),
  tags: described(
    Schema.Record(
      Schema.String,
      Schema.Struct({
        name: described(Schema.String, "Name of the tag."),
        description: described(Schema.String, "Meaning of the tag.")
      })
    ),
    "Tags of the list by their keys."
  ),
  tokens: described(Schema.Array(ListedToken), "Listed tokens, native currencies first on each chain.")
}).annotate({ identifier: "TokenList", description: "A token list in the Uniswap format" })
export type TokenList = typeof TokenList.Type

const tokensOf = (chain: Chain.Chain): TokenList["tokens"] => [
  {
    chainId: chain.id,
    address: NATIVE,
    symbol: chain.nativeSymbol,
    name: chain.nativeSymbol,
    decimals: 18,
    tags: ["native"],
    extensions: { tier: Chain.listedTier(chain, NATIVE) }
  },
  ...chain.tokens.map((token) => ({ ...token, extensions: { tier: Chain.listedTier(chain, token.address) } }))
]

/** Tokens of the chains, the native currency of each chain first. */
export const tokenList = (chains: ReadonlyArray<Chain.Chain>, timestamp: string): TokenList => ({
  name: "Token Sweep",
  timestamp,
  version: { major: 1, minor: 0, patch: 0 },
  tags: { native: { name: "Native", description: "The native currency of its chain, not a token contract" } },
  tokens: chains.flatMap(tokensOf)
})
