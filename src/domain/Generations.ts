/**
 * Generations of the project's contracts on a chain. New orders use the current one. An order of an earlier one settles with the
 * contracts that it was quoted for: its owner signed an authorization for their delegate, and its nonce names their guard.
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
 * Contracts of the order with this nonce. The first generation's nonces name no guard. A nonce that names none of the chain's
 * guards belongs to the current contracts, which refuse it.
 */
export const ofNonce = (chain: Contracts, nonce: bigint): Deployment => {
  const part = guardPartOf(nonce)
  if (part === 0n) return chain.earlierContracts?.at(-1) ?? chain.contracts
  return all(chain).find(({ guard }) => guardPart(guard) === part) ?? chain.contracts
}

/**
 * Guards whose `Swept` settles the order with this nonce: its own first. The first generation takes every nonce, so its delegate also
 * runs single orders of later ones.
 */
export const guardsOf = (chain: Contracts, nonce: bigint): readonly [Address.Address, ...Array<Address.Address>] => {
  const own = ofNonce(chain, nonce).guard
  const first = chain.earlierContracts?.at(-1)?.guard ?? own
  return own === first ? [own] : [own, first]
}

/** True if the order with this nonce no longer settles once its nonce is used at the guard. Legs of a batch ask their own guard alone. */
export const isRefusedBy = (chain: Contracts, guard: Address.Address, nonce: bigint, isLeg: boolean): boolean => {
  const own = ofNonce(chain, nonce)
  if (guard === own.guard) return true
  return !isLeg && own === chain.contracts && guard === chain.priorGuard
}
