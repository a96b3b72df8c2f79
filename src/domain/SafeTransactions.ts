/**
 * A payout batch as a file for the Transaction Builder of a Safe. The owners import it, sign it and run it as one
 * transaction. Format: safe-global/safe-react-apps, apps/tx-builder (`BatchFile` of typings/models.ts, `checksum` of
 * lib/checksum.ts).
 */
import { keccak256, stringToBytes } from "viem"
import type * as Address from "./Address.ts"
import type { Hash } from "./Hex.ts"
import type { PayoutBatch } from "./Payout.ts"

type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [key: string]: Json }

const isList = (json: Json): json is ReadonlyArray<Json> => Array.isArray(json)

/** Serialization of the Transaction Builder: the sorted keys of an object, then their values. */
const canonical = (json: Json): string => {
  if (isList(json)) return `[${json.map(canonical).join(",")}]`
  if (typeof json !== "object" || json === null) return JSON.stringify(json)
  const keys = Object.keys(json).sort()
  return `{${JSON.stringify(keys)}${keys.map((key) => `${canonical(json[key] ?? null)},`).join("")}}`
}

interface Meta {
  readonly [key: string]: Json
  readonly name: string
}

export interface BatchFile {
  readonly [key: string]: Json
  readonly meta: Meta
}

/** Checksum by which the Transaction Builder detects edits. The name is left out, since users may change it. */
export const checksum = (file: BatchFile): Hash =>
  keccak256(stringToBytes(canonical({ ...file, meta: { ...file.meta, name: null } })))

const TRANSFER = {
  name: "transfer",
  payable: false,
  inputs: [
    { name: "to", type: "address", internalType: "address" },
    { name: "value", type: "uint256", internalType: "uint256" }
  ]
}

/** The batch as ERC-20 transfers from `vault`, the Safe. */
export const toSafeTransactions = (batch: PayoutBatch, vault: Address.Address): BatchFile => {
  const file: BatchFile = {
    version: "1.0",
    chainId: String(batch.chainId),
    createdAt: batch.createdAtMs,
    meta: {
      name: `Builder payout ${batch.id}`,
      description: `${batch.lines.length} transfers of ${batch.token}`,
      txBuilderVersion: "1.18.2",
      createdFromSafeAddress: vault,
      createdFromOwnerAddress: ""
    },
    transactions: batch.lines.map((line) => ({
      to: batch.token,
      value: "0",
      data: null,
      contractMethod: TRANSFER,
      contractInputsValues: { to: line.payoutAddress, value: line.amount.toString() }
    }))
  }
  return { ...file, meta: { ...file.meta, checksum: checksum(file) } }
}
