import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Schema } from "effect"
import { TestClock } from "effect/testing"
import { Health } from "../../../src/domain/Health.ts"
import { HealthCheck } from "../../../src/orchestrator/operate/HealthCheck.ts"
import { ProviderProbes } from "../../../src/orchestrator/operate/ProviderProbes.ts"
import { Relayer } from "../../../src/orchestrator/relay/Relayer.ts"
import { LaneBook } from "../../../src/ports/orchestrator/LaneBook.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { ProviderStates } from "../../../src/ports/shared/ProviderStates.ts"
import { StoreProbe, StoreUnavailable } from "../../../src/ports/shared/Store.ts"
import { layer as sceneLayer, layerWith, scene } from "../../support/RelayScene.ts"
import { destination, source } from "../../support/RelayFixtures.ts"

const layer = Layer.provideMerge(HealthCheck.layer, sceneLayer)

const NEVER_ASKED = {
  state: "closed",
  retryAfterMillis: 0,
  lastSuccessAgeMillis: undefined,
  failuresInARow: 0,
  successes: 0,
  failures: 0,
  abandoned: 0,
  lastFailure: undefined
} as const

const lostService = {
  ...NEVER_ASKED,
  name: "0x",
  state: "open",
  retryAfterMillis: 2_001,
  lastSuccessAgeMillis: 61_999,
  failuresInARow: 5,
  successes: 9,
  failures: 6,
  lastFailure: "HTTP 502"
} as const

const check = Effect.flatMap(HealthCheck, (health) => health.check)

/** A scene whose chains have their contracts and a fresh block. */
const healthyScene = Effect.gen(function* () {
  const the = yield* scene
  for (const chain of [the.chain, the.destinationChain]) {
    for (const contract of Object.values(source.contracts)) yield* chain.setCode(contract, "0x60")
  }
  return the
})

