/** Chooses the endpoints of one fiber's reads, so that a read can run again on another endpoint. */
import { Context, Effect } from "effect"
import type { Endpoint } from "./JsonRpc.ts"

export interface Choice {
  /** The only endpoint that is asked. Undefined: any. */
  readonly only: Endpoint | undefined
  /** Endpoints whose answers were used. */
  readonly answered: Set<Endpoint>
  /** True if the endpoint has to read the state of each block that it shows; see `Comparison`. Default: false. */
  readonly needsState?: boolean
}

/** Choice of the current fiber. Default: none. */
export const Current = Context.Reference<Choice | undefined>("sweep/adapters/rpc/Choice", {
  defaultValue: () => undefined
})

/** Endpoints of the list that the choice allows. */
export const allowed = <E extends Endpoint>(choice: Choice | undefined, endpoints: ReadonlyArray<E>) =>
  choice?.only === undefined ? endpoints : endpoints.filter((endpoint) => endpoint === choice.only)

/** An answer, with the endpoint that gave it. */
export interface Given<A> {
  readonly answer: A
  readonly by: Endpoint
}

/** Notes who gave the answer, and returns it. */
export const used = <A, E>(given: Effect.Effect<Given<A>, E>): Effect.Effect<A, E> =>
  Effect.flatMap(given, ({ answer, by }) =>
    Effect.map(Current, (choice) => {
      choice?.answered.add(by)
      return answer
    })
  )
