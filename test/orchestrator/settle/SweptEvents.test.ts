import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import type { LogFilter } from "../../../src/ports/shared/Chains.ts"
import { hash } from "../../support/IntentFixtures.ts"
import { layerOnNodes } from "../../support/RelayScene.ts"
import { cancelledLog, sweptLog } from "../../support/RelayFixtures.ts"
import { sentSweep, tick } from "../../support/SentSweep.ts"

/** Nodes that read at most 50 blocks of logs in one look. */
const narrow = (reads: Array<LogFilter>) =>
  layerOnNodes((client) => ({
    ...client,
    logs: (filter) => {
      reads.push(filter)
      const end = filter.fromBlock + 49n
      if (filter.toBlock <= end) return client.logs(filter)
      return Effect.map(client.logs({ ...filter, toBlock: end }), ({ logs }) => ({
        logs,
        unread: { fromBlock: end + 1n, toBlock: filter.toBlock }
      }))
    }
  }))

/** A sweep whose transaction reverted, 300 blocks ago. */
const reverted = Effect.gen(function* () {
  const the = yield* sentSweep()
  yield* the.mineLane({ hash: the.attempt.hash, status: "reverted" })
  return the
})

const ticks = (count: number) => Effect.repeat(tick, { times: count - 1 })

describe("a search of logs that takes several looks", () => {
  it.effect("decides nothing before its end, and finds a settlement by another transaction", () => {
    const reads: Array<LogFilter> = []
    return Effect.gen(function* () {
      const { bury, chain, givenUp, intent, order, state } = yield* reverted
      yield* bury(200)
      yield* chain.mine([{ hash: hash("foreign"), logs: [sweptLog(order)] }])
      state.spentNonces.add(7n)
      yield* bury(100)
      yield* ticks(4)
      assert.strictEqual((yield* intent("a")).status, "submitted")
      assert.isUndefined(yield* givenUp("a"))
      assert.isTrue(((yield* intent("a")).searches?.settlement ?? 0n) > 100n)
      yield* ticks(2)
      assert.strictEqual((yield* intent("a")).status, "delivered")
      // Each look continues where the last one ended.
      assert.lengthOf(new Set(reads.map(({ fromBlock }) => fromBlock)), reads.length)
      assert.isAtMost(reads.length, 6)
    }).pipe(Effect.provide(narrow(reads)))
  })

  it.effect("fails a sweep once the cancellation of its nonce is found", () => {
    const reads: Array<LogFilter> = []
    return Effect.gen(function* () {
      const { bury, chain, intent, order, state } = yield* reverted
      yield* bury(20)
      yield* chain.mine([{ hash: hash("cancel"), logs: [cancelledLog(order.order)] }])
      state.spentNonces.add(7n)
      yield* bury(100)
      yield* ticks(20)
      assert.strictEqual((yield* intent("a")).failureReason, "nonce_used")
      assert.isAtMost(reads.length, 40)
    }).pipe(Effect.provide(narrow(reads)))
  })

  it.effect("starts anew when the nonce is spent and no event was found", () => {
    let isBehind = true
    const nodes = layerOnNodes((client) => ({
      ...client,
      logs: (filter) => {
        const end = filter.fromBlock + 49n
        const isWide = filter.toBlock > end
        return Effect.map(client.logs(isWide ? { ...filter, toBlock: end } : filter), ({ logs }) => ({
          logs: isBehind ? [] : logs,
          ...(isWide ? { unread: { fromBlock: end + 1n, toBlock: filter.toBlock } } : {})
        }))
      }
    }))
    return Effect.gen(function* () {
      const { bury, chain, intent, order, state } = yield* reverted
      yield* chain.mine([{ hash: hash("foreign"), logs: [sweptLog(order)] }])
      state.spentNonces.add(7n)
      yield* bury(150)
      let wasSearched = false
      for (let look = 0; look < 20; look++) {
        yield* tick
        const { searches, status } = yield* intent("a")
        assert.strictEqual(status, "submitted")
        wasSearched ||= searches?.settlement !== undefined
      }
      assert.isTrue(wasSearched)
      isBehind = false
      yield* ticks(20)
      assert.strictEqual((yield* intent("a")).status, "delivered")
    }).pipe(Effect.provide(nodes))
  })
})
