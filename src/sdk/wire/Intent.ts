/** JSON of `POST /intents` and `GET /intents/:id`. */
import type { Accepted, Intent, IntentStatus } from "../model/Intent.ts"
import { boolean, hash, members, oneOf, text } from "./Reader.ts"

const status = oneOf([
  "quoted",
  "submitted",
  "settled_source",
  "delivered",
  "failed"
] satisfies ReadonlyArray<IntentStatus>)

/** Reads the response of `POST /intents`. */
export const readAccepted = (body: unknown): Accepted => {
  const { get, optional } = members(body, "")
  return {
    id: get("id", text),
    status: get("status", status),
    ...optional("txHash", hash),
    ...optional("waitingFor", text)
  }
}

/** Reads the response of `GET /intents/:id`. */
export const readIntent = (body: unknown): Intent => {
  const { get, optional } = members(body, "")
  return {
    id: get("id", text),
    status: get("status", status),
    crossChain: get("crossChain", boolean),
    ...optional("txHash", hash),
    ...optional("deliveryTxHash", hash),
    ...optional("failureReason", text),
    ...optional("pendingFailureReason", text),
    ...optional("waitingFor", text)
  }
}
