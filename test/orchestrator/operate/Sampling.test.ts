import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import * as LaneBalances from "../../../src/orchestrator/operate/LaneBalances.ts"
import { backlog, gapOf, lanes } from "../../../src/orchestrator/operate/Sampling.ts"
import { Backlog } from "../../../src/ports/orchestrator/Backlog.ts"
import { LaneBook } from "../../../src/ports/orchestrator/LaneBook.ts"
import { StoreUnavailable } from "../../../src/ports/shared/Store.ts"
import * as Sampling from "../../../src/runtime/Sampling.ts"
import { isolated, series } from "../../support/Metrics.ts"
import { destination, source } from "../../support/RelayFixtures.ts"
import { layerOnNodes, scene } from "../../support/RelayScene.ts"
import { relay } from "../../support/SentSweep.ts"

const intents = Effect.succeed({ quoted: undefined, queued: 4_000, settled_source: 9_000 })

const outbox = Effect.succeed({
  ledger: { waiting: 2, oldestMs: 7_000 },
  events: { waiting: 0, oldestMs: undefined }
})

const down = Effect.fail(new StoreUnavailable({ operation: "backlog", detail: "down" }))

const sample = (parts: Pick<Backlog["Service"], "intents" | "outbox">) =>
  Effect.gen(function* () {
    yield* TestClock.setTime(10_000)
    yield* Sampling.round(backlog)
    return {
      intents: yield* series("sweep_intents_oldest_seconds"),
      outbox: yield* series("sweep_outbox_oldest_seconds"),
      samples: yield* series("sweep_telemetry_samples_total")
    }
  }).pipe(Effect.provideService(Backlog, { ...parts, poolWaitMillis: Effect.succeed(0) }), isolated)

const AGES = {
  intents: [
    'sweep_intents_oldest_seconds{waiting="queued"} 6',
    'sweep_intents_oldest_seconds{waiting="quoted"} 0',
    'sweep_intents_oldest_seconds{waiting="settled_source"} 1'
  ],
  outbox: ['sweep_outbox_oldest_seconds{topic="events"} 0', 'sweep_outbox_oldest_seconds{topic="ledger"} 3']
}

it.effect("shows the ages of intents and messages", () =>
  Effect.gen(function* () {
    const { samples, ...ages } = yield* sample({ intents, outbox })
    assert.deepStrictEqual(ages, AGES)
    assert.deepStrictEqual(samples, ['sweep_telemetry_samples_total{outcome="complete"} 1'])
  })
)

it.effect("shows the ages of messages while those of intents cannot be read, and the reverse", () =>
  Effect.gen(function* () {
    const partial = { samples: ['sweep_telemetry_samples_total{outcome="partial"} 1'] }
    assert.deepStrictEqual(yield* sample({ intents: down, outbox }), { ...AGES, ...partial, intents: [] })
    assert.deepStrictEqual(yield* sample({ intents, outbox: down }), { ...AGES, ...partial, outbox: [] })
  })
)

describe("the nonce gap of a lane", () => {
  const nonces = (...values: ReadonlyArray<bigint>) => values.map((nonce) => ({ nonce }))

  it("is what no transaction has, between them and from the lane's transaction count on", () => {
    assert.strictEqual(gapOf([]), 0)
    assert.strictEqual(gapOf([], 3n), 0)
    assert.strictEqual(gapOf(nonces(4n, 5n, 7n)), 1)
    assert.strictEqual(gapOf(nonces(1_000n), 10n), 990)
    assert.strictEqual(gapOf(nonces(4n, 5n, 7n), 3n), 2)
    assert.strictEqual(gapOf(nonces(4n, 5n, 7n), 4n), 1)
    // The first two are mined.
    assert.strictEqual(gapOf(nonces(4n, 5n, 6n), 6n), 0)
  })

  it.effect("is read from the chain once a transaction is old", () => {
    const counts: Array<string> = []
    const nodes = layerOnNodes((client) => ({
      ...client,
      transactionCount: (lane, block) => Effect.suspend(() => (counts.push(lane), client.transactionCount(lane, block)))
    }))
    return Effect.gen(function* () {
      const { chain, lane, submit } = yield* scene
      yield* chain.setTransactionCount(lane, 1_000n)
      yield* submit({ id: "a" })
      yield* relay
      yield* chain.setTransactionCount(lane, 10n)
      counts.length = 0
      const gap = Effect.andThen(Sampling.round([lanes]), series("sweep_lane_nonce_gap"))
      const labels = `chain_id="${source.id}",lane="${lane}"`
      assert.deepStrictEqual(yield* gap, [`sweep_lane_nonce_gap{${labels}} 0`])
      assert.deepStrictEqual(counts, [])
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* gap, [`sweep_lane_nonce_gap{${labels}} 990`])
      yield* chain.fail("transactionCount")
      assert.deepStrictEqual(yield* gap, [`sweep_lane_nonce_gap{${labels}} 0`])
    }).pipe(Effect.provide(nodes), isolated)
  })
})

it.effect("shows the balances of lanes in use within a minute, also while nothing is sent", () =>
  Effect.gen(function* () {
    const { chain, lane } = yield* scene
    const sample = yield* LaneBalances.make
    const balances = Effect.gen(function* () {
      yield* TestClock.adjust("1 minute")
      yield* Sampling.round([sample])
      return yield* series("sweep_lane_balance")
    })
    const shown = (native: number) =>
      [source, destination].map(
        ({ id }) => `sweep_lane_balance{chain_id="${id}",lane="${lane}"} ${id === source.id ? native : 1}`
      )
    assert.sameMembers([...(yield* balances)], shown(1))
    yield* chain.setBalance(lane, 5n * 10n ** 17n)
    // The nodes are asked once a minute.
    yield* Sampling.round([sample])
    assert.sameMembers([...(yield* series("sweep_lane_balance"))], shown(1))
    assert.sameMembers([...(yield* balances)], shown(0.5))
    // Without an answer, the last one stands.
    yield* chain.fail("balance")
    assert.sameMembers([...(yield* balances)], shown(0.5))
    yield* (yield* LaneBook).move(lane, "active", "draining", {
      actor: "operator",
      action: "lane.draining",
      subject: lane,
      details: {}
    })
    assert.deepStrictEqual(yield* balances, [])
  }).pipe(Effect.provide(layerOnNodes((client) => client)), isolated)
)
