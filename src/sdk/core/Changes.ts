/** Tells the changes of an intent or a sweep from repeated reports of the same state. */
import { intentsOf } from "../model/Batch.ts"
import type { Intent } from "../model/Intent.ts"

type Observed = Pick<Intent, "status" | "txHash" | "deliveryTxHash" | "pendingFailureReason" | "waitingFor">

const factsOf = ({ deliveryTxHash, pendingFailureReason, status, txHash, waitingFor }: Observed): string =>
  `${status} ${txHash} ${deliveryTxHash} ${waitingFor} ${pendingFailureReason}`

/**
 * Makes a function that returns true for the first state, and for each one that differs from the state before. A change of any intent of
 * a sweep is one of the sweep.
 */
export const makeChangeFilter = (): ((state: Observed | { readonly intents: ReadonlyArray<Observed> }) => boolean) => {
  let last: string | undefined
  return (state) => {
    const before = last
    last = intentsOf(state).map(factsOf).join()
    return last !== before
  }
}
