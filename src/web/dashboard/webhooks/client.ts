/** API client of builders' webhooks. */
import type { MyWebhooks } from "../../../api/builder/WebhookApi.ts"
import { callerOf, callsOf } from "../../api/backend.ts"

export const client = {
  webhooks: callsOf<typeof MyWebhooks>()({
    list: "GET /me/webhooks",
    create: "POST /me/webhooks",
    patch: "PATCH /me/webhooks/:id",
    remove: "DELETE /me/webhooks/:id",
    rotateSecret: "POST /me/webhooks/:id/secret/rotate",
    test: "POST /me/webhooks/:id/test",
    deliveries: "GET /me/webhooks/:id/deliveries",
    replayFailed: "POST /me/webhooks/:id/replay-failed",
    replay: "POST /me/webhooks/deliveries/:id/replay"
  })
}

export const call = callerOf(client)
