/**
 * Follows a submitted intent until it has ended. One that awaits a bridge's refund is read again when the page is opened or gets the focus.
 * Components that follow intents of the same sweep share one query.
 */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import type { Intent } from "../../sdk/index.ts"
import { followIntent } from "./followIntent.ts"
import { followSweep } from "./followSweep.ts"
import { DELEGATION, holdings, useSession } from "./session.ts"
import { awaitsRefund, isEnded, lastSeen, type Submission } from "./submissions.ts"
import { isBeingSent } from "./useSubmissions.ts"

export const useIntent = (submission: Submission) => {
  const session = useSession()
  const queries = useQueryClient()
  const { client, onDelivered, submissions } = session
  const { id, sweepId } = submission
  const key = ["intents", sweepId ?? id]
  const query = useQuery({
    queryKey: key,
    enabled: (!isEnded(submission) || awaitsRefund(submission)) && !isBeingSent(submission),
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
      if (sweepId !== undefined) return followSweep(client, sweepId, { list: submissions.list, signal, saw })
      const end = await followIntent(client, submission, { signal, saw: (intent) => saw([intent]) })
      // The service does not tell of one that never reached it.
      if (!told.has(id)) saw([end])
      return [end]
    }
  })
  const intent = query.data?.find((each) => each.id === id) ?? lastSeen(submission)
  return { intent, error: query.error, retry: query.refetch }
}
