/** The call of an owner's account that runs a sweep: `execute` of an order that is signed alone, `executeBatch` of a leg. */
import { size, type Hex } from "../../domain/Hex.ts"
import { batchCallGas } from "../../domain/RelayGas.ts"
import { compact } from "../../domain/Signature.ts"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import type { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"

type Called = Pick<Intent, "gas" | "order" | "submission">

/** Calldata for the owner's account. */
export const dataOf = (contracts: SweepContracts["Service"], { gas, order, submission }: Called): Hex => {
  const signature = compact(submission?.signature ?? "0x")
  const batch = submission?.batch
  if (batch === undefined) return contracts.encodeExecute(order, signature)
  return contracts.encodeBatch({ legs: [{ order, gasLimit: gas }], ...batch, first: batch.leg, signature })
}

/** Gas limit of the call. */
export const gasOf = ({ gas, submission }: Called): bigint =>
  submission?.batch === undefined ? gas : batchCallGas([gas], submission.batch.legHashes.length)

/** True if the call, which did not revert, ran the sweep. An account without code accepts every call and returns nothing. */
export const hasRun = ({ submission }: Called, returned: Hex): boolean =>
  size(returned) === 32 && (submission?.batch === undefined || BigInt(returned) === 1n)
