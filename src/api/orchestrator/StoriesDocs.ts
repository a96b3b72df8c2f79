/** Texts and examples of the routes that find sweeps and tell their stories. */
import { type ErrorRow, unauthorized, unavailable, unexpected, withErrors } from "../shared/ErrorTable.ts"
import { documented } from "../shared/Examples.ts"
import { delegate, id, owner, txHash } from "./DocExamples.ts"
import { order, quoteExample } from "./Docs.ts"

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
    body: {
      id,
      status: "delivered",
      createdAtMs: 1767225600000,
      submittedAtMs: 1767225612000,
      updatedAtMs: 1767225618000,
      quote: quoteExample.quote,
      order,
      orderDigest: txHash,
      userId: "user-1",
      rehearsal: { atBlock: "34000000", gasLimit: "310000", coveredGas: "290000", coveredGasPrice: "12000000" },
      history: [
        { status: "submitted", atMs: 1767225612000 },
        { status: "settled_source", atMs: 1767225618000, txHash },
        { status: "delivered", atMs: 1767225618000, txHash }
      ],
      transactions: [
        {
          id: "41",
          chainId: 8453,
          lane: delegate,
          nonce: "41",
          kind: "sweep",
          status: "final",
          createdAtMs: 1767225613000,
          intents: 1,
          attempts: [
            {
              hash: txHash,
              maxFeePerGas: "24000000",
              maxPriorityFeePerGas: "1000000",
              signedAtMs: 1767225613000,
              broadcastAtMs: 1767225613000
            }
          ],
          inclusion: { hash: txHash, blockNumber: "34000002", blockHash: txHash },
          cost: "3100000000000"
        }
      ],
      txHash,
      deliveryTxHash: txHash,
      amountOut: "24850000",
      messages: [{ id: "7", key: `revenue:${txHash}_0`, state: "delivered", attempts: 0 }],
      retryable: false
    }
  }
})
