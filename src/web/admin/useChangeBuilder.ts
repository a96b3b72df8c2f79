/** Changes a builder and refreshes the queries that show it. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import type { PatchRequest } from "../../api/builder/Schemas.ts"
import { call } from "./client.ts"
import { CONSOLE } from "../api/queryClient.ts"
import { toast } from "../ui/Toast.tsx"

export const useChangeBuilder = (id: string, done: string, after?: () => void) => {
  const client = useQueryClient()
  return useMutation({
    mutationKey: [CONSOLE, "patch", id],
    mutationFn: (payload: typeof PatchRequest.Type) =>
      call((api) => api.console.patchBuilder({ params: { id }, payload })),
    onSuccess: async () => {
      toast.done(done)
      await client.invalidateQueries({ queryKey: [CONSOLE] })
      after?.()
    }
  })
}
