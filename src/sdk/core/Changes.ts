/** Tells the changes of an intent from repeated reports of the same state. */
import type { Intent } from "../model/Intent.ts"

type Observed = Pick<Intent, "status" | "txHash" | "deliveryTxHash" | "waitingFor">

/** Makes a function that returns true for the first state, and for each one that differs from the state before. */
export const makeChangeFilter = (): ((state: Observed) => boolean) => {
  let last: Observed | undefined
  return (state) => {
    const changed =
      last?.status !== state.status ||
      last.txHash !== state.txHash ||
      last.deliveryTxHash !== state.deliveryTxHash ||
      last.waitingFor !== state.waitingFor
    last = state
    return changed
  }
}
