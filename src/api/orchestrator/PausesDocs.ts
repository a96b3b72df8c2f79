/** Texts and examples of the routes about pauses. */
import { type ErrorRow, unauthorized, unavailable, unexpected, withErrors } from "../shared/ErrorTable.ts"
import { documented } from "../shared/Examples.ts"

const always: ReadonlyArray<ErrorRow> = [unauthorized, unexpected, unavailable]

const pause = {
  subject: { scope: "chain", chainId: 8453 },
  state: "paused",
  configured: "running",
  chosen: { state: "paused", actor: "admin-token", reason: "sequencer is down", sinceMs: 1767225600000 }
}

export const pauses = documented({
  summary: "List pauses",
  description: withErrors(
    "Chains that the settings pause, and every choice of the operator in place of a setting.",
    always
  ),
  response: { status: 200, body: [pause] }
})

export const change = documented({
  summary: "Pause or resume",
  description: withErrors(
    "Holds on every replica within two seconds. A paused sweep is neither quoted (`Sweep-Reason: chain_unavailable` or `unavailable`), accepted nor sent. Accepted sweeps wait until their deadlines, and transactions that were sent are followed to their end. A sweep is paused while any subject that applies to it is. Recorded, and safe to repeat.",
    [
      [404, "not found", "the chain is not served"],
      [422, "<parameter>: <problem>", "a parameter is malformed"],
      ...always
    ]
  ),
  request: { subject: { scope: "chain", chainId: 8453 }, state: "paused", reason: "sequencer is down" },
  response: { status: 200, body: pause }
})
