/** Changes of the guard's list as a file for the Transaction Builder of a Safe that owns the guard. Pure. */
import type * as Address from "./Address.ts"
import type { ChainId } from "./ChainId.ts"
import { type BatchFile, checksum } from "./SafeTransactions.ts"
import type { TargetKind } from "./SwapTarget.ts"

/** A call of a guard's `setTarget`. */
export interface TargetChange {
  readonly target: Address.Address
  /** Absent at the guard of the first generation, whose targets have no kind. */
  readonly kind?: TargetKind
  readonly isAllowed: boolean
}

const TARGET = { name: "target", type: "address", internalType: "address" }
const KIND = { name: "kind", type: "uint8", internalType: "enum Kind" }
const ALLOWED = { name: "allowed", type: "bool", internalType: "bool" }

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
      description: kind === undefined ? target : `${kind} ${target}`,
      txBuilderVersion: "1.18.2",
      createdFromSafeAddress: guard.safe,
      createdFromOwnerAddress: ""
    },
    transactions: [
      {
        to: guard.address,
        value: "0",
        data: null,
        contractMethod: {
          name: "setTarget",
          payable: false,
          inputs: kind === undefined ? [TARGET, ALLOWED] : [TARGET, KIND, ALLOWED]
        },
        contractInputsValues: {
          target,
          ...(kind === undefined ? {} : { kind: kind === "bridge" ? "1" : "0" }),
          allowed: String(isAllowed)
        }
      }
    ]
  }
  return { ...file, meta: { ...file.meta, checksum: checksum(file) } }
}
