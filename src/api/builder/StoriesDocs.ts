/** Texts and errors of the console's search. */
import { type ErrorRow, unauthorized, unavailable, unexpected, withErrors } from "../shared/ErrorTable.ts"
import { documented } from "../shared/Examples.ts"

const always: ReadonlyArray<ErrorRow> = [unauthorized, unexpected, unavailable]

export const find = documented({
  summary: "Find builders and payout batches",
  description: withErrors(
    "By the id, name or payout address of a builder, or the id of a payout batch. `GET /admin/operations/find` finds sweeps.",
    [[422, '{ "message", "issues": [{ "path", "message" }] }', "every problem of the request"], ...always]
  ),
  response: {
    status: 200,
    body: {
      builders: [
        {
          id: "bld_acme",
          name: "Acme Wallet",
          builderBps: 20,
          maxBuilderBps: 50,
          payoutAddress: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
          payoutMode: "ledger",
          createdAtMs: 1767225600000
        }
      ]
    }
  }
})

export const books = documented({
  summary: "Get the books of a sweep",
  description: withErrors(
    "Reports of the orchestrator, ledger entries and webhook messages of an attributed sweep. `GET /admin/operations/intents/:id` has the orchestrator's part of the story.",
    [[404, "not found", "no attributed sweep has this id"], ...always]
  )
})