describe("the health check", () => {
  it.effect("is ok when all parts are, and encodes", () =>
    Effect.gen(function* () {
      const { lane, submit } = yield* healthyScene
      yield* submit({ id: "a", owner: 1 })
      yield* Effect.flatMap(Relayer, (relayer) => relayer.runOnce(source.id))
      yield* submit({ id: "b", owner: 2 })
      const health = yield* check
      assert.strictEqual(health.status, "ok")
      assert.deepStrictEqual(health.queues, {
        quoted: 0,
        submitted: 2,
        settledSource: 0,
        outboxPending: 0,
        outboxRejected: 0
      })
      assert.deepStrictEqual(health.lanes, [
        { chainId: source.id, address: lane, status: "ok", balance: 10n ** 18n, unconfirmed: 1, state: "active" },
        { chainId: destination.id, address: lane, status: "ok", balance: 10n ** 18n, unconfirmed: 0, state: "active" }
      ])
      assert.strictEqual(health.chains[0]?.blockAgeSeconds, 0)
      const encoded = yield* Schema.encodeEffect(Health)(health)
      assert.strictEqual(encoded.chains[0]?.blockNumber, "1")
    }).pipe(Effect.provide(layer))
  )

  it.effect("is ok with an empty lane that the operator has taken out of use", () =>
    Effect.gen(function* () {
      const { chain, lane } = yield* healthyScene
      yield* chain.setBalance(lane, 0n)
      assert.strictEqual((yield* check).lanes[0]?.status, "down")
      const record = { actor: "admin-token", action: "lane.draining", subject: lane, details: {} }
      yield* (yield* LaneBook).move(lane, "active", "draining", record)
      const [drained] = (yield* check).lanes
      assert.deepStrictEqual([drained?.status, drained?.state], ["ok", "draining"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("shows what holds the relayer back, beside the cap that does", () =>
    Effect.gen(function* () {
      const { submit } = yield* healthyScene
      yield* submit({ id: "a", owner: 1 })
      yield* Effect.flatMap(Relayer, (relayer) => relayer.runOnce(source.id))
      const health = yield* check
      const [capped, paused] = health.relaying
      assert.strictEqual(health.status, "degraded")
      assert.isTrue((capped?.spent ?? 0n) > 1n)
      assert.deepStrictEqual(capped, {
        chainId: source.id,
        status: "degraded",
        sends: false,
        paused: false,
        spent: capped?.spent ?? null,
        dailyCap: 1n
      })
      assert.deepStrictEqual(paused, {
        chainId: destination.id,
        status: "degraded",
        sends: false,
        paused: true,
        spent: 0n,
        dailyCap: 1n
      })
    }).pipe(
      Effect.provide(
        Layer.provideMerge(HealthCheck.layer, layerWith({ dailySpendCap: 1n, pausedChains: [destination.id] }))
      )
    )
  )

  it.effect("a chain that does not answer is down, and the others are not", () =>
    Effect.gen(function* () {
      const { chain } = yield* healthyScene
      yield* chain.fail("block", "code", "balance")
      const health = yield* check
      assert.strictEqual(health.status, "down")
      assert.deepStrictEqual(
        health.chains.map(({ status }) => status),
        ["down", "ok"]
      )
      assert.deepStrictEqual(health.chains[0]?.blockNumber, null)
      assert.deepStrictEqual(
        health.lanes.map(({ balance, status }) => [status, balance]),
        [
          ["down", null],
          ["ok", 10n ** 18n]
        ]
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("missing contracts, an old block and a poor lane show", () =>
    Effect.gen(function* () {
      const { chain, lane } = yield* healthyScene
      yield* chain.setBalance(lane, 1n)
      yield* chain.setCode(source.contracts.guard, "0x")
      yield* TestClock.adjust(31_000)
      const health = yield* check
      assert.deepStrictEqual(health.chains[0]?.contractsDeployed, false)
      assert.deepStrictEqual(
        health.chains.map(({ status }) => status),
        ["down", "degraded"]
      )
      assert.deepStrictEqual(
        health.chains.map(({ missingContracts }) => missingContracts),
        [["guard"], []]
      )
      assert.deepStrictEqual(
        health.relaying.map(({ sends, status }) => [status, sends]),
        [
          ["ok", false],
          ["ok", false]
        ]
      )
      assert.strictEqual(health.lanes[0]?.status, "down")
    }).pipe(Effect.provide(layer))
  )

  it.effect("nothing waits for a part that hangs, or fails with one that fails", () =>
    Effect.gen(function* () {
      yield* healthyScene
      const checking = yield* Effect.forkChild(check)
      yield* TestClock.adjust(3_000)
      const health = yield* Fiber.join(checking)
      assert.strictEqual(health.status, "down")
      assert.deepStrictEqual(health.providers, [
        { name: "answers", status: "ok" },
        { name: "hangs", status: "down" },
        { name: "breaks", status: "down" }
      ])
    }).pipe(
      Effect.provide(layer),
      Effect.provideService(ProviderProbes, [
        { name: "answers", probe: Effect.void },
        { name: "hangs", probe: Effect.never },
        { name: "breaks", probe: Effect.die("a defect") }
      ])
    )
  )

  it.effect("an outside service that is not asked for a time degrades it, and shows why", () =>
    Effect.gen(function* () {
      yield* healthyScene
      const health = yield* check
      assert.strictEqual(health.status, "degraded")
      const [lost, fresh] = health.providers
      assert.deepStrictEqual(lost, {
        name: "0x",
        status: "degraded",
        requests: {
          state: "open",
          retryAfterSeconds: 3,
          lastSuccessAgeSeconds: 61,
          failuresInARow: 5,
          successes: 9,
          failures: 6,
          abandoned: 0,
          lastFailure: "HTTP 502"
        }
      })
      assert.deepInclude(fresh, { name: "lifi", status: "ok" })
      assert.deepInclude(fresh?.requests, { lastSuccessAgeSeconds: null, lastFailure: null })
      yield* Schema.encodeEffect(Health)(health)
    }).pipe(
      Effect.provide(layer),
      Effect.provideService(ProviderStates, {
        register: () => Effect.void,
        all: Effect.succeed([lostService, { ...NEVER_ASKED, name: "lifi" }])
      })
    )
  )

  it.effect("a database that does not answer is down", () =>
    Effect.gen(function* () {
      yield* healthyScene
      const intents = yield* Intents
      const unavailable = Effect.fail(new StoreUnavailable({ operation: "counts", detail: "gone" }))
      const health = yield* check.pipe(
        Effect.provide(
          Layer.fresh(HealthCheck.layer).pipe(
            Layer.provide(Layer.succeed(Intents, { ...intents, counts: unavailable }))
          )
        )
      )
      assert.strictEqual(health.status, "down")
      assert.deepStrictEqual(health.database, { status: "down", latencyMs: null })
    }).pipe(Effect.provide(layer))
  )

  it.effect("a database that does not take writes is down", () =>
    Effect.gen(function* () {
      yield* healthyScene
      const health = yield* check
      assert.strictEqual(health.status, "down")
      assert.strictEqual(health.database.status, "down")
    }).pipe(
      Effect.provide(layer),
      Effect.provideService(
        StoreProbe,
        Effect.fail(new StoreUnavailable({ operation: "health.probe", detail: "read-only" }))
      )
    )
  )
})
