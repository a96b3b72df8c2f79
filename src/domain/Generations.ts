/**
 * Generations of the project's contracts on a chain. New orders use the current one. An order of an earlier one settles with the
 * contracts that it was quoted for: its owner signed an authorization for their delegate, and its nonce names their guard.
 *
 * A nonce may name a guard that the chain's settings lack: after a change of the contracts without `earlierContracts`, and in a replica
 * with the settings from before the change. No other guard can tell anything about its order.
 */
import type * as Address from "./Address.ts"
import type { Chain, Deployment } from "./Chain.ts"
import { guardPart, guardPartOf } from "./OrderNonce.ts"

type Contracts = Pick<Chain, "contracts" | "earlierContracts" | "priorGuard">

/** Contracts of all generations, the current ones first. */
export const all = ({ contracts, earlierContracts = [] }: Contracts): ReadonlyArray<Deployment> => [
  contracts,
  ...earlierContracts
]

/**
 * Contracts of the order with this nonce. Undefined if the nonce names none of the chain's guards. The first generation's nonces name no
 * guard.
 */
export const known = (chain: Contracts, nonce: bigint): Deployment | undefined => {
  const part = guardPartOf(nonce)
  if (part === 0n) return chain.earlierContracts?.at(-1) ?? chain.contracts
  return all(chain).find(({ guard }) => guardPart(guard) === part)
}

/** True if the chain's settings have the guard of the order with this nonce. */
export const isKnown = (chain: Contracts, nonce: bigint): boolean => known(chain, nonce) !== undefined

/**
 * Contracts to which an order with this nonce is sent. Default: the current ones, which refuse an order of a guard that is not
 * {@link known}. They prove nothing about it.
 */
export const ofNonce = (chain: Contracts, nonce: bigint): Deployment => known(chain, nonce) ?? chain.contracts

/**
 * Guards whose `Swept` settles the order with this nonce: its own first. The first generation takes every nonce, so its delegate also
 * runs single orders of later ones. Empty if its own guard is unknown: the absence of an event then proves nothing.
 */
export const guardsOf = (chain: Contracts, nonce: bigint): ReadonlyArray<Address.Address> => {
  const own = known(chain, nonce)?.guard
  if (own === undefined) return []
  const first = chain.earlierContracts?.at(-1)?.guard ?? own
  return own === first ? [own] : [own, first]
}

/**
 * True if the order with this nonce no longer settles once its nonce is used at these guards. A leg of a batch asks its own guard alone. A
 * single order may run under the first generation too, which asks its own guard alone, while the current one asks both.
 */
export const isRefusedBy = (
  chain: Contracts,
  used: ReadonlyArray<Address.Address>,
  nonce: bigint,
  isLeg: boolean
): boolean => {
  const own = known(chain, nonce)
  if (own === undefined) return false
  if (isLeg) return used.includes(own.guard)
  const { priorGuard } = chain
  const asksFirst = own === chain.contracts && priorGuard !== undefined
  return guardsOf(chain, nonce).every(
    (guard) => used.includes(guard) || (asksFirst && guard === own.guard && used.includes(priorGuard))
  )
}

/** End of the address of the guard that a nonce names, in hexadecimal digits. A nonce does not have the rest of it. */
export const guardEnd = (nonce: bigint): string => guardPartOf(nonce).toString(16).padStart(32, "0")
