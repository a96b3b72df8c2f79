/** Texts and examples of the routes of builders' sweeps. */
import {
  bodyTooLarge,
  type ErrorRow,
  rateLimited,
  unauthorized,
  unavailable,
  unexpected,
  withErrors
} from "../shared/ErrorTable.ts"
import { documented } from "../shared/Examples.ts"

const owner = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266"
const usdc = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
const weth = "0x4200000000000000000000000000000000000006"
const txHash = `0x${"ab".repeat(32)}`
const intentId = "8e03978e-40d5-43dd-bc93-6894a57f9324"

const facts = {
  intentId,
  owner,
  sourceChainId: 8453,
  destChainId: 8453,
  crossChain: false,
  tokenIn: usdc,
  amountIn: "25000000",
  tokenOut: weth,
  minAmountOut: "9850000000000000",
  builderFee: "25000"
}

const event = (status: string, occurredAtMs: number, hashes: object) => ({
  id: `${intentId}:${status}`,
  builderId: "acme",
  status,
  occurredAtMs,
  ...facts,
  ...hashes
})

/** An event of each status of a delivered sweep. */
const events = [
  event("submitted", 1767225600000, {}),
  event("settled_source", 1767225604000, { txHash }),
  event("delivered", 1767225604000, { txHash, deliveryTxHash: txHash })
]

const sweepExample = {
  ...facts,
  status: "delivered",
  startedAtMs: 1767225600000,
  updatedAtMs: 1767225604000,
  txHash,
  deliveryTxHash: txHash
}

/** Examples for routes with the same responses. */
export const examples = { sweep: sweepExample, events }

const ownErrors: ReadonlyArray<ErrorRow> = [unauthorized, rateLimited, unexpected, unavailable]
const badQuery = (name: string): ErrorRow => [422, `${name}: <problem>`, "a parameter is malformed"]

export const report = documented({
  summary: "Report an event of a sweep",
  description: withErrors(
    "Called by the orchestrator when an attributed intent reaches a status. `id` is the idempotency key. Events may arrive in any order. The event is sent to the builder's webhooks.",
    [
      [409, "conflict", "the event was reported with other content, or its intent belongs to another builder"],
      bodyTooLarge,
      [422, '{ "message", "issues": [{ "path", "message" }] }', "every problem of the request"],
      unauthorized,
      unexpected,
      unavailable
    ]
  ),
  request: events[1],
  response: { status: 201, body: { ok: true } }
})

export const sweeps = documented({
  summary: "List sweeps",
  description: withErrors(
    "Submitted sweeps that are attributed to the builder, newest first. Each parameter narrows the list, and a row must match all of them.",
    [badQuery("status"), ...ownErrors]
  ),
  response: { status: 200, body: { sweeps: [sweepExample] } }
})

export const sweep = documented({
  summary: "Get a sweep with its history, earnings and webhook deliveries",
  description: withErrors("`id` is the id of the intent, which is also that of the quote.", [
    [404, "not found", "no sweep of this id is attributed to the builder"],
    [422, "id: <problem>", "a parameter is malformed"],
    ...ownErrors
  ]),
  response: {
    status: 200,
    body: {
      sweep: sweepExample,
      events,
      earnings: [
        {
          sweepId: `${txHash}_3`,
          token: usdc,
          amount: "25000",
          paid: true,
          createdAtMs: 1767225604000,
          chainId: 8453,
          intentId
        }
      ],
      deliveries: []
    }
  }
})

export const overview = documented({
  summary: "Get volume and success rate",
  description: withErrors("Covers sweeps that were submitted within the last `days` UTC days. Default: 30.", [
    badQuery("days"),
    ...ownErrors
  ]),
  response: {
    status: 200,
    body: {
      fromMs: 1767139200000,
      toMs: 1767229200000,
      sweeps: 3,
      inFlight: 1,
      delivered: 1,
      failed: 1,
      successRateBps: 5000,
      volume: [{ chainId: 8453, token: usdc, amount: "25000000", sweeps: 1 }],
      byDay: [
        { day: "2025-12-31", sweeps: 0, delivered: 0, failed: 0 },
        { day: "2026-01-01", sweeps: 3, delivered: 1, failed: 1 }
      ]
    }
  }
})
