/** Changes of the guard's list as a file for the Transaction Builder of a Safe that owns the guard. Pure. */
import type * as Address from "./Address.ts"
import type { ChainId } from "./ChainId.ts"
import { type BatchFile, checksum } from "./SafeTransactions.ts"
import type { TargetKind } from "./SwapTarget.ts"

/** A call of the guard's `setTarget`. */
export interface TargetChange {
  readonly target: Address.Address
  readonly kind: TargetKind
  readonly isAllowed: boolean
}

const SET_TARGET = {
  name: "setTarget",
  payable: false,
  inputs: [
    { name: "target", type: "address", internalType: "address" },
    { name: "kind", type: "uint8", internalType: "enum Kind" },
    { name: "allowed", type: "bool", internalType: "bool" }
  ]
}

/** The change as a batch of one transaction of `safe`, the guard's owner. */
export const toSafeTarget = (
  guard: { readonly chainId: ChainId; readonly address: Address.Address; readonly safe: Address.Address },
  { isAllowed, kind, target }: TargetChange,
  createdAtMs: number
): BatchFile => {
  const file: BatchFile = {
    version: "1.0",
    chainId: String(guard.chainId),
    createdAt: createdAtMs,
    meta: {
      name: isAllowed ? "Proposal of a swap target" : "Removal of a swap target",
      description: `${kind} ${target}`,
      txBuilderVersion: "1.18.2",
      createdFromSafeAddress: guard.safe,
      createdFromOwnerAddress: ""
    },
    transactions: [
      {
        to: guard.address,
        value: "0",
        data: null,
        contractMethod: SET_TARGET,
        contractInputsValues: { target, kind: kind === "bridge" ? "1" : "0", allowed: String(isAllowed) }
      }
    ]
  }
  return { ...file, meta: { ...file.meta, checksum: checksum(file) } }
}
