/** Contract of every client of the orchestrator's operations, for an orchestrator with these parts. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import type { Parts } from "../../../src/adapters/memory/builder/OrchestratorOperations.ts"
import type { StuckIntent } from "../../../src/domain/StuckIntent.ts"
import { OrchestratorOperations } from "../../../src/ports/builder/OrchestratorOperations.ts"
import { address, hash } from "../../support/IntentFixtures.ts"

const stuck: StuckIntent = {
  id: "rests",
  status: "submitted",
  owner: address(1),
  sourceChainId: 1,
  destChainId: 2,
  builderId: "bld",
  sinceMs: 1_700_000_000_000,
  deadline: 1_700_000_600n,
  waitsFor: "rest",
  explanation: "It rests.",
  advice: "Retry.",
  pendingFailureReason: "screening_blocked",
  retryable: true
}

const usdc = address(0xd1)

export const parts: Parts = {
  treasury: {
    chains: [
      { chainId: 1, feeRecipient: address(0xfee), asset: usdc, selling: "on" },
      { chainId: 2, feeRecipient: address(0xfee), selling: "no_asset" }
    ],
    entries: [
      {
        chainId: 1,
        token: usdc,
        collected: 2n ** 70n,
        sweeps: 3,
        sold: 0n,
        proceeds: [],
        arrived: 5_000_000n,
        held: 2n ** 70n,
        lost: 0n,
        unexplained: -5_000_000n,
        valueUsd: "1.5",
        state: "asset"
      },
      {
        chainId: 1,
        token: address(0x99),
        collected: 7n,
        sweeps: 1,
        sold: 4n,
        proceeds: [{ token: usdc, amount: 5_000_000n }],
        arrived: 0n,
        held: 3n,
        lost: 3n,
        unexplained: 0n,
        state: "unsellable",
        failures: 2,
        reason: "no_route",
        detail: "no pool",
        retryAtMs: 1_700_003_600_000
      }
    ],
    sales: [
      {
        id: "2",
        chainId: 1,
        seller: address(0xfee),
        token: address(0x99),
        asset: usdc,
        amount: 5n,
        rest: 0n,
        state: "settled",
        openedAtMs: 1_700_000_000_000,
        updatedAtMs: 1_700_000_060_000,
        intentId: "sold",
        feeAmount: 1n,
        amountOut: 5_000_000n,
        txHash: hash("sold")
      }
    ],
    unavailableChains: [2],
    lastRoundAtMs: 1_700_000_000_000,
    nextRoundAtMs: 1_700_086_400_000
  },
  health: {
    status: "degraded",
    database: { status: "ok", latencyMs: 1 },
    chains: [
      {
        id: 1,
        name: "alpha",
        status: "ok",
        blockNumber: 2n ** 70n,
        blockAgeSeconds: 1,
        contractsDeployed: true,
        canSimulate: false
      },
      {
        id: 2,
        name: "beta",
        status: "down",
        blockNumber: null,
        blockAgeSeconds: null,
        contractsDeployed: null,
        canSimulate: null
      }
    ],
    lanes: [{ chainId: 1, address: address(0x1a4e), status: "ok", balance: 10n ** 30n, unconfirmed: 3 }],
    relaying: [
      { chainId: 1, status: "ok", paused: false, spent: 2n ** 70n, dailyCap: null },
      { chainId: 2, status: "degraded", paused: true, spent: null, dailyCap: 10n ** 18n }
    ],
    providers: [{ name: "screening", status: "ok" }],
    queues: { quoted: 1, submitted: 2, settledSource: 3, outboxPending: 4, outboxRejected: 0 }
  },
  alerts: [
    {
      id: "1",
      severity: "critical",
      kind: "chain_unavailable",
      message: "The node of beta does not answer.",
      sinceMs: 1_700_000_000_000,
      details: { chainId: 2, method: "eth_blockNumber", again: true }
    }
  ],
  stuck: [
    stuck,
    {
      ...stuck,
      id: "carried",
      txHash: hash("tx"),
      waitsFor: "inclusion",
      explanation: "It is in no block.",
      advice: null,
      retryable: false
    }
  ]
}

export const suite = (adapter: string, layer: Layer.Layer<OrchestratorOperations, unknown>) =>
  describe(`OrchestratorOperations on ${adapter}`, () => {
    it.effect("tells health, alerts and collected fees as the orchestrator does", () =>
      Effect.gen(function* () {
        const operations = yield* OrchestratorOperations
        assert.deepStrictEqual(yield* operations.health, parts.health)
        assert.deepStrictEqual(yield* operations.alerts, parts.alerts)
        assert.deepStrictEqual(yield* operations.treasury, parts.treasury)
      }).pipe(Effect.provide(layer))
    )

    it.effect("lists stuck sweeps, as many as asked, and how many there are", () =>
      Effect.gen(function* () {
        const operations = yield* OrchestratorOperations
        assert.deepStrictEqual(yield* operations.stuck({}), { intents: parts.stuck, total: 2 })
        assert.deepStrictEqual(yield* operations.stuck({ limit: 1, olderThanSeconds: 0 }), {
          intents: [stuck],
          total: 2
        })
      }).pipe(Effect.provide(layer))
    )

    it.effect("has one retried, and tells what came of it", () =>
      Effect.gen(function* () {
        const operations = yield* OrchestratorOperations
        const outcome = (id: string) =>
          Effect.map(
            operations.retry(id),
            Option.map((found) => `${found.id} ${found.outcome}`)
          )
        assert.deepStrictEqual(yield* outcome("carried"), Option.some("carried carried"))
        assert.deepStrictEqual(yield* outcome("rests"), Option.some("rests requeued"))
        assert.deepStrictEqual(yield* outcome("nobody's/../x?y"), Option.none())
        assert.strictEqual((yield* operations.stuck({})).total, 1)
      }).pipe(Effect.provide(layer))
    )
  })
