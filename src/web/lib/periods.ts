/** Periods of the pages about money. */
import type { Period } from "../../domain/Money.ts"

export type { Period }

/** Days, as the service offers them. */
export const PERIODS = [7, 30, 90] as const satisfies ReadonlyArray<Period>

export const DEFAULT_PERIOD: Period = 30

/** The period of that many days, or the default. */
export const periodOf = (days: unknown): Period =>
  PERIODS.find((each) => String(each) === String(days)) ?? DEFAULT_PERIOD
