/** Versions of reopened transactions: which one is sent, and how far its fees rise. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import type { ChainClient } from "../../../src/ports/shared/Chains.ts"
import { Watcher } from "../../../src/orchestrator/watch/Watcher.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { layer, layerWith } from "../../support/RelayScene.ts"
import { DEADLINE, START, source, sweptLog } from "../../support/RelayFixtures.ts"
import { sentSweep, tick } from "../../support/SentSweep.ts"

/** Covers every version that the tests sign. */
const RICH = { gas: 200_000n, gasPrice: 10n ** 11n, value: 10n ** 17n }

/** Fees of a market five times as dear. */
const fiveTimes = ({ feesPerGas }: Pick<ChainClient, "feesPerGas">) =>
  Effect.map(feesPerGas, ({ maxFeePerGas, ...market }) => ({
    ...market,
    baseFeePerGas: 5n * maxFeePerGas,
    maxFeePerGas: 10n * maxFeePerGas
  }))

describe("a self-send that lost its block for good", () => {
  /** Sweep `a` passed its deadline, so a self-send took its nonce. Returns the scene and the version that was sent last. */
  const cancelled = Effect.gen(function* () {
    const the = yield* sentSweep()
    yield* the.chain.mine([], DEADLINE - START + 1n)
    assert.strictEqual((yield* tick).replaced, 1)
    const { attempts, kind } = yield* the.pending
    assert.strictEqual(kind, "cancel")
    return { ...the, hash: attempts.at(-1)?.hash ?? "0x" }
  })

  it.effect("is replaced at the market's fees, so that its lane goes on", () =>
    Effect.gen(function* () {
      const { bury, chain, client, hash, lane, mineLane, pending, unfinished } = yield* cancelled
      yield* mineLane({ hash })
      yield* bury(2)
      yield* tick
      assert.lengthOf(yield* unfinished, 0)
      yield* chain.reorg(3)
      yield* chain.setTransactionCount(lane, 0n)
      yield* chain.setFees(yield* fiveTimes(client))
      yield* bury(4)
      yield* tick
      assert.strictEqual((yield* pending).reopened?.hash, hash)
      yield* TestClock.adjust(60_000)
      assert.strictEqual((yield* tick).replaced, 1)
      const { attempts, kind } = yield* pending
      assert.strictEqual(kind, "cancel")
      assert.isAbove(Number(attempts.at(-1)?.maxFeePerGas), Number((yield* client.feesPerGas).baseFeePerGas))
    }).pipe(Effect.provide(layerWith({ lossBudget: 10n ** 17n })))
  )

  it.effect("is replaced again after it took the nonce of a reopened sweep whose deadline passed", () =>
    Effect.gen(function* () {
      const { attempt, bury, chain, client, lane, mineLane, order, pending } = yield* sentSweep()
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
      yield* bury(2)
      yield* tick
      yield* chain.reorg(3)
      yield* chain.setTransactionCount(lane, 0n)
      yield* bury(4)
      yield* tick
      yield* chain.mine([], DEADLINE - START + 1n)
      assert.strictEqual((yield* tick).replaced, 1)
      const before = yield* pending
      assert.strictEqual(before.kind, "cancel")
      yield* chain.setFees(yield* fiveTimes(client))
      yield* TestClock.adjust(60_000)
      assert.strictEqual((yield* tick).replaced, 1)
      assert.lengthOf((yield* pending).attempts, before.attempts.length + 1)
    }).pipe(Effect.provide(layerWith({ lossBudget: 10n ** 17n })))
  )
})

describe("a replaced sweep of which the first version lost its block for good", () => {
  it.effect("is replaced by the stored version once, and then with higher fees", () =>
    Effect.gen(function* () {
      const { attempt, bury, chain, lane, mineLane, order, pending } = yield* sentSweep({ cover: RICH })
      yield* TestClock.adjust(45_000)
      assert.strictEqual((yield* tick).replaced, 1)
      const stored = (yield* pending).attempts[1]
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
      yield* bury(2)
      yield* tick
      yield* TestClock.adjust(60_000)
      yield* chain.reorg(3)
      yield* chain.setTransactionCount(lane, 0n)
      yield* bury(4)
      yield* tick
      assert.strictEqual((yield* pending).reopened?.hash, attempt.hash)
      yield* TestClock.adjust(45_000)
      assert.strictEqual((yield* tick).replaced, 1)
      assert.deepStrictEqual(
        (yield* pending).attempts.map(({ hash }) => hash),
        [attempt.hash, stored?.hash]
      )
      yield* TestClock.adjust(1_000)
      assert.strictEqual((yield* tick).replaced, 0)
      // Broadcasts in between do not put it off.
      for (const millis of [15_000, 15_000]) {
        yield* TestClock.adjust(millis)
        assert.strictEqual((yield* tick).rebroadcast, 1)
      }
      yield* TestClock.adjust(14_000)
      assert.strictEqual((yield* tick).replaced, 1)
      const { attempts } = yield* pending
      assert.lengthOf(attempts, 3)
      assert.isAbove(Number(attempts[2]?.maxFeePerGas), Number(stored?.maxFeePerGas))
    }).pipe(Effect.provide(layer))
  )
})

describe("two processes on one transaction whose settled sweep lost its block", () => {
  it.effect("send nothing by the row that the slower one read before the faster one reopened it", () =>
    Effect.gen(function* () {
      const { attempt, bury, chain, intent, lane, mineLane, order, pending, sent } = yield* sentSweep()
      const transactions = yield* RelayTransactions
      /** A process with another store. */
      const tickOn = (stored: Partial<RelayTransactions["Service"]>) =>
        tick.pipe(
          Effect.provide(
            Layer.fresh(Watcher.layerOnDemand).pipe(
              Layer.provide(Layer.succeed(RelayTransactions, { ...transactions, ...stored }))
            )
          )
        )
      // The first version is mined, and the newest one is a self-send.
      yield* chain.mine([], DEADLINE - START + 1n)
      assert.strictEqual((yield* tick).replaced, 1)
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
      yield* tick
      yield* bury(2)
      yield* tickOn({ finalize: () => Effect.void })
      assert.strictEqual((yield* intent("a")).status, "delivered")
      yield* chain.reorg(3)
      yield* chain.setTransactionCount(lane, 0n)
      yield* bury(4)

      const before = (yield* sent).length
      const stale = yield* transactions.survey(source.id)
      const [seen] = stale.transactions
      assert.deepStrictEqual([seen?.inclusion?.hash, seen?.kind], [attempt.hash, "cancel"])
      for (let looks = 0; looks < 2; looks++) {
        yield* tickOn({ survey: () => Effect.succeed(stale) })
        assert.lengthOf(yield* sent, before)
        const { kind, reopened } = yield* pending
        assert.deepStrictEqual([kind, reopened?.hash], ["sweep", attempt.hash])
      }
    }).pipe(Effect.provide(layer))
  )
})
