/** {@link FeeValue} from a table of rates that tests can change. A token that is not in the table is worth nothing. */
import { Context, Effect, Layer, Ref } from "effect"
import type * as Address from "../../../domain/Address.ts"
import { FeeValue } from "../../../ports/orchestrator/FeeValue.ts"

/** Wei for one smallest unit of a token, by token: a numerator and a denominator. */
export type Rates = ReadonlyMap<Address.Address, readonly [bigint, bigint]>

/** The test's handle on the adapter. */
export class FeeRates extends Context.Service<FeeRates, Ref.Ref<Rates>>()("sweep/adapters/memory/FeeRates") {}

export const layer = (initial: Rates = new Map()): Layer.Layer<FeeValue | FeeRates> =>
  Layer.effect(
    FeeValue,
    Effect.map(FeeRates, (rates) => ({
      realisable: (_client, token, amount) =>
        Effect.map(Ref.get(rates), (known) => {
          const [numerator, denominator] = known.get(token) ?? [0n, 1n]
          return (amount * numerator) / denominator
        })
    }))
  ).pipe(Layer.provideMerge(Layer.effect(FeeRates, Ref.make(initial))))
