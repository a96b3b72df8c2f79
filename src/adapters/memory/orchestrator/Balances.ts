/** {@link Balances} from a table that tests can change. */
import { Context, Effect, Layer, Ref } from "effect"
import type * as Address from "../../../domain/Address.ts"
import { Balances, BalancesUnavailable, type TokenBalance } from "../../../ports/orchestrator/Balances.ts"

export interface State {
  /** In the order of the result. */
  readonly held: ReadonlyMap<Address.Address, ReadonlyArray<TokenBalance>>
  readonly available: boolean
}

/** The test's handle on the adapter. */
export class BalancesState extends Context.Service<BalancesState, Ref.Ref<State>>()(
  "sweep/adapters/memory/BalancesState"
) {}

export const layer = (initial: Partial<State> = {}): Layer.Layer<Balances | BalancesState> =>
  Layer.effect(
    Balances,
    Effect.map(BalancesState, (state) => ({
      on: Effect.fn("Balances.on")(function* (chainId, owner) {
        const { available, held } = yield* Ref.get(state)
        if (!available) return yield* new BalancesUnavailable({ detail: "turned off" })
        return (held.get(owner) ?? []).filter(({ balance, token }) => balance > 0n && token.chainId === chainId)
      })
    }))
  ).pipe(Layer.provideMerge(Layer.effect(BalancesState, Ref.make({ held: new Map(), available: true, ...initial }))))
