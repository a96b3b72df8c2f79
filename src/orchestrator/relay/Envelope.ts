/**
 * Reads the content of a signed relay transaction back from its stored bytes. A replacement must have the same content, and the
 * bytes are the only record that cannot differ from what was sent.
 */
import { parseTransaction } from "viem"
import * as Address from "../../domain/Address.ts"
import type { GasFees } from "../../domain/FeeBump.ts"
import type { Hex } from "../../domain/Hex.ts"
import { SELF_SEND_GAS } from "../../domain/RelayGas.ts"
import type { SweepOrder } from "../../domain/SweepOrder.ts"
import type { RelayTransaction } from "../../ports/orchestrator/RelayTransactions.ts"
import type { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import type { UnsignedTransaction } from "../../ports/shared/Transaction.ts"

/** Parses a signed transaction of type 2 (EIP-1559) or 4 (EIP-7702). Throws for any other: the relayer signs no others. */
export const parse = (raw: Hex): UnsignedTransaction => {
  const transaction = parseTransaction(raw)
  const { chainId, gas = 0n, maxFeePerGas, maxPriorityFeePerGas = 0n, to } = transaction
  if (to === undefined || to === null || chainId === undefined || maxFeePerGas === undefined) {
    throw new TypeError("the transaction is not of type 2 or 4 with a recipient, chain id and maxFeePerGas")
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

/**
 * Makes `carries(order)`: true if the signed transaction runs the order. The entry that it calls may be one that the chain's settings know
 * no longer.
 */
export const carrier = (
  raw: Hex,
  contracts: Pick<SweepContracts["Service"], "decodeCall" | "decodeRun" | "isRun">
): ((order: Pick<SweepOrder, "nonce" | "owner">) => boolean) => {
  const { data, to } = parse(raw)
  const calls = contracts.isRun(data) ? contracts.decodeRun(data) : [{ account: to, data }]
  const nonces = new Set(
    calls.flatMap((call) => contracts.decodeCall(call.data).map(({ nonce }) => `${call.account}:${nonce}`))
  )
  return ({ nonce, owner }) => nonces.has(`${owner}:${nonce}`)
}

/** A transaction that only uses up the lane's nonce. */
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

/** True when the transaction is the lane's self-send, false when it carries sweeps. */
export const isSelfSend = (raw: Hex, lane: Address.Address): boolean => parse(raw).to === lane
