/** The builder who is signed in. Only for pages below the dashboard's layout, which shows them to nobody else. */
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import type { Builder } from "../../domain/Builder.ts"
import { me } from "../api/queries.ts"

export const useBuilder = (): Builder => {
  const client = useQueryClient()
  // The session may end while the page still stands: it keeps what it had until the layout takes it away.
  const [builder] = useState(() => client.getQueryData(me.queryKey))
  if (!builder) throw new Error("a page of the dashboard was shown to nobody")
  return builder
}
