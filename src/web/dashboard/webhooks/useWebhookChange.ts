/** Changes a webhook and refreshes the queries about webhooks. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { toast } from "../../ui/Toast.tsx"
import { call } from "./client.ts"
import { WEBHOOKS } from "./queries.ts"

type Request<A> = Parameters<typeof call<A>>[0]

export interface ChangeOptions<A> {
  readonly onDone?: (answer: A) => unknown
  /** Shows the error. Default: a toast. */
  readonly onFailed?: (error: unknown) => void
}

export const useWebhookChange = <A>({ onDone, onFailed = toast.failed }: ChangeOptions<A> = {}) => {
  const client = useQueryClient()
  return useMutation({
    mutationKey: WEBHOOKS,
    mutationFn: (request: Request<A>) => call(request),
    onSuccess: async (answer) => {
      await onDone?.(answer)
      await client.invalidateQueries({ queryKey: WEBHOOKS })
    },
    onError: onFailed
  })
}
