/** Follows a submitted sweep until it has ended. Components that follow the same sweep share one query. */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import type { Intent } from "../../sdk/index.ts"
import { DELEGATION, holdings, useSession } from "./session.ts"
import { isEnded, type Submission } from "./submissions.ts"

/** The last known state, for a sweep that has ended or has no answer yet. */
const lastSeen = ({ deliveryTxHash, failureReason, id, receive, send, status, txHash }: Submission): Intent => ({
  id,
  status,
  crossChain: send.chainId !== receive.chainId,
  ...(txHash === undefined ? {} : { txHash }),
  ...(deliveryTxHash === undefined ? {} : { deliveryTxHash }),
  ...(failureReason === undefined ? {} : { failureReason })
})

export const useIntent = (submission: Submission) => {
  const session = useSession()
  const queries = useQueryClient()
  const { client, onDelivered, submissions } = session
  const { id } = submission
  const key = ["intent", id]
  const query = useQuery({
    queryKey: key,
    enabled: !isEnded(submission),
    // A sweep that has not ended is followed again when its component is mounted.
    staleTime: 0,
    queryFn: async ({ signal }) => {
      const intent = await client.waitForIntent(id, {
        signal,
        onProgress: (seen) => {
          queries.setQueryData(key, seen)
          submissions.update(id, seen)
        }
      })
      if (intent.status === "delivered") onDelivered(intent)
      await Promise.all([
        queries.invalidateQueries({ queryKey: holdings(session).queryKey }),
        queries.invalidateQueries({ queryKey: [DELEGATION] })
      ])
      return intent
    }
  })
  return { intent: query.data ?? lastSeen(submission), error: query.error, retry: query.refetch }
}
