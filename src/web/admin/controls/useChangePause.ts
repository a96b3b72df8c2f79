/** Changes a pause, and reads the pauses again. */
import { useMutation, useQueryClient } from "@tanstack/react-query"
import type { ChangeOfPause } from "../../../domain/Pause.ts"
import { CONSOLE } from "../../api/queryClient.ts"
import { toast } from "../../ui/Toast.tsx"
import { call } from "../client.ts"
import { pauses } from "../queries.ts"

/** `text`: name of the subject. `onDone` runs when the change holds. */
export const useChangePause = (text: string, onDone: () => void) => {
  const client = useQueryClient()
  return useMutation({
    mutationKey: [CONSOLE, "pause"],
    mutationFn: (change: ChangeOfPause) => call((api) => api.operations.changePause({ payload: change })),
    onSuccess: async ({ state }) => {
      await client.invalidateQueries({ queryKey: pauses.queryKey })
      toast.done(state === "paused" ? `${text}: paused on every replica.` : `${text}: running again.`)
      onDone()
    }
  })
}
