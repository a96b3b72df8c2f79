/** The call of an owner's account that runs sweeps: `execute` of an order that is signed alone, `executeBatch` of legs of a batch. */
import { size, type Hex } from "../../domain/Hex.ts"
import { batchCallGas, executionGas } from "../../domain/RelayGas.ts"
import { compact } from "../../domain/Signature.ts"
import type { Group } from "../../domain/SweepGroups.ts"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import type { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"

type Called = Pick<Intent, "dataGas" | "gas" | "order" | "submission">

/** Calldata for the owner's account. Several sweeps are legs that stand next to each other in one batch. */
export const dataOf = (contracts: SweepContracts["Service"], sweeps: Group<Called>): Hex => {
  const [{ order, submission }] = sweeps
  const signature = compact(submission?.signature ?? "0x")
  const batch = submission?.batch
  if (batch === undefined) return contracts.encodeExecute(order, signature)
  const legs = sweeps.map((each) => ({ order: each.order, gasLimit: executionGas(each) }))
  return contracts.encodeBatch({ legs, legHashes: batch.legHashes, first: batch.leg, signature })
}

/** Gas limit of the call. */
export const gasOf = (sweeps: Group<Called>): bigint => {
  const [first] = sweeps
  return first.submission?.batch === undefined
    ? executionGas(first)
    : batchCallGas(sweeps.map(executionGas), first.submission.batch.legHashes.length)
}

/** Words of a leg in the calldata of `executeBatch`: its gas limit, the order's fields, the length of its bytes and an offset. */
const LEG_WORDS = 17

/** Bytes that a leg adds to the calldata of a call that runs other legs of its batch. */
export const legBytes = ({ order }: Pick<Called, "order">): number =>
  32 * (LEG_WORDS + Math.ceil(size(order.swapCalldata) / 32))

/** True if the call of one sweep, which did not revert, ran it. An account without code accepts every call and returns nothing. */
export const hasRun = ({ submission }: Called, returned: Hex): boolean =>
  size(returned) === 32 && (submission?.batch === undefined || BigInt(returned) === 1n)
