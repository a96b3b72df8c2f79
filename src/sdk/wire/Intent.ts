/** JSON of `POST /intents` and `GET /intents/:id`. */
import type { ListedIntent } from "../model/Batch.ts"
import type { Accepted, Intent, IntentStatus } from "../model/Intent.ts"
import { boolean, hash, members, oneOf, type Read, text } from "./Reader.ts"

const status = oneOf([
  "quoted",
  "submitted",
  "settled_source",
  "delivered",
  "failed"
] satisfies ReadonlyArray<IntentStatus>)

/** Reads the response of `POST /intents`. */
export const readAccepted: Read<Accepted> = (value, path) => {
  const { get, optional } = members(value, path)
  return {
    id: get("id", text),
    status: get("status", status),
    ...optional("txHash", hash),
    ...optional("waitingFor", text)
  }
}

/** Reads an intent as `GET /owners/:owner/sweeps` lists it. */
export const readListedIntent: Read<ListedIntent> = (value, path) => {
  const { get, optional } = members(value, path)
  return {
    id: get("id", text),
    status: get("status", status),
    crossChain: get("crossChain", boolean),
    ...optional("txHash", hash),
    ...optional("deliveryTxHash", hash)
  }
}

/** Reads the response of `GET /intents/:id`. */
export const readIntent: Read<Intent> = (value, path) => {
  const { optional } = members(value, path)
  return {
    ...readListedIntent(value, path),
    ...optional("failureReason", text),
    ...optional("pendingFailureReason", text),
    ...optional("waitingFor", text)
  }
}
