/** Texts and examples of the routes about lanes. */
import {
  type ErrorRow,
  malformedBody,
  unauthorized,
  unavailable,
  unexpected,
  withErrors
} from "../shared/ErrorTable.ts"
import { documented } from "../shared/Examples.ts"
import { delegate, owner, txHash } from "./DocExamples.ts"

const always: ReadonlyArray<ErrorRow> = [unauthorized, unexpected, unavailable]

const malformed: ErrorRow = [422, "address: <problem>", "the address is malformed"]
const unknown: ErrorRow = [404, "not found", "no such lane"]
const refused: ErrorRow = [
  409,
  "lane_not_changed",
  "the lane cannot be changed as asked: `reason` is `last_lane`, `not_draining`, `draining_recently`, `in_flight`, `not_retired`, `no_key`, `recipient_not_allowed` or `nothing_to_move`"
]

const lane = {
  address: delegate,
  state: "draining",
  sinceMs: 1767225600000,
  hasKey: true,
  isAnswering: true,
  chains: [{ chainId: 8453, name: "base", balance: "250000000000000000", inFlight: 1 }]
}

export const lanes = documented({
  summary: "List lanes",
  description: withErrors(
    "Accounts of the relayer with their states, balances and transactions in flight. Lanes without a key in this replica are listed if they were changed before.",
    always
  ),
  response: { status: 200, body: [lane] }
})

export const change = documented({
  summary: "Change the state of a lane",
  description: withErrors(
    "`draining`: the lane takes no new batches, on every replica within two seconds. `retired`: nothing of it is in flight at the depth of its chains, one minute after it was drained at the earliest. Its key can then be removed. `active`: the lane is used again. Recorded, and safe to repeat.",
    [unknown, refused, ...malformedBody, malformed, ...always]
  ),
  request: { state: "draining", reason: "key of 2025 is replaced" },
  response: { status: 200, body: lane }
})

export const empty = documented({
  summary: "Move the rest of a retired lane",
  description: withErrors(
    "Sends the lane's balance on a chain, less the cost of the transfer, to another active lane or to one of `LANE_REST_RECIPIENTS`. Recorded. A repeated request sends the same transaction again until it is mined.",
    [
      unknown,
      refused,
      ...malformedBody,
      malformed,
      [503, "chain unavailable", "the chain does not answer, or refused the transfer"],
      ...always
    ]
  ),
  request: { chainId: 8453, recipient: owner },
  response: {
    status: 200,
    body: { lane: delegate, chainId: 8453, recipient: owner, amount: "249000000000000000", txHash }
  }
})

export const log = documented({
  summary: "List changes of operators",
  description: withErrors("The newest 200 records, newest first. Records are never changed.", always),
  response: {
    status: 200,
    body: [
      {
        id: "7",
        atMs: 1767225600000,
        actor: "admin-token",
        action: "lane.draining",
        subject: delegate,
        details: { from: "active", reason: "key of 2025 is replaced" }
      }
    ]
  }
})
