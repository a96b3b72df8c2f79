/** {@link PriceMoves} from a table that tests can change. A token that is not in it has no measured volatility. */
import { Context, Effect, Layer, Ref } from "effect"
import type * as Address from "../../../domain/Address.ts"
import { PriceMoves } from "../../../ports/orchestrator/PriceMoves.ts"

/** The test's handle on the adapter: basis points by token. */
export class MovesState extends Context.Service<MovesState, Ref.Ref<ReadonlyMap<Address.Address, number>>>()(
  "sweep/adapters/memory/PriceMoves"
) {}

export const layer = (
  initial: ReadonlyMap<Address.Address, number> = new Map()
): Layer.Layer<PriceMoves | MovesState> =>
  Layer.effect(
    PriceMoves,
    Effect.map(MovesState, (state) => ({
      volatilityBps: (_chainId, token) => Effect.map(Ref.get(state), (known) => known.get(token))
    }))
  ).pipe(Layer.provideMerge(Layer.effect(MovesState, Ref.make(initial))))
