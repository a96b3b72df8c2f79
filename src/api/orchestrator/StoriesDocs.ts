/** Texts and examples of the routes that find sweeps and tell their stories. */
import { type ErrorRow, unauthorized, unavailable, unexpected, withErrors } from "../shared/ErrorTable.ts"
import { documented } from "../shared/Examples.ts"
import { storyExample } from "../shared/StoryExample.ts"
import { id, owner } from "./DocExamples.ts"
import { order } from "./Docs.ts"

const always: ReadonlyArray<ErrorRow> = [unauthorized, unexpected, unavailable]

export const find = documented({
  summary: "Find sweeps",
  description: withErrors(
    "Sweeps by the id of an intent or a batch, by the hash of any version of a transaction that carried, delivered or refunded them, or by the address of their owner. At most 50, newest first. For an address, also its parts in this deployment. An owner's quotes that were never signed are left out.",
    [[422, "<parameter>: <problem>", "a parameter is malformed"], ...always]
  ),
  response: {
    status: 200,
    body: {
      sweeps: [
        {
          id,
          status: "delivered",
          owner,
          sourceChainId: 8453,
          destChainId: 8453,
          tokenIn: order.tokenIn,
          amountIn: order.amountIn,
          tokenOut: order.tokenOut,
          createdAtMs: 1767225600000
        }
      ],
      more: false,
      roles: []
    }
  }
})

export const story = documented({
  summary: "Tell the story of a sweep",
  description: withErrors(
    "Quote and order, simulation, statuses, every transaction with all its versions, receipt, delivery, messages to the builder backend, and the cause for which it waits. For a sweep in any status.",
    [[404, "not found", "no such intent"], ...always]
  ),
  response: {
    status: 200,
    body: storyExample
  }
})
