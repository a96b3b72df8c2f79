/** Classes that the loss of a sweep of listed tokens counts for. */
import { type ExposureClass, HOLDING_LISTED, isOfFirstSweeps, parse } from "./Exposure.ts"

const isOfOwner = (key: ExposureClass): boolean => parse(key)?.kind === "owner"

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
 * of first sweeps. It counts for the owner too, and for no class that other owners share. A sweep that was sent as an unlisted one counts
 * for the unlisted classes that it had reserved: when it was claimed, the account that it pays had code of strangers. If it was a first
 * sweep and that code did not run, only its owner can have caused the loss, and others may pay the same account. `hasRun`: false if the
 * sweep was skipped, or failed before it paid. Default: true.
 */
export const ofReserved = (
  classes: ReadonlyArray<ExposureClass>,
  pots: ReadonlyArray<ExposureClass>,
  hasRun = true
): ReadonlyArray<ExposureClass> => {
  if (!hasRun && pots.some(isOfFirstSweeps)) return [...new Set([...classes, ...pots])].filter(isOfOwner)
  const unlisted = pots.filter((key) => parse(key)?.scope === "unlisted")
  if (unlisted.length > 0) return unlisted
  return pots.some(isOfFirstSweeps) ? classes.filter(isOfOwner) : classes
}
