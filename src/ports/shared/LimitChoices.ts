/** Limits of chains that the operator chose in place of the settings, as this process knows them. */
import { Context, Effect } from "effect"
import type { Chain } from "../../domain/Chain.ts"
import { type LimitChoice, limited } from "../../domain/Limit.ts"

/** Default: none. */
export const LimitChoices = Context.Reference<Effect.Effect<ReadonlyArray<LimitChoice>>>("sweep/ports/LimitChoices", {
  defaultValue: () => Effect.succeed([])
})

/** Makes `withLimits(chain)`: the chain with the limits that hold now. */
export const make = Effect.map(
  LimitChoices,
  (choices) =>
    (chain: Chain): Effect.Effect<Chain> =>
      Effect.map(choices, (chosen) => limited(chain, chosen))
)
