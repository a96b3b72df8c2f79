/** The alert for work that no living process does. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Latch, Layer } from "effect"
import { TestClock } from "effect/testing"
import * as AlertsInMemory from "../../../src/adapters/memory/shared/Alerts.ts"
import * as HeartbeatsInMemory from "../../../src/adapters/memory/orchestrator/Heartbeats.ts"
import { orchestratorDefaults } from "../../../src/config/Orchestrator.ts"
import { type Role, type Share, ROLES } from "../../../src/domain/Role.ts"
import * as RoleReview from "../../../src/orchestrator/operate/RoleReview.ts"
import { OrchestratorSettings } from "../../../src/orchestrator/shared/OrchestratorSettings.ts"
import { StandingAlerts } from "../../../src/orchestrator/shared/StandingAlerts.ts"
import { ProcessShare } from "../../../src/orchestrator/shared/ProcessShare.ts"
import { Heartbeats } from "../../../src/ports/orchestrator/Heartbeats.ts"
import { Alerts } from "../../../src/ports/shared/Alerts.ts"
import { Chains } from "../../../src/ports/shared/Chains.ts"
import * as Background from "../../../src/runtime/Background.ts"
import * as LoopProgress from "../../../src/runtime/LoopProgress.ts"
import * as FakeChain from "../../support/FakeChain.ts"

const { id: CHAIN } = FakeChain.chain

const settings = OrchestratorSettings.layer({ ...orchestratorDefaults, roles: { lifetimeMillis: 30_000 } })
const chains = Layer.succeed(Chains, { all: [FakeChain.client({})], get: () => Effect.die("not asked") })

/** Starts the loop of a process with the roles in this scope. */
const start = (...roles: ReadonlyArray<Role>) =>
  Effect.asVoid(
    Layer.build(
      Layer.fresh(RoleReview.layer).pipe(
        Layer.provide([
          chains,
          settings,
          Layer.succeed(ProcessShare, { roles: new Set(roles), chains: undefined } as Share)
        ])
      )
    )
  )

const standing = Effect.flatMap(Alerts, ({ list }) => Effect.map(list, (all) => all.map(({ key }) => key).toSorted()))

const stores = Layer.merge(AlertsInMemory.layer, HeartbeatsInMemory.layer)

describe("the review of roles", () => {
  it.effect("is silent while the processes together have every role", () =>
    Effect.gen(function* () {
      yield* start("api", "watch")
      yield* start("relay", "outbox")
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual(yield* standing, [])
    }).pipe(Effect.provide(stores))
  )

  it.effect("names each role and chain without a process, and clears the alert when one starts", () =>
    Effect.gen(function* () {
      yield* start("api", "watch")
      yield* TestClock.adjust("29 seconds")
      assert.deepStrictEqual(yield* standing, [])
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* standing, ["role_unserved:outbox", `role_unserved:relay:${CHAIN}`])
      const [first] = yield* (yield* Alerts).list
      assert.strictEqual(first?.severity, "critical")
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* start("relay", "outbox")
          yield* TestClock.adjust("10 seconds")
          assert.deepStrictEqual(yield* standing, [])
        })
      )
      yield* TestClock.adjust("29 seconds")
      assert.deepStrictEqual(yield* standing, [])
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* standing, ["role_unserved:outbox", `role_unserved:relay:${CHAIN}`])
    }).pipe(Effect.provide(stores))
  )

  it.effect("names the work of a loop that hangs in a living process, and clears the alert when it goes on", () =>
    Effect.gen(function* () {
      const { follow } = yield* LoopProgress.LoopProgress
      const stuck = yield* Latch.make(true)
      yield* Background.loop(
        Background.supervisor("test"),
        { pauseMillis: 20_000, ended: yield* follow(`relay:${CHAIN}`) },
        stuck.await
      )
      // The second loop of the same work goes on, and does not hide it.
      yield* Background.loop(
        Background.supervisor("test"),
        { pauseMillis: 1_000, ended: yield* follow(`relay:${CHAIN}`) },
        Effect.void
      )
      yield* start(...ROLES)
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual(yield* standing, [])
      yield* stuck.close
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual(yield* standing, [])
      yield* TestClock.adjust("70 seconds")
      assert.deepStrictEqual(yield* standing, [`role_unserved:relay:${CHAIN}`])
      yield* stuck.open
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* standing, [])
    }).pipe(Effect.provide([stores, LoopProgress.layer]))
  )

  it.effect("waits after a gap of its own heartbeats, in which no process could write one", () =>
    Effect.gen(function* () {
      const alerts = yield* Effect.provideService(RoleReview.make, ProcessShare, {
        roles: new Set(ROLES.filter((role) => role !== "relay")),
        chains: undefined
      })
      const { beat } = yield* Heartbeats
      const both = Effect.andThen(beat([{ role: "relay", chainId: CHAIN }]), alerts)
      for (let round = 0; round < 10; round += 1) {
        yield* both
        yield* TestClock.adjust("5 seconds")
      }
      yield* TestClock.adjust("10 minutes")
      // This process is back first.
      yield* alerts
      yield* TestClock.adjust("5 seconds")
      yield* alerts
      assert.deepStrictEqual(yield* standing, [])
      for (let round = 0; round < 10; round += 1) {
        yield* TestClock.adjust("5 seconds")
        yield* alerts
      }
      assert.deepStrictEqual(yield* standing, [`role_unserved:relay:${CHAIN}`])
    }).pipe(Effect.provide([chains, settings, StandingAlerts.layer.pipe(Layer.provideMerge(stores))]))
  )
})
