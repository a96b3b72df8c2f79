/** The protocol's revenue, one line per settlement. */
import { Context, type Effect, Schema } from "effect"
import type { Revenue } from "../../domain/Accrual.ts"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Booked } from "./Ledger.ts"
import type { StoreUnavailable } from "../shared/Store.ts"

/** The settlement is booked with other content. */
export class RevenueConflict extends Schema.TaggedError<RevenueConflict>()("RevenueConflict", {
  sweepId: Schema.String
}) {
  override get message(): string {
    return `revenue of sweep ${this.sweepId} is booked with other content`
  }
}

/** Revenue in one token on one chain on one UTC day. */
export interface DailyRevenue {
  /** `YYYY-MM-DD`. */
  readonly day: string
  readonly chainId: ChainId
  readonly token: Address.Address
  /** In the token's smallest unit. May exceed a uint256. */
  readonly amount: bigint
  /** Number of settlements. */
  readonly sweeps: number
}

export class RevenueBook extends Context.Service<
  RevenueBook,
  {
    /** Books a line under its sweep id; durable when it returns. Idempotent. */
    readonly book: (revenue: Revenue) => Effect.Effect<Booked, RevenueConflict | StoreUnavailable>
    /**
     * Books many lines in one statement and returns the sweep ids that are booked with the given content, now or
     * before. The rest are booked with other content; {@link book} fails for each of them.
     */
    readonly bookAll: (revenues: ReadonlyArray<Revenue>) => Effect.Effect<ReadonlySet<string>, StoreUnavailable>
    /**
     * Sums by UTC day, chain and token, newest day first, of settlements from `fromMs` to before `toMs` (UNIX
     * milliseconds).
     */
    readonly daily: (period: {
      readonly fromMs: number
      readonly toMs: number
    }) => Effect.Effect<ReadonlyArray<DailyRevenue>, StoreUnavailable>
  }
>()("sweep/ports/RevenueBook") {}
