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
 * Submits a signed sweep and follows it once it is accepted. An error of the client, or an abort, becomes a {@link SweepUnfinishedError}, so
 * that nobody takes it for one after which the whole call can be repeated. Refusals of the submission are kept, and an abort before it.
 */
export const finished = async <Accepted extends { readonly id: string }, Ended>(
  quoteIds: ReadonlyArray<string>,
  signal: AbortSignal | undefined,
  submit: () => Promise<Accepted>,
  follow: (accepted: Accepted) => Promise<Ended>
): Promise<Ended> => {
  signal?.throwIfAborted()
  let accepted: Accepted | undefined
  try {
    accepted = await submit()
    return await follow(accepted)
  } catch (error) {
    if (error instanceof SweepError) {
      throw !accepted && isRefusal(error) ? error : new SweepUnfinishedError(quoteIds, accepted?.id, error)
    }
    throw signal?.aborted === true ? new SweepUnfinishedError(quoteIds, accepted?.id, signal.reason) : error
  }
}
