/** Fields that log events carry about an intent or a relay transaction, spelled the same everywhere. */
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import type { RelayTransaction } from "../../ports/orchestrator/RelayTransactions.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"

export const intentFields = ({ chain }: ChainClient, intent: Intent): Record<string, string | number> => ({
  intentId: intent.id,
  chain: chain.name,
  chainId: chain.id,
  owner: intent.order.owner,
  deadline: intent.order.deadline.toString()
})

/** `txHash` is that of the newest attempt, or of the given one. */
export const transactionFields = (
  { chain }: ChainClient,
  { attempts, intentIds, lane, nonce }: RelayTransaction,
  txHash: string = attempts.at(-1)?.hash ?? "none"
): Record<string, string | number> => ({
  chain: chain.name,
  chainId: chain.id,
  lane,
  nonce: nonce.toString(),
  txHash,
  sweeps: intentIds.length,
  intents: intentIds.join(",")
})
