/** JSON of `POST /intents` and `GET /intents/:id`. */
import type { ListedIntent } from "../model/Batch.ts"
import type { Accepted, Intent, IntentStatus } from "../model/Intent.ts"
import { address, boolean, hash, oneOf, type Read, struct, text, uint256 } from "./Reader.ts"

const status = oneOf([
  "quoted",
  "submitted",
  "settled_source",
  "delivered",
  "failed"
] satisfies ReadonlyArray<IntentStatus>)

/** Reads the response of `POST /intents`. */
export const readAccepted: Read<Accepted> = struct({ id: text, status }, { txHash: hash, waitingFor: text })

const listed = { id: text, status, crossChain: boolean }
const known = { txHash: hash, deliveryTxHash: hash, amountOut: uint256 }

/** Reads an intent as `GET /owners/:owner/sweeps` lists it. */
export const readListedIntent: Read<ListedIntent> = struct(listed, known)

/** Reads the response of `GET /intents/:id`. */
export const readIntent: Read<Intent> = struct(listed, {
  ...known,
  failureReason: text,
  pendingFailureReason: text,
  waitingFor: text,
  refund: struct({ token: address, amount: uint256, txHash: hash }),
  arrivedInstead: struct({ token: address, amount: uint256 })
})
