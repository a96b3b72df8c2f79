/** What clients may know of the chains and tokens that are served: facts that change only with the configuration. */
import { Schema } from "effect"
import * as Address from "./Address.ts"
import * as Chain from "./Chain.ts"
import { ChainId } from "./ChainId.ts"
import { Tier } from "./Tier.ts"
import { NATIVE, TokenInfo } from "./Token.ts"

export const ChainFeatures = Schema.Struct({
  source: Schema.Boolean.annotate({
    description: "Whether sweeps can start here: the chain takes EIP-7702 transactions"
  }),
  swap: Schema.Boolean.annotate({ description: "Whether one token can be swapped into another one on this chain" }),
  bridgeDestinations: Schema.Array(ChainId).annotate({ description: "Chains that sweeps from here can end on" }),
  swapBeforeBridge: Schema.Boolean.annotate({
    description:
      "Whether sweeps from here can arrive on another chain as another asset than the one that is sent: it is swapped here first"
  })
})

export const ChainDescription = Schema.Struct({
  id: ChainId,
  name: Schema.String.annotate({ description: "As `route` hints name it" }),
  nativeSymbol: Schema.String,
  wrappedNative: Address.Address,
  contracts: Chain.Deployment,
  explorerUrl: Schema.optionalKey(Schema.String),
  blockTimeMillis: Schema.Int,
  confirmations: Schema.Int.annotate({ description: "Blocks after which a sweep counts as settled" }),
  features: ChainFeatures
}).annotate({ identifier: "Chain" })

export const ChainList = Schema.Struct({ chains: Schema.Array(ChainDescription) }).annotate({
  identifier: "ChainList",
  description: "The chains that are served"
})

const bridges = (chain: Chain.Chain): boolean => chain.spokePool !== undefined

export const chainList = (chains: ReadonlyArray<Chain.Chain>): typeof ChainList.Type => ({
  chains: chains.map((chain) => {
    const source = chain.supportsSetCode !== false
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
      features: {
        source,
        swap,
        bridgeDestinations:
          source && bridges(chain)
            ? chains.filter((other) => other.id !== chain.id && bridges(other)).map(({ id }) => id)
            : [],
        swapBeforeBridge: swap && bridges(chain) && chain.spokePoolPeriphery !== undefined
      }
    }
  })
})

const ListedToken = Schema.Struct({
  ...TokenInfo.fields,
  tags: Schema.optionalKey(Schema.Array(Schema.String)),
  extensions: Schema.Struct({
    tier: Tier.annotate({ description: "The least risky tier that quotes give this token" })
  })
}).annotate({ identifier: "ListedToken" })

const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

/** A token list as wallets and interfaces read it (https://uniswap.org/tokenlist.schema.json). */
export const TokenList = Schema.Struct({
  name: Schema.String,
  timestamp: Schema.String.annotate({ description: "When the service began to serve this list (RFC 3339)" }),
  version: Schema.Struct({ major: Count, minor: Count, patch: Count }),
  tags: Schema.Record(Schema.String, Schema.Struct({ name: Schema.String, description: Schema.String })),
  tokens: Schema.Array(ListedToken)
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

/** The tokens of the given chains, native currencies first on each. */
export const tokenList = (chains: ReadonlyArray<Chain.Chain>, timestamp: string): TokenList => ({
  name: "Token Sweep",
  timestamp,
  version: { major: 1, minor: 0, patch: 0 },
  tags: { native: { name: "Native", description: "The native currency of its chain, not a token contract" } },
  tokens: chains.flatMap(tokensOf)
})
