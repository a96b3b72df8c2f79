/** Tells the changes of an intent or a sweep from repeated reports of the same state. */
import type { Intent } from "../model/Intent.ts"

type Observed = Pick<Intent, "status" | "txHash" | "deliveryTxHash" | "waitingFor">

const factsOf = ({ deliveryTxHash, status, txHash, waitingFor }: Observed): string =>
  `${status} ${txHash} ${deliveryTxHash} ${waitingFor}`

/** Makes a function that returns true for the first state, and for each one whose facts differ from those of the state before. */
const changesOf = <State>(facts: (state: State) => string): ((state: State) => boolean) => {
  let last: string | undefined
  return (state) => {
    const before = last
    last = facts(state)
    return last !== before
  }
}

/** Makes a function that returns true for the first state of an intent, and for each one that differs from the state before. */
export const makeChangeFilter = (): ((state: Observed) => boolean) => changesOf(factsOf)

/** The same for the states of a sweep: a change of any of its intents is one of the sweep. */
export const makeSweepChangeFilter = (): ((state: { readonly intents: ReadonlyArray<Observed> }) => boolean) =>
  changesOf(({ intents }) => intents.map(factsOf).join())
