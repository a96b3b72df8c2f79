/** One of two endpoints lies to the watcher. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { numberToHex } from "viem"
import type { ChainClient, Receipt } from "../../../src/ports/shared/Chains.ts"
import { hash } from "../../support/IntentFixtures.ts"
import { source, sweptLog } from "../../support/RelayFixtures.ts"
import { layerOnNodes, scene } from "../../support/RelayScene.ts"
import { booked, sentSweep, tick } from "../../support/SentSweep.ts"
import { lying } from "../../support/TwoEndpoints.ts"

/** Nodes of the source chain that lie by `lies` while it is set. */
const lyingNodes = () => {
  const state: { lies: ((client: ChainClient) => Parameters<typeof lying>[1]) | undefined } = { lies: undefined }
  const nodes = layerOnNodes((client) =>
    client.chain.id === source.id
      ? lying(client, {
          block: (which) => (state.lies?.(client).block ?? client.block)(which),
          call: (request) => (state.lies?.(client).call ?? client.call)(request),
          logs: (filter) => (state.lies?.(client).logs ?? client.logs)(filter),
          receipt: (of, scope) => (state.lies?.(client).receipt ?? client.receipt)(of, scope),
          transactionCount: (account, block) =>
            (state.lies?.(client).transactionCount ?? client.transactionCount)(account, block)
        })
      : client
  )
  return { nodes, state }
}

/** Blocks whose time is far in the future. */
const inFuture = (client: ChainClient) => ({
  block: (which: "latest" | bigint) =>
    Effect.map(
      client.block(which),
      Option.map((block) => ({ ...block, timestamp: block.timestamp + 1_000_000n }))
    )
})

describe("an endpoint that lies", () => {
  it.effect("ends no sweep that waits by a block in the future", () => {
    const { nodes, state } = lyingNodes()
    return Effect.gen(function* () {
      const { bury, intent, submit } = yield* scene
      yield* submit({ id: "a" })
      yield* bury(3)
      state.lies = inFuture
      assert.deepStrictEqual((yield* tick).unavailableChains, [source.id])
      assert.strictEqual((yield* intent("a")).status, "submitted")
    }).pipe(Effect.provide(nodes))
  })

  it.effect("cancels no transaction by a head in the future", () => {
    const { nodes, state } = lyingNodes()
    return Effect.gen(function* () {
      const { bury, sent, status } = yield* sentSweep()
      yield* bury(3)
      state.lies = (client) => ({
        block: (which) =>
          Effect.flatMap(client.block("latest"), (head) =>
            which === "latest" || Option.exists(head, ({ number }) => number === which)
              ? inFuture(client).block(which)
              : client.block(which)
          )
      })
      yield* tick
      yield* tick
      assert.lengthOf(yield* sent, 1)
      assert.strictEqual(yield* status, "submitted")
    }).pipe(Effect.provide(nodes))
  })

  it.effect("settles no sweep by a receipt that it made up", () => {
    const { nodes, state } = lyingNodes()
    return Effect.gen(function* () {
      const { alertKinds, alerts, attempt, bury, chain, order, status, unfinished } = yield* sentSweep()
      const block = yield* chain.mine()
      yield* bury(3)
      const { hash: blockHash, number: blockNumber } = block
      const position = { blockHash, blockNumber, transactionHash: attempt.hash }
      const receipt: Receipt = {
        ...position,
        status: "success",
        gasUsed: 1n,
        effectiveGasPrice: 1n,
        logs: [{ ...sweptLog(order), ...position, logIndex: 0 }]
      }
      state.lies = () => ({
        receipt: (of) => Effect.succeed(of === attempt.hash ? Option.some(receipt) : Option.none()),
        transactionCount: () => Effect.succeed(1n)
      })
      assert.deepStrictEqual((yield* tick).unavailableChains, [source.id])
      assert.strictEqual(yield* status, "submitted")
      assert.lengthOf(yield* booked, 0)
      assert.lengthOf(yield* unfinished, 1)
      yield* TestClock.adjust("11 seconds")
      yield* tick
      assert.include(yield* alertKinds, "chain_unavailable")
      const raised = (yield* alerts.list).find(({ kind }) => kind === "chain_unavailable")
      const difference = `liar and honest gave different answers about the receipt of ${attempt.hash}`
      assert.include(raised?.message ?? "", difference)
      assert.notInclude(raised?.message ?? "", "no usable answer")
    }).pipe(Effect.provide(nodes))
  })

  it.effect("fails no sweep that settled by a receipt without its event", () => {
    const { nodes, state } = lyingNodes()
    return Effect.gen(function* () {
      const { attempt, bury, givenUp, mineLane, order, passDeadline, state: reads, status } = yield* sentSweep()
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
      reads.spentNonces.add(7n)
      yield* bury(3)
      yield* passDeadline
      yield* bury(3)
      state.lies = (client) => ({
        call: () => Effect.succeed(numberToHex(0n, { size: 32 })),
        logs: () => Effect.succeed({ logs: [] }),
        receipt: (of, scope) =>
          Effect.map(
            client.receipt(of, scope),
            Option.map((found) => ({ ...found, status: "reverted" as const, logs: [] }))
          )
      })
      yield* tick
      assert.strictEqual(yield* status, "submitted")
      assert.isUndefined(yield* givenUp("a"))
      state.lies = undefined
      yield* tick
      assert.strictEqual(yield* status, "delivered")
    }).pipe(Effect.provide(nodes))
  })

  it.effect("fails no sweep that somebody else settled by a nonce that it calls unused", () => {
    const { nodes, state } = lyingNodes()
    return Effect.gen(function* () {
      const { bury, chain, intent, passDeadline, state: reads, submit } = yield* scene
      const order = yield* submit({ id: "a", owner: 1 })
      yield* chain.mine([{ hash: hash("stranger"), logs: [sweptLog(order)] }])
      reads.spentNonces.add(order.order.nonce)
      yield* bury(3)
      yield* passDeadline
      yield* bury(3)
      state.lies = (client) => ({
        call: (request) =>
          request.to === source.contracts.guard ? Effect.succeed(numberToHex(0n, { size: 32 })) : client.call(request),
        logs: () => Effect.succeed({ logs: [] })
      })
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "submitted")
      state.lies = undefined
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "delivered")
    }).pipe(Effect.provide(nodes))
  })
})
