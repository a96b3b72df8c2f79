import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { Alerts } from "../../../src/ports/shared/Alerts.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import type { ChainMoney } from "../../../src/domain/ChainMoney.ts"
import type { ChainClient } from "../../../src/ports/shared/Chains.ts"
import { layerOnNodes, layerWith, scene } from "../../support/RelayScene.ts"
import { source, sweptLog } from "../../support/RelayFixtures.ts"
import { relay, tick } from "../../support/SentSweep.ts"

describe("what the operator allows", () => {
  it.effect("a paused chain claims nothing, says so, and is still watched", () =>
    Effect.gen(function* () {
      const { alertKinds, intent, sent, submit } = yield* scene
      yield* submit({ id: "a" })
      assert.deepStrictEqual(yield* relay, { claimed: 0, sent: 0 })
      assert.lengthOf(yield* sent, 0)
      assert.deepStrictEqual(yield* alertKinds, ["relayer_paused"])
      assert.strictEqual((yield* intent("a")).status, "submitted")
      assert.deepStrictEqual((yield* tick).unavailableChains, [])
    }).pipe(Effect.provide(layerWith({ pausedChains: [source.id] })))
  )

  it.effect("a paused chain ends the alert about its daily spend cap", () =>
    Effect.gen(function* () {
      const { alertKinds } = yield* scene
      const key = `spend_cap:${source.id}`
      const { raise } = yield* Alerts
      yield* raise({ key, severity: "critical", kind: "spend_cap", message: "", details: { chainId: source.id } })
      yield* relay
      assert.deepStrictEqual(yield* alertKinds, ["relayer_paused"])
    }).pipe(Effect.provide(layerWith({ pausedChains: [source.id] })))
  )

  it.effect(
    "a chain without the entry claims nothing until it is deployed, since its transactions would do nothing",
    () =>
      Effect.gen(function* () {
        const { chain, intent, sent, submit } = yield* scene
        yield* chain.setCode(source.contracts.entry, "0x")
        yield* submit({ id: "a" })
        assert.deepStrictEqual(yield* relay, { claimed: 0, sent: 0 })
        assert.lengthOf(yield* sent, 0)
        assert.strictEqual((yield* intent("a")).status, "submitted")

        yield* chain.setCode(source.contracts.entry, "0xfe")
        assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
      }).pipe(Effect.provide(layerWith({})))
  )

  it.effect("a day's spending ends at its cap, on the way or paid", () =>
    Effect.gen(function* () {
      const { alertKinds, bury, mineLane, pending, sent, submit, unfinished } = yield* scene
      const order = yield* submit({ id: "a", owner: 1 })
      yield* submit({ id: "b", owner: 2, order: { deadline: 1_800_000_000n } })
      // A batch may cost more than the cap by itself: it is reached, and nothing more is sent.
      yield* relay
      assert.lengthOf(yield* sent, 1)
      yield* submit({ id: "c", owner: 3, order: { deadline: 1_800_000_000n } })
      assert.deepStrictEqual(yield* relay, { claimed: 0, sent: 0 })
      // Nothing was spent yet, so there is nothing to tell.
      assert.deepStrictEqual(yield* alertKinds, [])

      // It cost far less than was reserved, which is what counts once it is known.
      const [, b] = [order, yield* Effect.flatMap(Intents, (intents) => intents.findAll(["b"]))]
      const logs = [order, ...b].map((each) => sweptLog(each))
      yield* mineLane({ hash: (yield* pending).attempts[0]?.hash ?? "0x", logs, gasUsed: 250_000n })
      yield* bury(2)
      yield* tick
      assert.lengthOf(yield* unfinished, 0)
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(Effect.provide(layerWith({ dailySpendCap: 10n ** 15n })))
  )

  it.effect("a cap that transactions on their way keep reached is told after minutes, and ends with them", () =>
    Effect.gen(function* () {
      const { alertKinds, bury, mineLane, pending, submit } = yield* scene
      const logs = [sweptLog(yield* submit({ id: "a", owner: 1, order: { deadline: 1_800_000_000n } }))]
      yield* relay
      yield* submit({ id: "b", owner: 2, order: { deadline: 1_800_000_000n } })
      yield* relay
      yield* TestClock.adjust("4 minutes")
      yield* relay
      assert.deepStrictEqual(yield* alertKinds, [])
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(yield* relay, { claimed: 0, sent: 0 })
      const told = (yield* (yield* Alerts).list).find(({ kind }) => kind === "spend_cap")
      assert.include(told?.message, "transactions on their way")
      assert.deepStrictEqual(told?.details, { chainId: source.id, capWei: String(10n ** 15n), isPaid: false })
      // A replica of the release before clears the alert of a paid cap while nothing is paid.
      yield* (yield* Alerts).clear(`spend_cap:${source.id}`)
      yield* relay
      const still = (yield* (yield* Alerts).list).find(({ kind }) => kind === "spend_cap")
      assert.strictEqual(still?.id, told?.id)

      yield* mineLane({ hash: (yield* pending).attempts[0]?.hash ?? "0x", logs, gasUsed: 250_000n })
      yield* bury(2)
      yield* tick
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
      assert.notInclude(yield* alertKinds, "spend_cap")
      // The next time that it is reached counts from its beginning.
      yield* relay
      assert.notInclude(yield* alertKinds, "spend_cap")
    }).pipe(Effect.provide(layerWith({ dailySpendCap: 10n ** 15n })))
  )

  it.effect("a cap that was kept by transactions on their way is told anew once it is paid", () =>
    Effect.gen(function* () {
      const { bury, mineLane, pending, submit } = yield* scene
      const capAlerts = Effect.map(
        Effect.flatMap(Alerts, ({ list }) => list),
        (all) => all.flatMap(({ details, kind }) => (kind === "spend_cap" ? [details["isPaid"]] : []))
      )
      const logs = [sweptLog(yield* submit({ id: "a", owner: 1, order: { deadline: 1_800_000_000n } }))]
      yield* relay
      yield* relay
      yield* TestClock.adjust("5 minutes")
      yield* relay
      assert.deepStrictEqual(yield* capAlerts, [false])
      yield* mineLane({
        hash: (yield* pending).attempts[0]?.hash ?? "0x",
        logs,
        gasUsed: 250_000n,
        dataFee: 10n ** 16n
      })
      yield* bury(2)
      yield* tick
      yield* relay
      assert.deepStrictEqual(yield* capAlerts, [true])
      yield* TestClock.adjust("25 hours")
      yield* relay
      assert.deepStrictEqual(yield* capAlerts, [])
    }).pipe(Effect.provide(layerWith({ dailySpendCap: 10n ** 15n })))
  )

  it.effect("a day's spending has in it what a rollup takes for the bytes, and goes on when a day has passed", () =>
    Effect.gen(function* () {
      const { alertKinds, bury, mineLane, pending, submit, unfinished } = yield* scene
      const logs = [sweptLog(yield* submit({ id: "a", owner: 1 }))]
      yield* relay
      const [attempt] = (yield* pending).attempts
      // It ends at the cap exactly, and not beyond it.
      yield* mineLane({ hash: attempt?.hash ?? "0x", logs, gasUsed: 0n, dataFee: 10n ** 16n })
      yield* bury(2)
      yield* tick
      assert.lengthOf(yield* unfinished, 0)
      yield* submit({ id: "b", owner: 2, order: { deadline: 1_800_000_000n } })
      assert.deepStrictEqual(yield* relay, { claimed: 0, sent: 0 })
      assert.deepStrictEqual(yield* alertKinds, ["spend_cap"])
      yield* TestClock.adjust("25 hours")
      yield* relay
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(Effect.provide(layerWith({ dailySpendCap: 10n ** 16n })))
  )
})

/** Changes the limits of each chain in the chains file. */
const limited =
  (limits: ChainMoney) =>
  (client: ChainClient): ChainClient => ({ ...client, chain: { ...client.chain, ...limits } })

describe("the limits of one chain", () => {
  it.effect("keep a lane from sending below the chain's minimum", () =>
    Effect.gen(function* () {
      const { alertKinds, sent, submit } = yield* scene
      yield* submit({ id: "a" })
      assert.deepStrictEqual(yield* relay, { claimed: 0, sent: 0 })
      assert.lengthOf(yield* sent, 0)
      assert.deepStrictEqual(yield* alertKinds, ["lane_low"])
    }).pipe(Effect.provide(layerOnNodes(limited({ minLaneBalanceWei: 10n ** 18n + 1n }))))
  )

  it.effect("let a lane send with less than other chains need", () =>
    Effect.gen(function* () {
      const { chain, lane, submit } = yield* scene
      yield* chain.setBalance(lane, 10n ** 16n - 1n)
      yield* submit({ id: "a" })
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
    }).pipe(Effect.provide(layerOnNodes(limited({ minLaneBalanceWei: 1n }))))
  )

  it.effect("end a day's spending at the chain's cap", () =>
    Effect.gen(function* () {
      const { submit } = yield* scene
      yield* submit({ id: "a", owner: 1 })
      yield* relay
      yield* submit({ id: "b", owner: 2 })
      assert.deepStrictEqual(yield* relay, { claimed: 0, sent: 0 })
    }).pipe(Effect.provide(layerOnNodes(limited({ dailySpendCapWei: 1n }))))
  )

  it.effect("hold sweeps up while the base fee is above the chain's maximum, and send them when it has fallen", () =>
    Effect.gen(function* () {
      const { chain, intent, sent, submit } = yield* scene
      yield* chain.setFees({ baseFeePerGas: 10n, maxFeePerGas: 9n, maxPriorityFeePerGas: 1n })
      yield* submit({ id: "a" })
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
      assert.lengthOf(yield* sent, 0)
      assert.strictEqual((yield* intent("a")).status, "submitted")
      yield* chain.setFees({ baseFeePerGas: 9n, maxFeePerGas: 9n, maxPriorityFeePerGas: 1n })
      yield* TestClock.adjust(3_000)
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
    }).pipe(Effect.provide(layerWith({})))
  )

  it.effect("keep a replacement from paying more than the chain's maximum", () =>
    Effect.gen(function* () {
      const { pending, submit } = yield* scene
      yield* submit({ id: "a" })
      yield* relay
      yield* TestClock.adjust(45_000)
      yield* tick
      assert.lengthOf((yield* pending).attempts, 1)
    }).pipe(Effect.provide(layerOnNodes(limited({ maxFeePerGasWei: 3n * 10n ** 9n }))))
  )
})
