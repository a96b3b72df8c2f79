/** The service's contracts of a chain, where the chain's entry has them, and what their constructors must have written. */
import type * as Address from "../../../domain/Address.ts"
import type { Deployment as Addresses } from "../../../domain/Chain.ts"
import type { Hex } from "../../../domain/Hex.ts"
import * as Deployment from "./Deployment.ts"

/** Contracts in the order in which people read them. */
const NAMES = ["guard", "delegate", "entry"] as const satisfies ReadonlyArray<Deployment.ContractName>

export interface OwnContract {
  readonly name: Deployment.ContractName
  readonly address: Address.Address
  readonly immutables: Deployment.Immutables
  /** Code of this release. Absent if the entry fixes the address, so that other code may be there on purpose. */
  readonly runtimeCode?: Hex
}

/** The contracts at the computed addresses, or at those that the entry fixes. */
export const of = (config: Deployment.Deployment, fixed: Addresses | undefined): ReadonlyArray<OwnContract> => {
  if (fixed === undefined) {
    const { contracts } = Deployment.plan(config)
    return NAMES.map((name) => ({ name, ...contracts[name] }))
  }
  const immutables = Deployment.immutablesOf(config, fixed)
  return NAMES.map((name) => ({ name, address: fixed[name], immutables: immutables[name] }))
}
