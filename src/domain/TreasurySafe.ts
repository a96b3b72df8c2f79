/** Sales of a Safe's tokens as a file for its Transaction Builder: for each token an approval of the exchange, and the swap. Pure. */
import type * as Address from "./Address.ts"
import type { ChainId } from "./ChainId.ts"
import type { Hex } from "./Hex.ts"
import { type BatchFile, checksum } from "./SafeTransactions.ts"

/** A swap that the Safe makes itself. */
export interface SafeSale {
  readonly token: Address.Address
  /** In the smallest unit of `token`. */
  readonly amount: bigint
  /** Exchange that is approved for the amount and called. */
  readonly target: Address.Address
  readonly calldata: Hex
}

const APPROVE = {
  name: "approve",
  payable: false,
  inputs: [
    { name: "spender", type: "address", internalType: "address" },
    { name: "value", type: "uint256", internalType: "uint256" }
  ]
}

/** The sales as one batch of `safe`, the fee recipient. */
export const toSafeSales = (
  batch: { readonly chainId: ChainId; readonly safe: Address.Address; readonly asset: Address.Address },
  sales: ReadonlyArray<SafeSale>,
  createdAtMs: number
): BatchFile => {
  const file: BatchFile = {
    version: "1.0",
    chainId: String(batch.chainId),
    createdAt: createdAtMs,
    meta: {
      name: "Sale of collected fees",
      description: `${sales.length} swaps into ${batch.asset}`,
      txBuilderVersion: "1.18.2",
      createdFromSafeAddress: batch.safe,
      createdFromOwnerAddress: ""
    },
    transactions: sales.flatMap(({ amount, calldata, target, token }) => [
      {
        to: token,
        value: "0",
        data: null,
        contractMethod: APPROVE,
        contractInputsValues: { spender: target, value: amount.toString() }
      },
      { to: target, value: "0", data: calldata, contractMethod: null, contractInputsValues: null }
    ])
  }
  return { ...file, meta: { ...file.meta, checksum: checksum(file) } }
}
