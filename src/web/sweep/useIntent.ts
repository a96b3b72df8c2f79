/** Follows a submitted intent until it has ended. Components that follow intents of the same sweep share one query. */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import { type Intent, NotFoundError } from "../../sdk/index.ts"
import { DELEGATION, holdings, useSession } from "./session.ts"
import { isEnded, lastSeen, NOT_SUBMITTED, type Submission } from "./submissions.ts"

/** Time at which the page was opened. It is about to submit unsent submissions that are younger. */
export const openedAtMs = Date.now()

/** Time after which a request that was under way when a page was closed has arrived, or never will. */
const LOST_MILLIS = 60_000

export const useIntent = (submission: Submission) => {
  const session = useSession()
  const queries = useQueryClient()
  const { client, onDelivered, submissions } = session
  const { id, isUnsent = false, submittedAtMs, sweepId } = submission
  const key = ["intents", sweepId ?? id]
  const query = useQuery({
    queryKey: key,
    enabled: !isEnded(submission) && !(isUnsent && submittedAtMs >= openedAtMs),
    // An intent that has not ended is followed again when its component is mounted.
    staleTime: 0,
    queryFn: async ({ signal }): Promise<ReadonlyArray<Intent>> => {
      const told = new Set(submissions.list.filter(isEnded).map((each) => each.id))
      const saw = (intents: ReadonlyArray<Intent>) => {
        queries.setQueryData(key, intents)
        submissions.update(intents)
        const ended = intents.filter((intent) => isEnded(intent) && !told.has(intent.id))
        for (const intent of ended) {
          told.add(intent.id)
          if (intent.status === "delivered") onDelivered(intent)
        }
        if (ended.length === 0) return
        void queries.invalidateQueries({ queryKey: holdings(session).queryKey })
        void queries.invalidateQueries({ queryKey: [DELEGATION] })
      }
      if (sweepId !== undefined) {
        return (await client.waitForSweep(sweepId, { signal, onProgress: ({ intents }) => saw(intents) })).intents
      }
      try {
        return [await client.waitForIntent(id, { signal, onProgress: (intent) => saw([intent]) })]
      } catch (error) {
        if (!(error instanceof NotFoundError) || !isUnsent || Date.now() - submittedAtMs < LOST_MILLIS) throw error
        const lost: Intent = { ...lastSeen(submission), status: "failed", failureReason: NOT_SUBMITTED }
        saw([lost])
        return [lost]
      }
    }
  })
  const intent = query.data?.find((each) => each.id === id) ?? lastSeen(submission)
  return { intent, error: query.error, retry: query.refetch }
}
