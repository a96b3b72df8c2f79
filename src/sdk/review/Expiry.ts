/** Tells if reviewed quotes have expired. Pure. */
import { QuoteExpiredError } from "../model/Errors.ts"
import type { ReviewedTerms } from "./TermsReview.ts"

/** True if a quote expired since its review. One that looked expired even then came to a clock that is fast, which tells nothing. */
const hasExpired = ({ expiresAt, reviewedAt }: ReviewedTerms, nowMs: number): boolean =>
  reviewedAt < expiresAt && expiresAt.getTime() <= nowMs

/**
 * Refuses to sign quotes that the service would refuse.
 *
 * @param nowMs - UNIX milliseconds by the clock of the review
 * @throws {QuoteExpiredError} if one of them has expired since its review
 */
export const refuseExpired = (terms: ReadonlyArray<ReviewedTerms>, nowMs: number): void => {
  const expired = terms.filter((each) => hasExpired(each, nowMs))
  const [first] = expired
  if (first === undefined) return
  throw new QuoteExpiredError(
    expired.map(({ quoteId }) => quoteId),
    first.expiresAt
  )
}
