/** The signed-in builder. Only for pages in the dashboard's layout, which requires a session. */
import { useQueryClient } from "@tanstack/react-query"
import { useState } from "react"
import type { Builder } from "../../domain/Builder.ts"
import { me } from "../api/queries.ts"

export const useBuilder = (): Builder => {
  const client = useQueryClient()
  // The session may end while the page is shown. The page keeps its data until the layout removes it.
  const [builder] = useState(() => client.getQueryData(me.queryKey))
  if (!builder) throw new Error("a page of the dashboard was shown to nobody")
  return builder
}
