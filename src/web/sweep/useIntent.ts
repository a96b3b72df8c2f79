/** Follows a submitted sweep to its end. Whoever asks for the same one shares the answer. */
import { useQuery, useQueryClient } from "@tanstack/react-query"
import type { Intent } from "../../sdk/index.ts"
import { DELEGATION, holdings, useSession } from "./session.ts"
import { isEnded, type Submission } from "./submissions.ts"

/** As it was last seen, for what has ended or is not heard of yet. */
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
    // Whoever comes back to a sweep that has not ended follows it further.
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
