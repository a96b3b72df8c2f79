/** Comparison of kept sums with the rows that they sum up. */
import { Context, Effect, type Option } from "effect"
import type { StoreUnavailable } from "./Store.ts"

/** The first sum of its name that is wrong. */
export interface SumDifference {
  /** Name of the kept sums, such as `ledger`. */
  readonly sums: string
  /** Identifies the sum among those of the name. */
  readonly key: string
  /** Decimal number that is kept. */
  readonly kept: string
  /** Decimal number that the rows add up to. */
  readonly counted: string
  /** Number of wrong sums of the name. */
  readonly wrong: number
}

export interface KeptSumsShape {
  /** Names of all kept sums. */
  readonly names: ReadonlyArray<string>
  /** Reads whole tables. At most one difference for each name. None if another process compares at this time. */
  readonly differences: Effect.Effect<Option.Option<ReadonlyArray<SumDifference>>, StoreUnavailable>
}

/** Default: no sums are kept. */
export const KeptSums = Context.Reference<KeptSumsShape>("sweep/ports/KeptSums", {
  defaultValue: () => ({ names: [], differences: Effect.succeedNone })
})
