/** The protocol's income, one line per settlement. */
import { Context, type Effect, Schema } from "effect"
import type { Revenue } from "../../domain/Accrual.ts"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Booked } from "./Ledger.ts"
import type { StoreUnavailable } from "../shared/Store.ts"

/** The settlement was booked with other content. */
export class RevenueConflict extends Schema.TaggedError<RevenueConflict>()("RevenueConflict", {
  sweepId: Schema.String
}) {
  override get message(): string {
    return `revenue of sweep ${this.sweepId} is booked with other content`
  }
}

/** What one token on one chain brought in on one UTC day. */
export interface DailyRevenue {
  /** `YYYY-MM-DD`. */
  readonly day: string
  readonly chainId: ChainId
  readonly token: Address.Address
  readonly amount: bigint
  readonly sweeps: number
}

export class RevenueBook extends Context.Service<
  RevenueBook,
  {
    /** Books under the sweep id. Repeated with the same content it changes nothing; durable when it returns. */
    readonly book: (revenue: Revenue) => Effect.Effect<Booked, RevenueConflict | StoreUnavailable>
    /**
     * Books many at once, and tells which of them are booked as they were given, now or before. The others are booked with
     * other content, as {@link book} says of each.
     */
    readonly bookAll: (revenues: ReadonlyArray<Revenue>) => Effect.Effect<ReadonlySet<string>, StoreUnavailable>
    /** By day, chain and token, newest day first; settled from `fromMs` on and before `toMs`. */
    readonly daily: (period: {
      readonly fromMs: number
      readonly toMs: number
    }) => Effect.Effect<ReadonlyArray<DailyRevenue>, StoreUnavailable>
  }
>()("sweep/ports/RevenueBook") {}
