/** Classes that the loss of a sweep of listed tokens counts for. */
import { type ExposureClass, HOLDING_LISTED, isOfFirstSweeps, parse } from "./Exposure.ts"

/**
 * Classes that a loss on listed tokens counts for which the owner has not caused, such as that of a sweep that settled while gas
 * was dear. The chain's budget of an hour limits those.
 */
export const ofMarket = (classes: ReadonlyArray<ExposureClass>): ReadonlyArray<ExposureClass> =>
  classes.filter((key) => {
    const parts = parse(key)
    return parts !== undefined && !HOLDING_LISTED.has(parts.kind)
  })

/**
 * Classes that a loss on listed tokens counts for, of a sweep that had reserved `pots`. The loss of a first sweep uses up the budget
 * of first sweeps. It counts for the owner too, and for no class that other owners share.
 */
export const ofReserved = (
  classes: ReadonlyArray<ExposureClass>,
  pots: ReadonlyArray<ExposureClass>
): ReadonlyArray<ExposureClass> =>
  pots.some(isOfFirstSweeps) ? classes.filter((key) => parse(key)?.kind === "owner") : classes
