import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { hash } from "../../support/IntentFixtures.ts"
import { layerOnNodes } from "../../support/RelayScene.ts"
import { sweptLog } from "../../support/RelayFixtures.ts"
import { booked, sentSweep, tick } from "../../support/SentSweep.ts"

describe("an own transaction that looks displaced", () => {
  /** Looks until the transaction would be given up. */
  const waitInVain = Effect.gen(function* () {
    yield* tick
    yield* tick
    yield* TestClock.adjust(60_000)
    yield* tick
  })

  it.effect("is concluded when another endpoint has its receipt", () =>
    Effect.gen(function* () {
      const { alertKinds, attempt, bury, mineLane, order, state, status, unfinished } = yield* sentSweep()
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
      state.spentNonces.add(7n)
      yield* bury(2)
      yield* waitInVain
      assert.strictEqual(yield* status, "delivered")
      assert.lengthOf(yield* unfinished, 0)
      assert.deepStrictEqual(yield* alertKinds, [])
      assert.lengthOf(yield* booked, 2)
    }).pipe(
      Effect.provide(
        layerOnNodes((client) => ({
          ...client,
          receipt: (hash, scope) => (scope === "everywhere" ? client.receipt(hash) : Effect.succeedNone),
          logs: () => Effect.succeed({ logs: [] })
        }))
      )
    )
  )

  it.effect("waits for its receipt while a block has it", () => {
    let isLate = true
    const nodes = layerOnNodes((client) => ({
      ...client,
      receipt: (hash) => (isLate ? Effect.succeedNone : client.receipt(hash)),
      logs: (filter) => (isLate ? Effect.succeed({ logs: [] }) : client.logs(filter))
    }))
    return Effect.gen(function* () {
      const { alertKinds, attempt, bury, givenUp, mineLane, sent, unfinished } = yield* sentSweep()
      // It reverted, so that its order's nonce does not show that it was mined.
      yield* mineLane({ hash: attempt.hash, status: "reverted" })
      yield* bury(2)
      yield* waitInVain
      yield* waitInVain
      assert.lengthOf(yield* unfinished, 1)
      assert.deepStrictEqual(yield* alertKinds, [])
      isLate = false
      yield* tick
      assert.strictEqual(yield* givenUp("a"), "stale_authorization")
      assert.lengthOf(yield* unfinished, 0)
      assert.lengthOf(yield* sent, 1)
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(Effect.provide(nodes))
  })

  it.effect("is not given up while the other endpoints do not answer", () =>
    Effect.gen(function* () {
      const { alertKinds, bury, mineLane, unfinished } = yield* sentSweep()
      yield* mineLane({ hash: hash("foreign use of the key") })
      yield* bury(2)
      yield* waitInVain
      yield* TestClock.adjust(10_000)
      yield* tick
      assert.lengthOf(yield* unfinished, 1)
      assert.deepStrictEqual(yield* alertKinds, ["chain_unavailable"])
    }).pipe(
      Effect.provide(
        layerOnNodes((client) => ({
          ...client,
          receipt: (hash, scope) =>
            scope === "everywhere"
              ? Effect.fail(new ChainUnavailable({ chainId: client.chain.id, method: "receipt", detail: "silent" }))
              : client.receipt(hash)
        }))
      )
    )
  )
})
