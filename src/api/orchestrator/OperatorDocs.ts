/** Texts and examples of the operator's routes and of liveness. */
import { type ErrorRow, notReady, unauthorized, unavailable, unexpected, withErrors } from "../shared/ErrorTable.ts"
import { documented } from "../shared/Examples.ts"
import { delegate, id, owner, txHash } from "./DocExamples.ts"

export const tick = documented({
  summary: "Run one pass of the watcher",
  description: withErrors("Runs a pass in addition to the scheduled ones, and returns what it changed.", [
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
  summary: "Get the health of all dependencies",
  description: withErrors(
    "Database, chains, relayer lanes, state of relaying, providers and queues. It returns 200 even when a dependency is down. Check `status`.",
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
  summary: "List standing alerts",
  description: withErrors("Critical first, then oldest first.", [unauthorized, unexpected, unavailable]),
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

export const exposure = documented({
  summary: "Get losses and their budgets",
  description: withErrors(
    "Wei that sweeps cost the relayer above the worth of their fees, by chain and by class of sweeps. A class is what sweeps share: a token, pool, owner, account that funded owners, network, builder or lane. Sweeps of a class whose budget is spent wait, and new ones are refused with `Sweep-Reason: unavailable`, until the losses are older than the window.",
    [unauthorized, unexpected, unavailable]
  ),
  response: {
    status: 200,
    body: {
      budgets: [
        {
          chainId: 8453,
          name: "base",
          scope: "unlisted",
          budgetHour: "20000000000000000",
          budgetDay: "100000000000000000",
          lostHour: "1200000000000000",
          lostDay: "1200000000000000",
          reserved: "0"
        },
        {
          chainId: 8453,
          name: "base",
          scope: "listed",
          budgetHour: "20000000000000000",
          lostHour: "0",
          lostDay: "0",
          reserved: "0"
        }
      ],
      classes: [
        {
          chainId: 8453,
          scope: "unlisted",
          kind: "owner",
          value: owner,
          lostHour: "1200000000000000",
          lostDay: "1200000000000000",
          earnedDay: "0",
          reserved: "0"
        }
      ]
    }
  }
})

export const liveness = documented({
  summary: "Check liveness",
  description:
    "Shows that the process serves requests. Does not check any dependency, so that an outage of one does not restart the process. See `GET /readyz`.",
  response: { status: 200, body: { ok: true } }
})

export const readiness = documented({
  summary: "Check readiness",
  description: withErrors(
    "Writes to the database, and reads the latest block and the contracts of each chain. A result is used for one second. A chain that cannot be served is `ready: false`. The service is ready as long as one chain is. See `GET /admin/health` for every other part.",
    [unexpected, notReady("the database does not take writes, no chain can be served, or the process is about to stop")]
  ),
  response: {
    status: 200,
    body: { ok: true, chains: [{ id: 8453, name: "base", ready: true, missingContracts: [] }] }
  }
})

const always: ReadonlyArray<ErrorRow> = [unauthorized, unexpected, unavailable]

export const stuck = documented({
  summary: "List stuck sweeps",
  description: withErrors(
    "Sweeps that were submitted more than `olderThanSeconds` ago and have not settled, that wait after a failed attempt, or whose delivery is later than estimated by more than `olderThanSeconds`. Oldest first. Each has the cause of its delay, as text and as a code, and the action that an operator can take.",
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
  summary: "Retry a stuck sweep",
  description: withErrors(
    "Ends the waiting time and the lease of a submitted intent that no transaction carries, so that a relayer takes it with its next claim. Returns the outcome. Safe to repeat: no sweep is sent twice.",
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

export const closeMessage = documented({
  summary: "Close a rejected message",
  description: withErrors(
    "Ends a message that the builder backend rejects for good, or that cannot be read, and clears its alert. The message is not delivered. For an operator who has compared the books of the backend with the chain, and has corrected them where they were wrong.",
    [[404, "not found", "no alert stands for such a message"], ...always]
  ),
  response: { status: 200, body: { id: "41", outcome: "closed" } }
})

export const closeAlert = documented({
  summary: "Close an alert",
  description: withErrors(
    "Ends an alert `settled_after_failure` or `settlement_lost`. For an operator who has corrected the books by hand. Alerts of all other kinds end when their causes are gone.",
    [[404, "not found", "no such alert stands, or it ends by itself"], ...always]
  ),
  response: { status: 200, body: { id: "7", outcome: "closed" } }
})
