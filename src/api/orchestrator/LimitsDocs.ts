/** Texts and examples of the routes about limits. */
import {
  type ErrorRow,
  malformedBody,
  unauthorized,
  unavailable,
  unexpected,
  withErrors
} from "../shared/ErrorTable.ts"
import { documented } from "../shared/Examples.ts"

const always: ReadonlyArray<ErrorRow> = [unauthorized, unexpected, unavailable]

const subject = { chainId: 8453, limit: "dailySpendCapWei" }

const limit = {
  subject,
  wei: "50000000000000000",
  configured: null,
  chosen: { wei: "50000000000000000", actor: "admin-token", reason: "gas spikes", sinceMs: 1767225600000 }
}

export const limits = documented({
  summary: "List limits",
  description: withErrors(
    "Every limit of every chain: the value that holds, the value of the settings, and the choice of the operator.",
    always
  ),
  response: { status: 200, body: [limit] }
})

export const change = documented({
  summary: "Change a limit",
  description: withErrors(
    "Holds on every replica within two seconds, in place of the chains file and the settings, also after a restart. Null drops the choice. Recorded, and safe to repeat.",
    [[404, "not found", "the chain is not served"], ...malformedBody, ...always]
  ),
  request: { subject, wei: "50000000000000000", reason: "gas spikes" },
  response: { status: 200, body: limit }
})
