/** Makes a sweep that no transaction carries claimable again. Safe to repeat. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import { CONSOLE } from "../api/queryClient.ts"
import { Button } from "../ui/Button.tsx"
import { toast } from "../ui/Toast.tsx"
import { call } from "./client.ts"

export function RetryButton({ id }: { readonly id: string }) {
  const client = useQueryClient()
  const retry = useMutation({
    mutationKey: [CONSOLE, "retry"],
    mutationFn: () => call((api) => api.operations.retry({ params: { id } })),
    onSuccess: async ({ explanation }) => {
      toast.done(explanation)
      await client.invalidateQueries({ queryKey: [CONSOLE, "operations"] })
    },
    onError: toast.failed
  })
  return (
    <Button aria-label={`Retry ${id}`} busy={retry.isPending} icon="refresh" onClick={() => retry.mutate()} small>
      Retry
    </Button>
  )
}
