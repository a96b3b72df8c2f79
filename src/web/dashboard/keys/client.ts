/** API client of builders' API keys and first steps. */
import type { MyKeys } from "../../../api/builder/KeysApi.ts"
import { callerOf, callsOf } from "../../api/backend.ts"

export const client = {
  keys: callsOf<typeof MyKeys>()({
    list: "GET /me/apikeys",
    create: "POST /me/apikeys",
    revoke: "DELETE /me/apikeys/:id",
    milestones: "GET /me/milestones"
  })
}

export const call = callerOf(client)
