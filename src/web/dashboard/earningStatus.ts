/** Statuses of earnings. */
import type { Activity, EarningStatus } from "../../domain/LedgerEntry.ts"

export const STATUSES: ReadonlyArray<EarningStatus> = ["owed", "paid", "reversed"]

export const statusOf = ({ paid, reversed }: Activity): EarningStatus =>
  reversed === true ? "reversed" : paid ? "paid" : "owed"
