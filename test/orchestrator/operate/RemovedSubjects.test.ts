/** Alerts end with the chain, lane, target or token that they are about, and stand while the settings name it. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Schedule, type Scope } from "effect"
import { TestClock } from "effect/testing"
import * as HeartbeatsInMemory from "../../../src/adapters/memory/orchestrator/Heartbeats.ts"
import * as LaneBookInMemory from "../../../src/adapters/memory/orchestrator/LaneBook.ts"
import * as RelayTransactionsInMemory from "../../../src/adapters/memory/orchestrator/RelayTransactions.ts"
import * as RelayerKeys from "../../../src/adapters/memory/orchestrator/RelayerKeys.ts"
import * as AlertsInMemory from "../../../src/adapters/memory/shared/Alerts.ts"
import { orchestratorDefaults } from "../../../src/config/Orchestrator.ts"
import type { AlertKind } from "../../../src/domain/AlertKind.ts"
import type { Chain } from "../../../src/domain/Chain.ts"
import { type Share, WHOLE } from "../../../src/domain/Role.ts"
import * as RemovedSubjects from "../../../src/orchestrator/operate/RemovedSubjects.ts"
import { OrchestratorSettings } from "../../../src/orchestrator/shared/OrchestratorSettings.ts"
import { ProcessShare } from "../../../src/orchestrator/shared/ProcessShare.ts"
import { Heartbeats } from "../../../src/ports/orchestrator/Heartbeats.ts"
import { LaneBook } from "../../../src/ports/orchestrator/LaneBook.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { Alerts, type NewAlert } from "../../../src/ports/shared/Alerts.ts"
import { Chains } from "../../../src/ports/shared/Chains.ts"
import { attempt } from "../../support/IntentFixtures.ts"
import * as FakeChain from "../../support/FakeChain.ts"

const SERVED = FakeChain.chain.id
const OTHER = SERVED + 1
const LANE = FakeChain.address(0x71)
const FORMER_LANE = FakeChain.address(0x72)
const TARGET = FakeChain.address(0x01)
const DELISTED = FakeChain.address(0x99)
const { wrappedNative } = FakeChain.chain
const [listed] = FakeChain.chain.tokens

const named = { address: TARGET, kind: "bridge", name: "relay" } as const
const ending = { ...named, expiresAt: "1970-03-01" }

const raise = (kind: AlertKind, details: NewAlert["details"]) =>
  Effect.flatMap(Alerts, (alerts) =>
    alerts.raise({
      key: [kind, ...Object.values(details)].join(":"),
      severity: "critical",
      kind,
      message: "",
      details
    })
  )

const settings = OrchestratorSettings.layer({ ...orchestratorDefaults, roles: { lifetimeMillis: 30_000 } })

/** Keys of the alerts that still stand after a process with these settings has run for two minutes. */
const left = Effect.fnUntraced(function* (chains: ReadonlyArray<Partial<Chain>>, share: Share = WHOLE) {
  const all = chains.map((given) => ({ ...FakeChain.client({}), chain: { ...FakeChain.chain, ...given } }))
  const alerts = yield* Alerts
  const book = yield* LaneBook
  const heartbeats = yield* Heartbeats
  yield* Layer.build(
    RemovedSubjects.layer.pipe(
      Layer.provide([
        Layer.succeed(Alerts, alerts),
        Layer.succeed(Chains, { all, get: () => Effect.die("not asked") }),
        Layer.succeed(ProcessShare, share),
        Layer.succeed(LaneBook, book),
        Layer.succeed(Heartbeats, heartbeats),
        settings,
        RelayerKeys.layer([LANE])
      ])
    )
  )
  yield* TestClock.adjust("2 minutes")
  return (yield* alerts.list).map(({ key }) => key).toSorted()
})

const world = Layer.mergeAll(
  AlertsInMemory.layer,
  HeartbeatsInMemory.layer,
  LaneBookInMemory.layer,
  RelayTransactionsInMemory.layer
)

type World = Layer.Success<typeof world>

const test = (name: string, body: Effect.Effect<void, unknown, World | Scope.Scope>) =>
  it.effect(name, () => Effect.provide(body, world))

