/**
 * Copies of a list that lack too many addresses of the list in use. One such copy may be damaged or forged. When newer ones agree with it
 * for a day, the list did become shorter.
 */
import { Result } from "effect"
import * as SanctionsList from "../../domain/SanctionsList.ts"

/** Time for which newer copies must agree before they count for the list's age, in milliseconds. */
const AGREED_MILLIS = 86_400_000

export interface Copy {
  readonly list: SanctionsList.SanctionsList
  /** Time at which the source wrote or sent the copy, in UNIX milliseconds. Undefined if it is not known. */
  readonly madeAt: number | undefined
}

/** Copies in a row that lost too many addresses, and agree with each other. */
export interface Shrunk {
  /** UNIX milliseconds at which the first of them was read. */
  readonly sinceMillis: number
  /** Time of the first of them that has one, in UNIX milliseconds. */
  readonly firstMadeAt: number | undefined
  readonly first: SanctionsList.SanctionsList
  readonly newest: Copy
}

/** The copies that lost too many addresses, after one more of them. It must agree with the first as well, or they could shrink in steps. */
export const after = (known: Shrunk | undefined, next: Copy, now: number, maxRemovedPercent: number): Shrunk => {
  const agrees = (before: SanctionsList.SanctionsList) =>
    Result.isSuccess(SanctionsList.replace(before, next.list, maxRemovedPercent))
  return known !== undefined && agrees(known.first) && agrees(known.newest.list)
    ? { ...known, firstMadeAt: known.firstMadeAt ?? next.madeAt, newest: next }
    : { sinceMillis: now, firstMadeAt: next.madeAt, first: next.list, newest: next }
}

/** True if copies that were made and read for a day have shown that the list became shorter. One copy that is read again confirms nothing. */
export const isConfirmed = ({ firstMadeAt, newest: { madeAt }, sinceMillis }: Shrunk, now: number): boolean =>
  now - sinceMillis >= AGREED_MILLIS &&
  firstMadeAt !== undefined &&
  madeAt !== undefined &&
  madeAt - firstMadeAt >= AGREED_MILLIS
