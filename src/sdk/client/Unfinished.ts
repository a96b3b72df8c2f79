/** The steps after a signature. */
import { SweepUnfinishedError } from "../model/Errors.ts"
import { SweepError } from "../model/SweepError.ts"

/**
 * Follows a signed sweep once it is accepted. Every error of the client becomes a {@link SweepUnfinishedError}, so that nobody takes it for
 * one after which the whole call can be repeated.
 */
export const finished = async <Accepted extends { readonly id: string }, Ended>(
  quoteIds: ReadonlyArray<string>,
  submission: Promise<Accepted>,
  follow: (accepted: Accepted) => Promise<Ended>
): Promise<Ended> => {
  let id: string | undefined
  try {
    const accepted = await submission
    id = accepted.id
    return await follow(accepted)
  } catch (error) {
    throw error instanceof SweepError ? new SweepUnfinishedError(quoteIds, id, error) : error
  }
}
