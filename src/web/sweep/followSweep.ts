/** Follows the intents of a signature until they have ended, or until it is certain that the service has forgotten them. */
import { type Intent, NotFoundError, type SweepClient } from "../../sdk/index.ts"
import { forgottenIn } from "./forgotten.ts"
import { isEnded, type Submission } from "./submissions.ts"

export interface FollowSweepOptions {
  /** The stored submissions. */
  readonly list: ReadonlyArray<Submission>
  readonly signal: AbortSignal
  /** Called with the first known states, after every change, and with the ends. */
  readonly saw: (intents: ReadonlyArray<Intent>) => void
}

/**
 * Resolves with the ends of the intents. Those that the service does not tell of end as unknown once none of them can settle. Before that
 * time, they stay as they are, and an unknown sweep is an error.
 */
export const followSweep = async (
  client: Pick<SweepClient, "waitForSweep">,
  sweepId: string,
  { list, saw, signal }: FollowSweepOptions
): Promise<ReadonlyArray<Intent>> => {
  let last: ReadonlyArray<Intent> = []
  const whole = (told: ReadonlyArray<Intent>) => [...told, ...forgottenIn(list, sweepId, told, Date.now())]
  const end = (intents: ReadonlyArray<Intent>) => {
    saw(intents)
    return intents
  }
  try {
    const { intents } = await client.waitForSweep(sweepId, {
      signal,
      onProgress: ({ intents }) => {
        last = intents
        saw(whole(intents))
      }
    })
    return end(whole(intents))
  } catch (error) {
    if (!(error instanceof NotFoundError)) throw error
    const ended = last.filter(isEnded)
    const ends = whole(ended)
    if (ends.length === ended.length) throw error
    return end(ends)
  }
}
