/**
 * Code that a sweep runs and that nobody vouches for: that of tokens which are not on the operator's list of a chain, and that of an
 * account which receives native currency. Such a sweep is unlisted.
 */
import * as Chain from "./Chain.ts"
import { accountCode } from "./Delegation.ts"
import * as Generations from "./Generations.ts"
import type { Hex } from "./Hex.ts"
import type { SweepOrder } from "./SweepOrder.ts"
import { isNative } from "./Token.ts"

/** Fields of an order that tell which tokens it runs. */
type Tokens = Pick<SweepOrder, "destChainId" | "tokenIn" | "tokenOut">

/** A sweep, and a fact about it that its order does not tell. */
export interface Sweeping<A = Tokens> {
  readonly order: A
  /** True if it pays native currency to an account whose code is a stranger's, see {@link isStranger}. Default: false. */
  readonly runsOthersCode?: boolean | undefined
}

/**
 * True if the sweep pays native currency on the source chain to another account than the owner's. The payment runs the code of that account,
 * if it has any. A bridge pays on another chain, in a transaction of its own.
 */
export const paysOthers = (
  { id }: Pick<Chain.Chain, "id">,
  { destChainId, destination, owner, tokenOut }: Pick<SweepOrder, "destChainId" | "destination" | "owner" | "tokenOut">
): boolean => destChainId === BigInt(id) && isNative(tokenOut) && destination !== owner

/** Addresses up to this one are precompiles, or may become some by an upgrade of the chain. Nobody has a key for them. */
const LAST_RESERVED = 0xffffn

/**
 * True if a payment to this account runs code that is not ours. `code`: its code. An account without code is none, nor is one that is
 * delegated to a delegate of the chain.
 */
export const isStranger = (
  chain: Pick<Chain.Chain, "contracts" | "earlierContracts">,
  address: SweepOrder["destination"],
  code: Hex
): boolean => {
  if (BigInt(address) <= LAST_RESERVED) return true
  const account = accountCode(code)
  if (account._tag === "Plain") return false
  return account._tag === "Contract" || !Generations.all(chain).some(({ delegate }) => delegate === account.delegate)
}

/** True if the sweep's transaction on the source chain runs code that nobody vouches for. */
export const runsUnlisted = (source: Chain.Chain, { order, runsOthersCode }: Sweeping): boolean =>
  runsOthersCode === true ||
  Chain.listedTier(source, order.tokenIn) === "tier3" ||
  (order.destChainId === BigInt(source.id) && Chain.listedTier(source, order.tokenOut) === "tier3")
