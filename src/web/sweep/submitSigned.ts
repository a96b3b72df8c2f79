/** Sends a signed sweep until the service answers, or its quotes have expired. */
import { sleep } from "../../sdk/client/Sleep.ts"
import { NetworkError, type SignedBatch, type SweepAccepted, type SweepClient } from "../../sdk/index.ts"

/** Pause before a submission without an answer is sent again. */
const PAUSE_MILLIS = 2_000

/**
 * Submits a signed sweep, and repeats it under one idempotency key while no response arrives: a signature is not lost to a tunnel. Rejects with
 * the last error. Its cause is then an earlier attempt, which the service may have accepted.
 */
export const submitSigned = async (
  client: Pick<SweepClient, "submitSweep">,
  signed: SignedBatch,
  expiresAt: Date
): Promise<SweepAccepted> => {
  const idempotencyKey = crypto.getRandomValues(new Uint32Array(4)).join("-")
  let lost: NetworkError | undefined
  for (;;) {
    try {
      // oxlint-disable-next-line no-await-in-loop -- one attempt after the other
      return await client.submitSweep(signed, { idempotencyKey })
    } catch (error) {
      const isOver = Date.now() + PAUSE_MILLIS >= expiresAt.getTime()
      if (!(error instanceof NetworkError) || isOver) {
        if (error instanceof Error) error.cause ??= lost
        throw error
      }
      lost = error
    }
    // oxlint-disable-next-line no-await-in-loop
    await sleep(PAUSE_MILLIS, undefined)
  }
}
