/** Texts, errors and examples of the endpoints about a builder's earnings. */
import { type ErrorRow, rateLimited, unauthorized, unavailable, unexpected, withErrors } from "../shared/ErrorTable.ts"
import { documented } from "../shared/Examples.ts"

const token = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
const txHash = `0x${"ab".repeat(32)}`

const ownErrors: ReadonlyArray<ErrorRow> = [unauthorized, rateLimited, unexpected, unavailable]

export const accruals = documented({
  summary: "Get the amounts earned and owed",
  description: withErrors(
    "Per token, and per chain if it is known. A markup that the sweep pays on chain is earned and never owed.",
    ownErrors
  ),
  response: {
    status: 200,
    body: {
      balances: [{ token, amount: "125000", chainId: 8453 }],
      lifetime: [{ token, amount: "250000", chainId: 8453 }],
      paid: [{ token, amount: "125000", chainId: 8453 }]
    }
  }
})

export const money = documented({
  summary: "Get earnings in dollars",
  description: withErrors(
    "Earned and paid amounts of a period of UTC days, and what is owed now, by token and chain. Earnings count at the price of the token when the sweep settled, and payments at the same value. Amounts whose price then is not known are in no sum of dollars but in `earnedUnpriced` and `paidUnpriced`. `owed` has no value in dollars here: multiply it by a price of now, such as that of the orchestrator's `GET /prices`.",
    [[422, "days: <problem>", "the parameter is malformed"], ...ownErrors]
  ),
  response: {
    status: 200,
    body: {
      days: 7,
      fromDay: "2025-12-26",
      earnedUsd: "0.125",
      paidUsd: "0.1",
      tokens: [
        {
          chainId: 8453,
          token,
          sweeps: 2,
          earned: "125000",
          earnedUsd: "0.125",
          earnedUnpriced: "0",
          paid: "100000",
          paidUsd: "0.1",
          paidUnpriced: "0",
          owed: "25000"
        }
      ],
      byDay: Array.from({ length: 7 }, (_, index) => ({
        day: new Date(Date.UTC(2025, 11, 26 + index)).toISOString().slice(0, 10),
        earnedUsd: index === 6 ? "0.125" : "0"
      }))
    }
  }
})

export const activity = documented({
  summary: "List accruals",
  description: withErrors(
    "Newest first, 500 at most without `limit` and `cursor`. Each filter narrows the list, and a row must match all of them.",
    [[422, "limit: <problem>", "a query parameter is malformed"], ...ownErrors]
  ),
  response: {
    status: 200,
    body: {
      entries: [
        {
          sweepId: `${txHash}_3`,
          token,
          amount: "125000",
          paid: true,
          createdAtMs: 1767225600000,
          chainId: 8453,
          intentId: "8e03978e-40d5-43dd-bc93-6894a57f9324"
        }
      ]
    }
  }
})