describe("alerts of removed subjects", () => {
  test(
    "end for conditions of a removed chain, and for nothing else",
    Effect.gen(function* () {
      for (const kind of [
        "chain_stale",
        "lane_low",
        "exposure_spent",
        "fee_limit",
        "foreign_nonce",
        "gas_price",
        "guard_unknown",
        "owner_blocks_batch",
        "spender_unseen",
        "transaction_rejected",
        "treasury_key",
        "treasury_unsellable",
        "treasury_vault",
        "settlement_lost"
      ] as const) {
        yield* raise(kind, { chainId: OTHER })
      }
      yield* raise("chain_stale", { chainId: SERVED })
      yield* raise("builder_failing", { builderId: "bld_1" })
      assert.deepStrictEqual(yield* left([{}]), [
        "builder_failing:bld_1",
        `chain_stale:${SERVED}`,
        `settlement_lost:${OTHER}`
      ])
    })
  )

  for (const role of ["watch", "relay"] as const) {
    test(
      `stand for a chain that another process works on, whose settings name it (${role})`,
      Effect.gen(function* () {
        const { beat } = yield* Heartbeats
        yield* raise("lane_low", { chainId: OTHER, lane: LANE })
        const [first] = yield* (yield* Alerts).list
        const beats = Effect.repeat(beat([{ role, chainId: OTHER }]), Schedule.spaced("5 seconds"))
        const other = yield* Effect.forkChild(beats)
        const key = `lane_low:${OTHER}:${LANE}`
        assert.deepStrictEqual(yield* left([{}]), [key])
        assert.strictEqual((yield* (yield* Alerts).list)[0]?.id, first?.id, "it was not raised again")
        // The chain leaves the settings of the other process too.
        yield* Fiber.interrupt(other)
        yield* TestClock.adjust("2 minutes")
        assert.deepStrictEqual(yield* left([{}]), [])
      })
    )
  }

  for (const kind of [
    "foreign_nonce",
    "gas_price",
    "lane_delegated",
    "lane_low",
    "nonce_doubted",
    "signing_failed",
    "transaction_rejected"
  ] as const) {
    test(
      `end for a lane without a key (${kind})`,
      Effect.gen(function* () {
        for (const lane of [LANE, FORMER_LANE]) yield* raise(kind, { chainId: SERVED, lane })
        assert.deepStrictEqual(yield* left([{}]), [`${kind}:${SERVED}:${LANE}`])
      })
    )

    test(
      `stand for a lane without a key while its transactions are followed (${kind})`,
      Effect.gen(function* () {
        const transactions = yield* RelayTransactions
        const { id } = yield* transactions.allocate({
          chainId: SERVED,
          lane: FORMER_LANE,
          chainNonce: 0n,
          intentIds: [],
          sign: () => Effect.succeed(attempt("a"))
        })
        yield* raise(kind, { chainId: SERVED, lane: FORMER_LANE })
        assert.deepStrictEqual(yield* left([{}]), [`${kind}:${SERVED}:${FORMER_LANE}`])
        yield* transactions.finalize([{ id }])
        assert.deepStrictEqual(yield* left([{}]), [])
      })
    )
  }

  test(
    "stand for a chain whose lanes are all there",
    Effect.gen(function* () {
      yield* raise("gas_price", { chainId: SERVED })
      assert.deepStrictEqual(yield* left([{}]), [`gas_price:${SERVED}`])
    })
  )

  test(
    "end for a target that the settings do not name any more, or not with an end",
    Effect.gen(function* () {
      const standing = [`target_expiring:${SERVED}:${TARGET}`]
      yield* raise("target_expiring", { chainId: SERVED, target: TARGET })
      assert.deepStrictEqual(yield* left([{ targets: [ending] }]), standing)
      assert.deepStrictEqual(yield* left([{ targets: [named] }]), [])
      yield* raise("target_expiring", { chainId: SERVED, target: TARGET })
      assert.deepStrictEqual(yield* left([{}]), [])
    })
  )

  test(
    "end for a token that is not listed any more",
    Effect.gen(function* () {
      const tokens = [listed?.address ?? assert.fail(), wrappedNative]
      for (const token of [...tokens, DELISTED]) yield* raise("price_deviates", { chainId: SERVED, token })
      assert.deepStrictEqual(yield* left([{}]), tokens.map((token) => `price_deviates:${SERVED}:${token}`).toSorted())
    })
  )

  test(
    "end by a process that watches their chain",
    Effect.gen(function* () {
      yield* raise("lane_low", { chainId: SERVED, lane: FORMER_LANE })
      const chains = [{}, { id: OTHER }]
      const key = `lane_low:${SERVED}:${FORMER_LANE}`
      const removed = OTHER + 1
      yield* raise("chain_stale", { chainId: removed })
      assert.deepStrictEqual(yield* left(chains, { roles: new Set(["relay"]), chains: undefined }), [
        `chain_stale:${removed}`,
        key
      ])
      assert.deepStrictEqual(yield* left(chains, { roles: new Set(["watch"]), chains: new Set([OTHER]) }), [key])
      assert.deepStrictEqual(yield* left(chains, { roles: new Set(["watch"]), chains: new Set([SERVED]) }), [])
    })
  )
})
