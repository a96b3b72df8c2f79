/** Changes a webhook and refreshes the queries about webhooks. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { toast } from "../../ui/Toast.tsx"
import { call } from "./client.ts"
import { WEBHOOKS } from "./queries.ts"

type Request<A, E> = Parameters<typeof call<A, E>>[0]

export interface ChangeOptions<A> {
  readonly onDone?: (answer: A) => unknown
  /** Shows the error. Default: a toast. */
  readonly onFailed?: (error: unknown) => void
}

export const useWebhookChange = <A, E>({ onDone, onFailed = toast.failed }: ChangeOptions<A> = {}) => {
  const client = useQueryClient()
  return useMutation({
    mutationKey: WEBHOOKS,
    mutationFn: (request: Request<A, E>) => call(request),
    onSuccess: async (answer) => {
      await onDone?.(answer)
      await client.invalidateQueries({ queryKey: WEBHOOKS })
    },
    onError: onFailed
  })
}
