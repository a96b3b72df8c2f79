/** Periods of the pages about money. */
import type { Period } from "../../domain/Money.ts"

/** Days, as the service offers them. */
export const PERIODS = [7, 30, 90] as const satisfies ReadonlyArray<Period>
