/** What the documentation says about the operator's routes, and liveness. */
import { type ErrorRow, unauthorized, unavailable, unexpected, withErrors } from "../shared/ErrorTable.ts"
import { documented } from "../shared/Examples.ts"
import { delegate, id, owner, txHash } from "./DocExamples.ts"

export const tick = documented({
  summary: "Run one pass of the watcher",
  description: withErrors("Moves on what can be moved on, beside the scheduled passes, and tells what moved.", [
    unauthorized,
    unexpected,
    unavailable
  ]),
  response: {
    status: 200,
    body: {
      transactions: 2,
      rebroadcast: 0,
      replaced: 0,
      settledSource: 1,
      delivered: 1,
      failed: 0,
      outboxDelivered: 2,
      unavailableChains: []
    }
  }
})

export const health = documented({
  summary: "Health of everything behind the orchestrator",
  description: withErrors(
    "Database, chains, relayer lanes, what holds the relayer back, providers and queues. Answers 200 also when parts are down: read `status`.",
    [unauthorized, unexpected]
  ),
  response: {
    status: 200,
    body: {
      status: "ok",
      database: { status: "ok", latencyMs: 1 },
      chains: [
        { id: 8453, name: "base", status: "ok", blockNumber: "34000000", blockAgeSeconds: 1, contractsDeployed: true }
      ],
      lanes: [{ chainId: 8453, address: delegate, status: "ok", balance: "250000000000000000", unconfirmed: 0 }],
      relaying: [
        { chainId: 8453, status: "ok", paused: false, spent: "1800000000000000", dailyCap: "500000000000000000" }
      ],
      providers: [{ name: "screening", status: "ok" }],
      queues: { quoted: 12, submitted: 1, settledSource: 1, outboxPending: 0, outboxRejected: 0 }
    }
  }
})

export const alerts = documented({
  summary: "Standing alerts",
  description: withErrors("What an operator must look at, critical first, then oldest first.", [
    unauthorized,
    unexpected,
    unavailable
  ]),
  response: {
    status: 200,
    body: [
      {
        id: "7",
        severity: "warning",
        kind: "lane_low",
        message: "The lane pauses until it is funded.",
        sinceMs: 1767225600000,
        details: { chainId: 8453, balance: "1000000000000000" }
      }
    ]
  }
})

export const liveness = documented({
  summary: "Whether the process serves",
  description: "Says nothing about what is behind it; see `GET /admin/health`.",
  response: { status: 200, body: { ok: true } }
})

const always: ReadonlyArray<ErrorRow> = [unauthorized, unexpected, unavailable]

export const stuck = documented({
  summary: "Sweeps that do not get on",
  description: withErrors(
    "Submitted for longer than `olderThanSeconds` (120 unless told) without settling, resting after an attempt that could not be made, or settled and not delivered for as much longer than was estimated. Oldest first, `limit` at most (50 unless told), with the number of all in `total`. Each tells what it waits for, in words and for machines, and what an operator can do.",
    [[422, "<parameter>: <problem>", "a parameter is malformed"], ...always]
  ),
  response: {
    status: 200,
    body: {
      intents: [
        {
          id,
          status: "submitted",
          owner,
          sourceChainId: 8453,
          destChainId: 8453,
          sinceMs: 1767225600000,
          deadline: "1767226320",
          txHash,
          waitsFor: "inclusion",
          explanation: `Its transaction, nonce 41 of lane ${delegate} on base, was last broadcast 12 s ago and is in no block yet (3 versions, the last at 0.05 gwei).`,
          advice:
            "It is broadcast again, and replaced with higher fees, by itself; check the lane's balance and the chain's fees.",
          retryable: false
        }
      ],
      total: 1
    }
  }
})

export const retry = documented({
  summary: "Try a stuck sweep now",
  description: withErrors(
    "Ends the rest and the lease of a submitted intent that no transaction carries, so that a relayer takes it with its next claim. Changes nothing else, and answers what happened: safe to repeat, and no sweep is sent twice by it.",
    [[404, "not found", "no such intent"], ...always]
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
