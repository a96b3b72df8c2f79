/** Texts and examples of the console's view of the orchestrator. */
import { type ErrorRow, unauthorized, unavailable, unexpected, withErrors } from "../shared/ErrorTable.ts"
import { documented } from "../shared/Examples.ts"
import { moneyExample } from "../shared/MoneyExample.ts"
import { changeExample, pauseExample } from "../shared/PauseExample.ts"
import { storyExample } from "../shared/StoryExample.ts"

const always: ReadonlyArray<ErrorRow> = [
  unauthorized,
  unexpected,
  [501, "not_configured", "`missing` lists the settings to set"],
  [502, "orchestrator_unavailable", "the orchestrator did not answer, or answered unexpectedly: see `detail`"]
]

const id = "6f1e5f6c-8f0e-4d3c-9a5b-2d7c1f0e9b4a"
const lane = "0x1111111111111111111111111111111111111111"

export const health = documented({
  summary: "Get the health of the orchestrator",
  description: withErrors(
    "Response of the orchestrator's `GET /admin/health`: database, chains, lanes, providers and queues.",
    always
  ),
  response: {
    status: 200,
    body: {
      status: "ok",
      database: { status: "ok", latencyMs: 1 },
      chains: [
        { id: 8453, name: "base", status: "ok", blockNumber: "34000000", blockAgeSeconds: 1, contractsDeployed: true }
      ],
      lanes: [{ chainId: 8453, address: lane, status: "ok", balance: "250000000000000000", unconfirmed: 0 }],
      relaying: [
        { chainId: 8453, status: "ok", paused: false, spent: "12000000000000000", dailyCap: "500000000000000000" }
      ],
      providers: [{ name: "screening", status: "ok" }],
      queues: { quoted: 12, submitted: 1, settledSource: 1, outboxPending: 0, outboxRejected: 0 }
    }
  }
})

export const alerts = documented({
  summary: "List the orchestrator's standing alerts",
  description: withErrors(
    "Critical first, then oldest first. An alert ends when its cause is gone. Alerts of the builder backend are under `/admin/alerts`.",
    always
  ),
  response: {
    status: 200,
    body: [
      {
        id: "7",
        severity: "critical",
        kind: "lane_low",
        message: `Lane ${lane} on base is short of ETH for gas and sends nothing until it is refilled.`,
        sinceMs: 1767225600000,
        details: { chainId: 8453, lane }
      }
    ]
  }
})

export const stuck = documented({
  summary: "List stuck sweeps",
  description: withErrors(
    "Response of the orchestrator's `GET /admin/intents`: each sweep with the cause of its delay and the action that an operator can take.",
    [[422, '{ "message", "issues": [{ "path", "message" }] }', "every problem of the request"], ...always]
  ),
  response: {
    status: 200,
    body: {
      intents: [
        {
          id,
          status: "submitted",
          owner: "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
          sourceChainId: 8453,
          destChainId: 10,
          sinceMs: 1767225600000,
          deadline: "1767226320",
          waitsFor: "lane",
          explanation: `No lane on base can send. Lane ${lane} on base is short of ETH for gas and sends nothing until it is refilled.`,
          advice: "Fund a lane, or configure another one.",
          retryable: true
        }
      ],
      total: 1
    }
  }
})

export const money = documented({
  summary: "Get earnings and costs",
  description: withErrors(
    "Response of the orchestrator's `GET /admin/money`: fees, gas and failures in US dollars by chain, builder and token tier.",
    [[422, '{ "message", "issues": [{ "path", "message" }] }', "every problem of the request"], ...always]
  ),
  response: { status: 200, body: moneyExample }
})

const feeRecipient = "0x2222222222222222222222222222222222222222"
const usdc = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"

export const treasury = documented({
  summary: "Get the books of collected fees",
  description: withErrors(
    "Response of the orchestrator's `GET /admin/treasury`: fees that each chain's fee recipient collected, sold and holds, by token, with the plan for each balance and the newest sales.",
    always
  ),
  response: {
    status: 200,
    body: {
      chains: [{ chainId: 8453, feeRecipient, asset: usdc, selling: "on" }],
      entries: [
        {
          chainId: 8453,
          token: usdc,
          collected: "41500000",
          sweeps: 96,
          sold: "0",
          proceeds: [],
          arrived: "248870000",
          held: "290370000",
          lost: "0",
          unexplained: "0",
          valueUsd: "290.37",
          state: "asset"
        }
      ],
      sales: [],
      unavailableChains: [],
      lastRoundAtMs: 1767225600000,
      nextRoundAtMs: 1767312000000
    }
  }
})

export const retry = documented({
  summary: "Retry a stuck sweep",
  description: withErrors(
    "Makes the orchestrator release a sweep that no transaction carries, and returns the outcome. Safe to repeat. The request is written to the audit log before it is sent.",
    [[404, "not found", "no such intent"], ...always, unavailable]
  ),
  response: {
    status: 200,
    body: {
      id,
      outcome: "requeued",
      explanation: "It is free to be taken; a relayer takes it with its next claim."
    }
  }
})

export const find = documented({
  summary: "Find sweeps",
  description: withErrors(
    "Response of the orchestrator's `GET /admin/find`: sweeps by the id of an intent or a batch, the hash of a transaction, or the address of their owner. `GET /admin/find` finds builders and payout batches.",
    [[422, '{ "message", "issues": [{ "path", "message" }] }', "every problem of the request"], ...always]
  ),
  response: { status: 200, body: { sweeps: [], more: false, roles: [{ role: "lane", chainId: 8453 }] } }
})

export const story = documented({
  summary: "Tell the story of a sweep",
  description: withErrors(
    "Response of the orchestrator's `GET /admin/intents/:id`: quote, simulation, statuses, transactions with all their versions, receipt, delivery and messages.",
    [[404, "not found", "no such intent"], ...always]
  ),
  response: { status: 200, body: storyExample }
})

export const pauses = documented({
  summary: "List pauses",
  description: withErrors(
    "Response of the orchestrator's `GET /admin/pauses`: what the settings pause, and every choice of an operator in place of a setting.",
    always
  ),
  response: { status: 200, body: [pauseExample] }
})

export const changePause = documented({
  summary: "Pause or resume",
  description: withErrors(
    "Pauses or resumes a chain, a token, a builder or everything, on every replica within two seconds, as the orchestrator's `POST /admin/pauses` does. Safe to repeat. The request is written to the audit log with the operator's name before it is sent.",
    [
      [404, "not found", "the chain is not served"],
      [422, '{ "message", "issues": [{ "path", "message" }] }', "every problem of the request"],
      ...always,
      unavailable
    ]
  ),
  request: changeExample,
  response: { status: 200, body: pauseExample }
})
