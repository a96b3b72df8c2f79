/** Contract of every client of the orchestrator's operations, for an orchestrator with these parts. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import type { Parts } from "../../../src/adapters/memory/builder/OrchestratorOperations.ts"
import type { SweepStory } from "../../../src/domain/SweepStory.ts"
import type { StuckIntent } from "../../../src/domain/StuckIntent.ts"
import { OrchestratorOperations } from "../../../src/ports/builder/OrchestratorOperations.ts"
import { address, hash, newIntent } from "../../support/IntentFixtures.ts"

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

const { order, orderDigest, quote } = newIntent({ id: "rests", builderId: "bld" })

const story: SweepStory = {
  id: "rests",
  status: "submitted",
  createdAtMs: 1_699_999_990_000,
  submittedAtMs: 1_700_000_000_000,
  updatedAtMs: 1_700_000_000_000,
  quote: { ...quote, builderId: "bld" },
  order,
  orderDigest,
  payoutMode: "ledger",
  userId: "user",
  rehearsal: { atBlock: 17n, gasLimit: 210_000n, coveredGas: 200_000n, coveredGasPrice: 2n ** 70n },
  history: [{ status: "submitted", atMs: 1_700_000_000_000 }],
  waiting: { waitsFor: "rest", explanation: "It rests.", advice: "Retry." },
  givenUp: { reason: "screening_blocked", detail: "the owner is on a list" },
  transactions: [
    {
      id: "41",
      chainId: 1,
      lane: address(0x1a4e),
      nonce: 7n,
      kind: "cancel",
      status: "final",
      createdAtMs: 1_700_000_001_000,
      intents: 2,
      attempts: [
        {
          hash: hash("first"),
          maxFeePerGas: 2n ** 40n,
          maxPriorityFeePerGas: 1n,
          signedAtMs: 1_700_000_001_000,
          broadcastAtMs: 1_700_000_001_500
        },
        { hash: hash("second"), maxFeePerGas: 2n ** 41n, maxPriorityFeePerGas: 2n, signedAtMs: 1_700_000_031_000 }
      ],
      inclusion: { hash: hash("second"), blockNumber: 19n, blockHash: hash("block") },
      cost: 10n ** 15n
    }
  ],
  messages: [{ id: "3", key: "sweep:rests:submitted", state: "pending", attempts: 1 }],
  retryable: true
}

const sums = {
  sweeps: 1_204,
  unpricedSweeps: 12,
  failed: 3,
  feesUsd: "412.07",
  gasUsd: "96.31",
  failuresUsd: "1.2",
  netUsd: "314.56",
  isGasPriced: true
}

const lost = {
  ...sums,
  sweeps: 4,
  unpricedSweeps: 4,
  feesUsd: "0",
  gasUsd: "0",
  failuresUsd: "2.5",
  netUsd: "-2.5",
  isGasPriced: false
}

const money: Parts["money"] = {
  days: 30,
  fromDay: "2026-01-02",
  total: { ...sums, isGasPriced: false },
  chains: [
    { chainId: 1, ...sums, unpricedWei: 0n },
    { chainId: 2, ...lost, unpricedWei: 2n ** 70n }
  ],
  builders: [{ builderId: "acme", ...sums }, lost],
  tiers: [
    { tier: "tier1", ...sums },
    { tier: "tier3", ...lost }
  ]
}

export const parts: Parts = {
  stories: [story],
  pauses: [{ subject: { scope: "chain", chainId: 2 }, state: "paused", configured: "paused", chosen: null }],
  money,
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
        assert.deepStrictEqual(yield* operations.money(90), { ...parts.money, days: 90 })
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

    it.effect("finds a sweep by its id, its owner, or any hash of a transaction, and tells its story", () =>
      Effect.gen(function* () {
        const operations = yield* OrchestratorOperations
        for (const text of ["rests", order.owner, hash("first"), hash("second")]) {
          const { more, sweeps } = yield* operations.find(text)
          assert.deepStrictEqual([sweeps.map(({ id }) => id), more], [["rests"], false], text)
        }
        assert.deepStrictEqual(yield* operations.find("nobody's & co"), { sweeps: [], more: false, roles: [] })
        assert.deepStrictEqual(yield* operations.story("rests"), Option.some(story))
        assert.deepStrictEqual(yield* operations.story("nobody's/../x?y"), Option.none())
      }).pipe(Effect.provide(layer))
    )

    it.effect("pauses and resumes, and tells who chose it", () =>
      Effect.gen(function* () {
        const operations = yield* OrchestratorOperations
        const subject = { scope: "builder", builderId: "bld" } as const
        const paused = yield* operations.changePause({ subject, state: "paused", reason: "it attacks" })
        assert.deepInclude(Option.getOrThrow(paused).chosen, { state: "paused", reason: "it attacks" })
        assert.deepStrictEqual(
          (yield* operations.pauses).map(({ state, subject }) => `${subject.scope} ${state}`),
          ["chain paused", "builder paused"]
        )
        yield* operations.changePause({ subject, state: "default" })
        assert.strictEqual((yield* operations.pauses).length, 1)
        const unserved = { scope: "chain", chainId: 99 } as const
        assert.deepStrictEqual(yield* operations.changePause({ subject: unserved, state: "paused" }), Option.none())
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
