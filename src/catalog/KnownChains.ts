/**
 * Public facts about chains that operators need not repeat: canonical tokens, Uniswap v3, Across and the sanctions oracle. Each comes
 * from the protocol's own deployment documentation, and each can be overridden in the chains file. The bounds of fees are several
 * times what the chain's busiest days cost, so that a node that lies about fees cannot empty a lane.
 *
 * `wrappedNative`, `swapRouter`, `spokePool` and `spokePoolPeriphery` are part of the addresses of the service's contracts. A change
 * moves the contracts of every deployment on that chain.
 */
import type { ChainId } from "../domain/ChainId.ts"
import { ARBITRUM } from "./Arbitrum.ts"
import { BASE } from "./Base.ts"
import { BNB_CHAIN } from "./BnbChain.ts"
import { ETHEREUM } from "./Ethereum.ts"
import type { ChainFacts } from "./Facts.ts"
import { OPTIMISM } from "./Optimism.ts"
import { POLYGON } from "./Polygon.ts"

/** By chain id. */
export const KNOWN_CHAINS: Readonly<Record<ChainId, ChainFacts>> = Object.fromEntries(
  [ETHEREUM, OPTIMISM, BNB_CHAIN, POLYGON, BASE, ARBITRUM].map((facts) => [facts.id, facts])
)
