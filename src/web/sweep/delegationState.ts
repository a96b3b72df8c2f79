/** State of an account's delegation on a chain, and if only the service says so. Pure. */
import { sameAddress } from "../../sdk/model/Address.ts"
import type { Address, Delegation, SweepableToken } from "../../sdk/index.ts"

export interface DelegationFacts {
  /** Code of the account, as the chain's node returned it. Undefined without a node, or before its answer. */
  readonly read: Delegation | undefined
  /** State that the service returned with the tokens. */
  readonly stated: SweepableToken["delegation"] | undefined
  /** Delegate that the review accepts. */
  readonly known: Address | undefined
  /** Delegate that the service names. It counts only if the review knows none. */
  readonly named: Address
}

export interface DelegationState {
  readonly kind: SweepableToken["delegation"]
  /** The sweep delegate, if the node says that the account runs it. */
  readonly delegate?: Address
  /** True if the state rests on the word of the service. */
  readonly isStated: boolean
}

/** Returns undefined if nothing is known. */
export const delegationState = ({ known, named, read, stated }: DelegationFacts): DelegationState | undefined => {
  if (read === undefined) return stated === undefined ? undefined : { kind: stated, isStated: true }
  if (read.kind !== "delegated") return { kind: read.kind, isStated: false }
  const delegate = known ?? named
  const isStated = known === undefined
  return sameAddress(read.delegate, delegate) ? { kind: "ours", delegate, isStated } : { kind: "other", isStated }
}
