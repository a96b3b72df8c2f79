/** No version of a transaction costs more than the network fees of its sweeps and the allowed losses cover. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import type { FeesPerGas } from "../../../src/ports/shared/Chains.ts"
import { hash } from "../../support/IntentFixtures.ts"
import { layer, layerWith, onDemandIn, scene, worldOnNodes } from "../../support/RelayScene.ts"
import { destination, source, sweptLog } from "../../support/RelayFixtures.ts"
import { relay, tick } from "../../support/SentSweep.ts"
import { layerLimited, limitFees } from "../relay/chosenLimits.ts"

const GWEI = 1_000_000_000n

const feesAt = (base: bigint): FeesPerGas => ({
  baseFeePerGas: base,
  maxPriorityFeePerGas: GWEI,
  maxFeePerGas: 2n * base + GWEI
})

/** Covers 200,000 gas at so many gwei, without a margin. With the allowed loss of a half, its ceiling is 1.5 times as high. */
const coverOf = (gwei: bigint) => ({ gas: 200_000n, gasPrice: gwei * GWEI, value: 200_000n * gwei * GWEI })

/** Longer than a transaction waits for its replacement. */
const stuck = TestClock.adjust(46_000)

describe("a stuck transaction", () => {
  it.effect("is replaced within the cover of its sweep", () =>
    Effect.gen(function* () {
      const { chain, pending, sent, submit } = yield* scene
      yield* submit({ id: "a", cover: coverOf(3n) })
      yield* relay
      yield* chain.setFees(feesAt(3n * GWEI))
      yield* stuck
      yield* tick
      const [first, second] = yield* sent
      assert.strictEqual(first?.maxFeePerGas, 3n * GWEI)
      // The market pays up to 7 gwei by now.
      assert.strictEqual(second?.maxFeePerGas, (9n * GWEI) / 2n)
      assert.strictEqual((yield* pending).kind, "sweep")
    }).pipe(Effect.provide(layer))
  )

  it.effect(
    "stays as it is when a higher fee is not covered, is broadcast again, and raises an alert until it is mined",
    () =>
      Effect.gen(function* () {
        const { alertKinds, chain, mineLane, pending, sent, submit } = yield* scene
        yield* submit({ id: "a", cover: coverOf(2n) })
        yield* relay
        yield* chain.setFees(feesAt(200n * GWEI))
        yield* stuck
        yield* tick
        const versions = yield* sent
        assert.lengthOf(versions, 2)
        assert.strictEqual(versions[0]?.raw, versions[1]?.raw)
        assert.deepStrictEqual(yield* alertKinds, ["gas_price"])
        yield* tick
        assert.lengthOf(yield* sent, 2)
        const { attempts } = yield* pending
        yield* mineLane({ hash: attempts[0]?.hash ?? "0x" })
        yield* tick
        assert.deepStrictEqual(yield* alertKinds, [])
      }).pipe(Effect.provide(layer))
  )

  /** Raises the alert that a higher fee is not covered. */
  const kept = Effect.gen(function* () {
    const the = yield* scene
    const order = yield* the.submit({ id: "a", cover: coverOf(2n) })
    yield* relay
    yield* the.chain.setFees(feesAt(200n * GWEI))
    yield* stuck
    yield* tick
    assert.deepStrictEqual(yield* the.alertKinds, ["gas_price"])
    return { ...the, order }
  })

  it.effect("ends the alert also when the first look finds it in a confirmed block", () =>
    Effect.gen(function* () {
      const { alertKinds, mineLane, order, pending, unfinished } = yield* kept
      const { attempts } = yield* pending
      yield* mineLane({ hash: attempts[0]?.hash ?? "0x", logs: [sweptLog(order)] })
      yield* tick
      assert.lengthOf(yield* unfinished, 0)
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(
      Effect.provide(onDemandIn(worldOnNodes((client) => client, [{ ...source, confirmations: 1 }, destination])))
    )
  )

  it.effect("ends the alert also when another transaction used its nonce", () =>
    Effect.gen(function* () {
      const { alertKinds, bury, mineLane, unfinished } = yield* kept
      yield* mineLane({ hash: hash("foreign") })
      yield* bury(3)
      for (let pass = 0; pass < 3; pass++) {
        yield* tick
        yield* TestClock.adjust(30_000)
      }
      yield* tick
      assert.lengthOf(yield* unfinished, 0)
      assert.deepStrictEqual(yield* alertKinds, ["foreign_nonce"])
    }).pipe(Effect.provide(layer))
  )

  it.effect("is replaced without the sweeps whose fees do not cover it", () =>
    Effect.gen(function* () {
      const { chain, intent, mineLane, pending, sent, submit } = yield* scene
      yield* submit({ id: "poor", owner: 1, cover: coverOf(2n) })
      const rich = yield* submit({ id: "rich", owner: 2, cover: coverOf(100n) })
      yield* relay
      yield* chain.setFees(feesAt(5n * GWEI))
      yield* stuck
      yield* tick
      const [first, second] = yield* sent
      assert.strictEqual(first?.maxFeePerGas, (3n * GWEI * 8n) / 9n)
      assert.strictEqual(second?.maxFeePerGas, 11n * GWEI)
      assert.isBelow(second?.data.length ?? 0, first?.data.length ?? 0)
      // The first version may still be mined, so nobody sends the other sweep with another nonce.
      const { attempts, intentIds } = yield* pending
      assert.sameMembers([...intentIds], ["poor", "rich"])
      assert.strictEqual((yield* relay).claimed, 0)
      yield* mineLane({ hash: attempts[1]?.hash ?? "0x", logs: [sweptLog(rich)] })
      yield* chain.mine()
      yield* chain.mine()
      yield* tick
      assert.strictEqual((yield* intent("poor")).status, "submitted")
      yield* chain.setFees(feesAt(GWEI))
      assert.strictEqual((yield* intent("rich")).status, "delivered")
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
    }).pipe(Effect.provide(layer))
  )

  it.effect("makes way for the transactions behind it, by a self-send", () =>
    Effect.gen(function* () {
      const { chain, lane, sent, submit, unfinished } = yield* scene
      yield* submit({ id: "poor", owner: 1, cover: coverOf(2n) })
      yield* relay
      yield* chain.setFees(feesAt(5n * GWEI))
      yield* submit({ id: "rich", owner: 2, cover: coverOf(100n) })
      assert.strictEqual((yield* relay).sent, 1)
      // No block can include it, so this does not take as long as a replacement with a higher tip.
      yield* TestClock.adjust(15_000)
      yield* tick
      const [first] = yield* unfinished
      assert.strictEqual(first?.kind, "cancel")
      const cancel = (yield* sent).find(({ to }) => to === lane)
      assert.strictEqual(cancel?.nonce, 0n)
      assert.isAtLeast(Number(cancel?.maxFeePerGas), 6_000_000_000)
    }).pipe(Effect.provide(layer))
  )

  it.effect.each([
    { fate: "stays if even a self-send would exceed the allowed losses", lossBudget: 0n, kind: "sweep" },
    { fate: "frees its nonce at the cost of the hourly loss budget", lossBudget: 10n ** 16n, kind: "cancel" }
  ])("$fate", ({ kind, lossBudget }) =>
    Effect.gen(function* () {
      const { chain, submit, unfinished } = yield* scene
      yield* submit({ id: "poor", owner: 1, cover: coverOf(2n) })
      yield* relay
      yield* chain.setFees(feesAt(100n * GWEI))
      yield* submit({ id: "rich", owner: 2, cover: coverOf(1_000n) })
      yield* relay
      yield* stuck
      yield* tick
      assert.strictEqual((yield* unfinished)[0]?.kind, kind)
    }).pipe(Effect.provide(layerWith({ lossBudget })))
  )
})

describe("the fee limit of a chain", () => {
  const LIMIT = 50n * GWEI

  /** Fees of the next block, as nodes tell them under the limit. */
  const limitedAt = (gwei: bigint): FeesPerGas => {
    const fees = feesAt(gwei * GWEI)
    return { ...fees, maxFeePerGas: fees.maxFeePerGas < LIMIT ? fees.maxFeePerGas : LIMIT }
  }

  /** Sends a transaction at so many gwei. Its sweep covers 61.5, and the limit of the chain is changed after that. */
  const sentAt = Effect.fnUntraced(function* (gwei: bigint) {
    const the = yield* scene
    yield* the.submit({ id: "a", owner: 1, cover: coverOf(41n) })
    yield* the.chain.setFees({ baseFeePerGas: 38n * GWEI, maxPriorityFeePerGas: GWEI, maxFeePerGas: gwei * GWEI })
    yield* relay
    assert.strictEqual((yield* the.sent)[0]?.maxFeePerGas, gwei * GWEI)
    return the
  })

  it.effect("holds for the replacement of a sweep, however much the sweep pays", () =>
    Effect.gen(function* () {
      const { chain, pending, sent } = yield* sentAt(40n)
      yield* limitFees(LIMIT)
      yield* chain.setFees(limitedAt(55n))
      yield* stuck
      yield* tick
      const versions = yield* sent
      assert.deepStrictEqual(new Set(versions.map(({ maxFeePerGas }) => maxFeePerGas)), new Set([40n * GWEI]))
      assert.lengthOf((yield* pending).attempts, 1)
      // The operator raises the limit.
      yield* limitFees(60n * GWEI)
      yield* stuck
      yield* tick
      assert.strictEqual((yield* pending).attempts[1]?.maxFeePerGas, 56_125_000_000n)
      assert.strictEqual((yield* pending).kind, "sweep")
    }).pipe(Effect.provide(layerLimited))
  )

  it.effect.each([40, 46, 50])("does not hold for a self-send that frees the nonce of a version at %d gwei", (gwei) =>
    Effect.gen(function* () {
      const { chain, lane, sent, submit, unfinished } = yield* sentAt(BigInt(gwei))
      yield* submit({ id: "b", owner: 2, cover: coverOf(41n) })
      assert.strictEqual((yield* relay).sent, 1)
      yield* limitFees(LIMIT)
      yield* chain.setFees(limitedAt(55n))
      yield* stuck
      yield* tick
      assert.strictEqual((yield* unfinished)[0]?.kind, "cancel")
      const cancel = (yield* sent).find(({ to }) => to === lane)
      assert.strictEqual(cancel?.nonce, 0n)
      assert.isAbove(Number(cancel?.maxFeePerGas), Number(55n * GWEI))
    }).pipe(Effect.provide(layerLimited))
  )

  it.effect("raises an alert if a version at the limit stays, and nothing waits for its nonce", () =>
    Effect.gen(function* () {
      const { alertKinds, chain, pending } = yield* sentAt(50n)
      yield* limitFees(LIMIT)
      yield* chain.setFees(limitedAt(55n))
      yield* stuck
      yield* tick
      assert.lengthOf((yield* pending).attempts, 1)
      assert.deepStrictEqual(yield* alertKinds, ["gas_price"])
    }).pipe(Effect.provide(layerLimited))
  )
})
