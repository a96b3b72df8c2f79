/** Tokens on the operator's list of a chain, whose code the operator trusts not to turn on a sweep. */
import * as Chain from "./Chain.ts"
import type { SweepOrder } from "./SweepOrder.ts"

/** True if the sweep's transaction on the source chain runs code of a token that is not on the chain's list. */
export const runsUnlisted = (
  source: Chain.Chain,
  { destChainId, tokenIn, tokenOut }: Pick<SweepOrder, "destChainId" | "tokenIn" | "tokenOut">
): boolean =>
  Chain.listedTier(source, tokenIn) === "tier3" ||
  (destChainId === BigInt(source.id) && Chain.listedTier(source, tokenOut) === "tier3")
