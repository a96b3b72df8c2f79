/**
 * Earnings and costs by day, in US dollars at the prices of their time. Counted in the transaction of their cause: `Intents.applyAll`
 * counts fees, and `RelayTransactions` counts costs.
 */
import { Context, type Effect } from "effect"
import type { Lines } from "../../domain/Money.ts"
import type { StoreUnavailable } from "../shared/Store.ts"

/** Builders that are listed. */
export const BUILDERS = 200

export class MoneyBook extends Context.Service<
  MoneyBook,
  {
    /** Sums since the start of the UTC day of `fromMs` (UNIX milliseconds). The {@link BUILDERS} builders with the largest fees. */
    readonly since: (fromMs: number) => Effect.Effect<Lines, StoreUnavailable>
  }
>()("sweep/ports/MoneyBook") {}
