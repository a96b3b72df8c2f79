/** The steps after a signature. */
import { InvalidRequestError, RateLimitedError, SweepPostponedError, SweepRefusedError } from "../model/ApiErrors.ts"
import { SweepUnfinishedError } from "../model/Errors.ts"
import { SweepError } from "../model/SweepError.ts"

/** True if the service stored nothing. A cause is an earlier attempt after which that is unknown. */
const isRefusal = (error: SweepError): boolean =>
  !error.cause &&
  (error instanceof RateLimitedError ||
    error instanceof InvalidRequestError ||
    error instanceof SweepPostponedError ||
    // A masked refusal may stand for `already_submitted` too.
    (error instanceof SweepRefusedError && error.reason !== "already_submitted"))

/**
 * Follows a signed sweep once it is accepted. An error of the client becomes a {@link SweepUnfinishedError}, so that nobody takes it for one
 * after which the whole call can be repeated. Refusals of the submission are kept.
 */
export const finished = async <Accepted extends { readonly id: string }, Ended>(
  quoteIds: ReadonlyArray<string>,
  submission: Promise<Accepted>,
  follow: (accepted: Accepted) => Promise<Ended>
): Promise<Ended> => {
  let accepted: Accepted | undefined
  try {
    accepted = await submission
    return await follow(accepted)
  } catch (error) {
    throw !(error instanceof SweepError) || (!accepted && isRefusal(error))
      ? error
      : new SweepUnfinishedError(quoteIds, accepted?.id, error)
  }
}
