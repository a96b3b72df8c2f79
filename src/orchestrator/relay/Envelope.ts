/**
 * What a signed relay transaction says, read back from its stored bytes: a replacement must say the same, and the bytes are
 * the one record of it that cannot disagree with what was sent.
 */
import { parseTransaction } from "viem"
import * as Address from "../../domain/Address.ts"
import type { GasFees } from "../../domain/FeeBump.ts"
import type { Hex } from "../../domain/Hex.ts"
import { SELF_SEND_GAS } from "../../domain/RelayGas.ts"
import type { RelayTransaction } from "../../ports/orchestrator/RelayTransactions.ts"
import type { UnsignedTransaction } from "../../ports/shared/Transaction.ts"

/** The content of signed type-2 or type-4 bytes; a defect for any others, as the relayer signs nothing else. */
export const parse = (raw: Hex): UnsignedTransaction => {
  const transaction = parseTransaction(raw)
  const { chainId, gas = 0n, maxFeePerGas, maxPriorityFeePerGas = 0n, to } = transaction
  if (to === undefined || to === null || chainId === undefined || maxFeePerGas === undefined) {
    throw new TypeError("not a transaction that a relayer signs")
  }
  const authorizations = transaction.type === "eip7702" ? (transaction.authorizationList ?? []) : []
  return {
    chainId,
    nonce: BigInt(transaction.nonce ?? 0),
    to: Address.of(to),
    data: transaction.data ?? "0x",
    gas,
    maxFeePerGas,
    maxPriorityFeePerGas,
    authorizationList: authorizations.map(({ address, chainId, nonce, r, s, yParity }) => ({
      address: Address.of(address),
      chainId,
      nonce: BigInt(nonce),
      r,
      s,
      yParity: yParity === 1 ? 1 : 0
    }))
  }
}

/** Spends a nonce of the lane and nothing else. */
export const selfSend = (
  { chainId, lane, nonce }: Pick<RelayTransaction, "chainId" | "lane" | "nonce">,
  fees: GasFees
): UnsignedTransaction => ({
  chainId,
  nonce,
  to: lane,
  data: "0x",
  gas: SELF_SEND_GAS,
  ...fees,
  authorizationList: []
})

/** Whether these bytes are a lane's self-send rather than a sweep. */
export const isSelfSend = (raw: Hex, lane: Address.Address): boolean => parse(raw).to === lane
