/**
 * {@link FeeValue} from a table of rates that tests can change. A token that is not in the table is worth nothing. One with a depth is sold by
 * a thin pool: a fee counts for its share of the sale of all that is to be paid.
 */
import { Context, Effect, Layer, Ref } from "effect"
import type * as Address from "../../../domain/Address.ts"
import { FeeValue } from "../../../ports/orchestrator/FeeValue.ts"

/** Wei for one smallest unit of a token, by token: a numerator, a denominator, and the units of the token in the pool, if it is thin. */
export type Rates = ReadonlyMap<Address.Address, readonly [bigint, bigint, depth?: bigint]>

/** The test's handle on the adapter. */
export class FeeRates extends Context.Service<FeeRates, Ref.Ref<Rates>>()("sweep/adapters/memory/FeeRates") {}

export const layer = (initial: Rates = new Map()): Layer.Layer<FeeValue | FeeRates> =>
  Layer.effect(
    FeeValue,
    Effect.map(FeeRates, (rates) => ({
      realisable: Effect.fnUntraced(function* (_client, token, amount, unpaid) {
        const [numerator, denominator, depth] = (yield* Ref.get(rates)).get(token) ?? [0n, 1n]
        const wei = (amount * numerator) / denominator
        if (depth === undefined) return wei
        const whole = amount + (unpaid === undefined ? 0n : yield* unpaid.beside)
        return (wei * depth) / (depth + whole)
      })
    }))
  ).pipe(Layer.provideMerge(Layer.effect(FeeRates, Ref.make(initial))))
