/** The service's contracts of a chain, where the chain's entry has them, and what their constructors must have written. */
import type * as Address from "../../../domain/Address.ts"
import type { Deployment as Addresses } from "../../../domain/Chain.ts"
import type { ContractState } from "../../../domain/doctor/Contracts.ts"
import type { Hex } from "../../../domain/Hex.ts"
import { sweepDelegate, sweepEntry, sweepGuard } from "../abi/contracts.generated.ts"
import * as CodeComparison from "./CodeComparison.ts"
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

const COMPILED = { guard: sweepGuard, delegate: sweepDelegate, entry: sweepEntry } as const

/**
 * State of the code at a contract's address. Where the entry of the chains file fixes it, other code may be there on purpose, unless it is
 * the entry for another delegate.
 */
export const stateOf = ({ immutables, name, runtimeCode }: OwnContract, code: Hex): ContractState => {
  if (runtimeCode !== undefined) return Deployment.judge({ runtimeCode }, code)
  const compiled = COMPILED[name]
  const { state } = CodeComparison.compare(compiled, code, immutables)
  if (state === "no_code") return "missing"
  if (state === "equal") return "right"
  const isOfThisRelease = CodeComparison.masked(code, compiled.immutables) === compiled.runtimeCode
  return name === "entry" && isOfThisRelease ? "foreign" : "unverified"
}
