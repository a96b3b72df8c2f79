/** One of two endpoints makes up receipts, logs and nonces of transactions that the chain does not have. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import type { Block, ChainClient, Log, Receipt } from "../../../src/ports/shared/Chains.ts"
import type { Hash } from "../../../src/domain/Hex.ts"
import { hash } from "../../support/IntentFixtures.ts"
import { cancelledLog, source, sweptLog } from "../../support/RelayFixtures.ts"
import { layerOnNodes } from "../../support/RelayScene.ts"
import { booked, sentSweep, tick } from "../../support/SentSweep.ts"
import { lying } from "../../support/TwoEndpoints.ts"

type Lies = Parameters<typeof lying>[1]

/** Nodes of the source chain that lie by `lies` while it is set. */
const lyingNodes = () => {
  const state: { lies: Lies } = { lies: {} }
  const nodes = layerOnNodes((client: ChainClient) =>
    client.chain.id === source.id
      ? lying(client, {
          logs: (filter) => (state.lies.logs ?? client.logs)(filter),
          receipt: (of, scope) => (state.lies.receipt ?? client.receipt)(of, scope),
          transactionCount: (account, block) => (state.lies.transactionCount ?? client.transactionCount)(account, block)
        })
      : client
  )
  return { nodes, state }
}

const receiptIn = (block: Block, transactionHash: Hash, logs: ReadonlyArray<Log>): Receipt => ({
  blockHash: block.hash,
  blockNumber: block.number,
  transactionHash,
  status: "success",
  gasUsed: 1_000n,
  effectiveGasPrice: 1_000n,
  logs
})

describe("an endpoint that lies", () => {
  it.effect("books no late receipt that it made up, and ends no alert by it", () => {
    const { nodes, state } = lyingNodes()
    return Effect.gen(function* () {
      const transactions = yield* RelayTransactions
      const { alertKinds, attempt, bury, chain, mineLane } = yield* sentSweep()
      yield* mineLane({ hash: hash("in its place") })
      yield* bury(2)
      yield* tick
      yield* tick
      yield* TestClock.adjust(60_000)
      yield* tick
      assert.include(yield* alertKinds, "foreign_nonce")
      const block = yield* chain.mine()
      yield* bury(3)
      state.lies = {
        receipt: (of) => Effect.succeed(of === attempt.hash ? Option.some(receiptIn(block, of, [])) : Option.none())
      }
      yield* TestClock.adjust(10_000)
      assert.deepStrictEqual((yield* tick).unavailableChains, [source.id])
      assert.include(yield* alertKinds, "foreign_nonce")
      assert.strictEqual(yield* transactions.spending(source.id, 0), 0n)
    }).pipe(Effect.provide(nodes))
  })

  it.effect("ends no transaction by a nonce that it calls used", () => {
    const { nodes, state } = lyingNodes()
    return Effect.gen(function* () {
      const { alertKinds, bury, unfinished } = yield* sentSweep()
      yield* bury(3)
      state.lies = { transactionCount: () => Effect.succeed(1n) }
      for (let look = 0; look < 3; look++) {
        yield* tick
        yield* TestClock.adjust(30_000)
      }
      yield* tick
      assert.lengthOf(yield* unfinished, 1)
      assert.notInclude(yield* alertKinds, "foreign_nonce")
      assert.include(yield* alertKinds, "chain_unavailable")
    }).pipe(Effect.provide(nodes))
  })

  it.effect("settles no cancelled sweep by a transaction that it made up", () => {
    const { nodes, state } = lyingNodes()
    return Effect.gen(function* () {
      const { attempt, bury, chain, client, intent, mineLane, order, state: reads } = yield* sentSweep()
      yield* mineLane({ hash: attempt.hash, status: "reverted" })
      const block = yield* chain.mine([{ hash: hash("cancel"), logs: [cancelledLog(order.order)] }])
      reads.spentNonces.add(7n)
      yield* bury(3)
      const reverted = yield* client.receipt(attempt.hash)
      const made = hash("made up")
      const position = { blockHash: block.hash, blockNumber: block.number, transactionHash: made, logIndex: 0 }
      const log = { ...sweptLog(order), ...position }
      state.lies = {
        logs: () => Effect.succeed({ logs: [log] }),
        receipt: (of) => (of === made ? Effect.succeedSome(receiptIn(block, of, [log])) : Effect.succeed(reverted))
      }
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "submitted")
      assert.lengthOf(yield* booked, 0)
      state.lies = {}
      yield* tick
      assert.strictEqual((yield* intent("a")).failureReason, "nonce_used")
    }).pipe(Effect.provide(nodes))
  })
})
