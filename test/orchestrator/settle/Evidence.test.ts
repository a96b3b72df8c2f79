import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { type ChainClient, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { hash } from "../../support/IntentFixtures.ts"
import { layerOnNodes } from "../../support/RelayScene.ts"
import { cancelledLog, source } from "../../support/RelayFixtures.ts"
import { sentSweep, tick } from "../../support/SentSweep.ts"

describe("endpoints with other heads behind one load balancer", () => {
  it.effect("conclude nothing while they do not have the confirmed block, and are not called silent", () => {
    let isBehind = true
    const unknown = (client: ChainClient) =>
      new ChainUnavailable({
        chainId: client.chain.id,
        method: "call",
        detail: "header not found",
        isBlockUnknown: true
      })
    const nodes = layerOnNodes((client) => ({
      ...client,
      call: (request) =>
        // An endpoint that is behind has an older block at the number, or none with the hash.
        isBehind && typeof request.block === "object" ? Effect.fail(unknown(client)) : client.call(request)
    }))
    return Effect.gen(function* () {
      const { alertKinds, attempt, bury, chain, givenUp, intent, mineLane, order, passDeadline, state } =
        yield* sentSweep()
      yield* mineLane({ hash: attempt.hash, status: "reverted" })
      yield* chain.mine([{ hash: hash("cancel"), logs: [cancelledLog(order.order)] }])
      state.spentNonces.add(7n)
      yield* bury(2)
      yield* passDeadline
      yield* tick
      assert.isUndefined(yield* givenUp("a"))
      assert.deepStrictEqual(yield* alertKinds, [])
      isBehind = false
      yield* tick
      assert.strictEqual((yield* intent("a")).failureReason, "nonce_used")
    }).pipe(Effect.provide(nodes))
  })

  it.effect("prove nothing by an event on another branch", () => {
    let isOnBranch = true
    const nodes = layerOnNodes((client) => ({
      ...client,
      logs: (filter) =>
        Effect.map(client.logs(filter), ({ logs }) => ({
          logs: logs.map((log) => (isOnBranch ? { ...log, blockHash: hash("another branch") } : log))
        }))
    }))
    return Effect.gen(function* () {
      const { attempt, bury, chain, givenUp, intent, mineLane, order, state } = yield* sentSweep()
      yield* mineLane({ hash: attempt.hash, status: "reverted" })
      yield* chain.mine([{ hash: hash("cancel"), logs: [cancelledLog(order.order)] }])
      state.spentNonces.add(7n)
      yield* bury(2)
      yield* tick
      assert.isUndefined(yield* givenUp("a"))
      isOnBranch = false
      yield* tick
      assert.strictEqual((yield* intent("a")).failureReason, "nonce_used")
    }).pipe(Effect.provide(nodes))
  })

  it.effect("are told the height of each block whose state they compare", () => {
    const heights: Array<bigint | undefined> = []
    const nodes = layerOnNodes((client) => ({
      ...client,
      corroborated: (read, comparison) =>
        Effect.tap(client.corroborated(read, comparison), (answer) =>
          Effect.sync(() => {
            if (Array.isArray(answer)) heights.push(comparison?.blockOf?.(answer))
          })
        )
    }))
    return Effect.gen(function* () {
      const { attempt, bury, chain, mineLane } = yield* sentSweep()
      yield* mineLane({ hash: attempt.hash, status: "reverted" })
      yield* bury(3)
      const { number } = yield* chain.mine()
      yield* tick
      assert.deepStrictEqual(heights, [number, number - BigInt(source.confirmations) + 1n])
    }).pipe(Effect.provide(nodes))
  })
})
