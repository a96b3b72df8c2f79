/** Texts and errors of the console's search. */
import { type ErrorRow, unauthorized, unavailable, unexpected, withErrors } from "../shared/ErrorTable.ts"
import { documented } from "../shared/Examples.ts"

const always: ReadonlyArray<ErrorRow> = [unauthorized, unexpected, unavailable]

const intentId = "6f1e5f6c-8f0e-4d3c-9a5b-2d7c1f0e9b4a"
const owner = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
const usdc = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
const txHash = `0x${"ab".repeat(32)}`

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
  ),
  response: {
    status: 200,
    body: {
      builderId: "bld_acme",
      sweep: {
        intentId,
        status: "settled_source",
        startedAtMs: 1767225612000,
        updatedAtMs: 1767225618000,
        owner,
        sourceChainId: 8453,
        destChainId: 10,
        crossChain: true,
        tokenIn: usdc,
        amountIn: "25000000",
        tokenOut: "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85",
        minAmountOut: "24700000",
        builderFee: "50000",
        txHash
      },
      events: [],
      entries: [
        {
          id: "41",
          kind: "accrual",
          builderId: "bld_acme",
          chainId: 8453,
          token: usdc,
          earned: "50000",
          paid: "0",
          sweepId: `${txHash}_0`,
          createdAtMs: 1767225620000
        }
      ],
      deliveries: []
    }
  }
})
