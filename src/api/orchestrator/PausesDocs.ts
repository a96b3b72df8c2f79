/** Texts and examples of the routes about pauses. */
import {
  type ErrorRow,
  malformedBody,
  unauthorized,
  unavailable,
  unexpected,
  withErrors
} from "../shared/ErrorTable.ts"
import { documented } from "../shared/Examples.ts"
import { changeExample, pauseExample } from "../shared/PauseExample.ts"

const always: ReadonlyArray<ErrorRow> = [unauthorized, unexpected, unavailable]

export const pauses = documented({
  summary: "List pauses",
  description: withErrors(
    "Chains that the settings pause, and every choice of the operator in place of a setting.",
    always
  ),
  response: { status: 200, body: [pauseExample] }
})

export const change = documented({
  summary: "Pause or resume",
  description: withErrors(
    "Holds on every replica within two seconds. A paused sweep is neither quoted (`Sweep-Reason: chain_unavailable` or `unavailable`), accepted nor sent. Accepted sweeps wait until their deadlines, and transactions that were sent are followed to their end. A sweep is paused while any subject that applies to it is. Recorded, and safe to repeat.",
    [[404, "not found", "the chain is not served"], ...malformedBody, ...always]
  ),
  request: changeExample,
  response: { status: 200, body: pauseExample }
})
