import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import * as RelaySigning from "../../../src/orchestrator/relay/Signing.ts"
import { type ChainClient, ChainUnavailable, SendRejected } from "../../../src/ports/shared/Chains.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { address } from "../../support/FakeChain.ts"
import { hash } from "../../support/IntentFixtures.ts"
import { layer, layerOnNodes, scene } from "../../support/RelayScene.ts"
import { otherLog, source, sweptLog } from "../../support/RelayFixtures.ts"
import { booked, relay, sentSweep, tick } from "../../support/SentSweep.ts"

const OWNER = address(0x01)

describe("crashes and lost replies", () => {
  it.effect("what was stored and never sent is sent", () =>
    Effect.gen(function* () {
      const { lane, sent, submit } = yield* scene
      yield* submit({ id: "a" })
      const transactions = yield* RelayTransactions
      const sign = yield* RelaySigning.make
      // The process died right after this commit.
      const stored = yield* transactions.allocate({
        chainId: source.id,
        lane,
        chainNonce: 0n,
        intentIds: ["a"],
        sign: (nonce) =>
          sign(lane, {
            chainId: source.id,
            nonce,
            to: OWNER,
            data: "0x1234",
            gas: 200_000n,
            maxFeePerGas: 3n,
            maxPriorityFeePerGas: 1n,
            authorizationList: []
          })
      })
      assert.strictEqual((yield* tick).rebroadcast, 1)
      assert.deepStrictEqual(
        (yield* sent).map(({ raw }) => raw),
        stored.attempts.map(({ raw }) => raw)
      )
      assert.strictEqual((yield* tick).rebroadcast, 0)
    }).pipe(Effect.provide(layer))
  )

  it.effect("what was sent and not noted is sent again, the same bytes", () =>
    Effect.gen(function* () {
      const { attempt, bury, mineLane, order, sent, status } = yield* sentSweep()
      yield* TestClock.adjust(15_000)
      assert.strictEqual((yield* tick).rebroadcast, 1)
      const bytes = (yield* sent).map(({ raw }) => raw)
      assert.deepStrictEqual(bytes, [attempt.raw, attempt.raw])
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
      yield* bury(2)
      yield* tick
      assert.strictEqual(yield* status, "delivered")
    }).pipe(Effect.provide(layer))
  )

  it.effect("a transaction that was mined although its reply was lost settles", () =>
    Effect.gen(function* () {
      const { bury, chain, intent, mineLane, pending, sent, submit } = yield* scene
      const order = yield* submit({ id: "a" })
      yield* chain.onSend(() => Effect.fail(new ChainUnavailable({ chainId: 1, method: "send", detail: "timeout" })))
      yield* relay
      yield* mineLane({ hash: (yield* pending).attempts[0]?.hash ?? "0x", logs: [sweptLog(order)] })
      yield* bury(2)
      yield* tick
      assert.strictEqual((yield* intent("a")).status, "delivered")
      assert.lengthOf(yield* sent, 1)
    }).pipe(Effect.provide(layer))
  )

  it.effect("a transaction that lost its block is sent again, and settles in another one", () =>
    Effect.gen(function* () {
      const { attempt, bury, chain, lane, mineLane, order, pending, sent, status } = yield* sentSweep()
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
      yield* bury(1)
      yield* tick
      assert.strictEqual((yield* pending).status, "mined")

      yield* chain.reorg(2)
      yield* chain.setTransactionCount(lane, 0n)
      yield* bury(3)
      assert.strictEqual((yield* tick).rebroadcast, 1)
      assert.strictEqual((yield* pending).status, "pending")
      assert.deepStrictEqual(
        (yield* sent).map(({ raw }) => raw),
        [attempt.raw, attempt.raw]
      )
      assert.strictEqual(yield* status, "submitted")

      yield* mineLane({ hash: attempt.hash, logs: [otherLog, otherLog, sweptLog(order)] })
      yield* bury(2)
      yield* tick
      assert.strictEqual(yield* status, "delivered")
      assert.lengthOf(yield* booked, 2)
    }).pipe(Effect.provide(layer))
  )
})

describe("a transaction that is not mined", () => {
  it.effect("is replaced with at least an eighth more, and whichever version is mined counts", () =>
    Effect.gen(function* () {
      const { attempt, bury, mineLane, order, pending, sent, status } = yield* sentSweep()
      yield* TestClock.adjust(45_000)
      assert.strictEqual((yield* tick).replaced, 1)
      const [first, second] = yield* sent
      assert.isTrue((second?.maxFeePerGas ?? 0n) * 8n >= (first?.maxFeePerGas ?? 0n) * 9n)
      assert.isTrue((second?.maxPriorityFeePerGas ?? 0n) * 8n >= (first?.maxPriorityFeePerGas ?? 0n) * 9n)
      for (const field of ["to", "data", "nonce", "gas"] as const) assert.strictEqual(second?.[field], first?.[field])
      assert.deepStrictEqual(second?.authorizationList, first?.authorizationList)
      assert.lengthOf((yield* pending).attempts, 2)

      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
      yield* bury(2)
      yield* tick
      assert.strictEqual(yield* status, "delivered")
    }).pipe(Effect.provide(layer))
  )

  it.effect("rises no further than helps", () =>
    Effect.gen(function* () {
      const { pending } = yield* sentSweep({ order: { deadline: 10n ** 12n } })
      for (let round = 0; round < 30; round++) {
        yield* TestClock.adjust(45_000)
        yield* tick
      }
      const { attempts } = yield* pending
      assert.isTrue((attempts.at(-1)?.maxFeePerGas ?? 0n) <= 4n * 3_000_000_000n)
      assert.isTrue(attempts.length < 15)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is not bumped while another nonce of its lane is before it", () =>
    Effect.gen(function* () {
      const { sent, submit } = yield* scene
      yield* submit({ id: "a", owner: 1 })
      yield* submit({ id: "b", owner: 2 })
      yield* relay
      yield* TestClock.adjust(45_000)
      const report = yield* tick
      assert.strictEqual(report.replaced, 1)
      assert.strictEqual((yield* sent).filter(({ nonce }) => nonce === 0n).length, 2)
    }).pipe(Effect.provide(layer))
  )

  it.effect("keeps its nonce though the node refuses it, and its replacement too", () =>
    Effect.gen(function* () {
      const { chain, pending, status } = yield* sentSweep()
      yield* chain.onSend(() =>
        Effect.fail(new SendRejected({ chainId: 1, reason: "NonceTooLow", detail: "nonce too low" }))
      )
      yield* TestClock.adjust(45_000)
      yield* tick
      assert.lengthOf((yield* pending).attempts, 2)
      assert.strictEqual(yield* status, "submitted")
    }).pipe(Effect.provide(layer))
  )

  const expiring = Effect.gen(function* () {
    const the = yield* sentSweep()
    yield* the.chain.mine([], 601n)
    const report = yield* tick
    assert.strictEqual(report.replaced, 1)
    const { attempts, kind } = yield* the.pending
    assert.strictEqual(kind, "cancel")
    assert.strictEqual(yield* the.status, "submitted")
    return { ...the, cancel: attempts.at(-1)?.hash ?? "0x" } as const
  })

  it.effect("is cancelled after its deadline, and fails only when the cancellation is deep", () =>
    Effect.gen(function* () {
      const { bury, cancel, intent, lane, mineLane, sent, status, unfinished } = yield* expiring
      const self = (yield* sent).at(-1)
      assert.strictEqual(self?.to, lane)
      assert.strictEqual(self?.data, "0x")
      assert.strictEqual(self?.nonce, 0n)
      yield* bury(5)
      yield* tick
      assert.strictEqual(yield* status, "submitted")
      yield* mineLane({ hash: cancel })
      yield* tick
      assert.strictEqual(yield* status, "submitted")
      yield* bury(2)
      yield* tick
      assert.strictEqual((yield* intent("a")).failureReason, "expired")
      assert.lengthOf(yield* unfinished, 0)
    }).pipe(Effect.provide(layer))
  )

  it.effect("is sent again if a reorganisation lets its cancellation come before the deadline", () =>
    Effect.gen(function* () {
      const { bury, cancel, chain, mineLane, pending, status, unfinished } = yield* expiring
      yield* chain.reorg(1)
      yield* mineLane({ hash: cancel })
      yield* bury(2)
      yield* tick
      assert.lengthOf(yield* unfinished, 0)
      assert.strictEqual(yield* status, "submitted")
      yield* TestClock.adjust(3_000)
      yield* relay
      assert.strictEqual((yield* pending).nonce, 1n)
    }).pipe(Effect.provide(layer))
  )

  it.effect("settles if the sweep was mined before its cancellation", () =>
    Effect.gen(function* () {
      const { attempt, bury, mineLane, order, status } = yield* expiring
      yield* mineLane({ hash: attempt.hash, logs: [sweptLog(order)] })
      yield* bury(2)
      yield* tick
      assert.strictEqual(yield* status, "delivered")
    }).pipe(Effect.provide(layer))
  )

  it.effect("lets its intent go when a foreign transaction took the nonce for good", () =>
    Effect.gen(function* () {
      const { alertKinds, bury, mineLane, pending, sent, status, unfinished } = yield* sentSweep()
      yield* mineLane({ hash: hash("foreign use of the key") })
      yield* bury(1)
      yield* tick
      assert.lengthOf(yield* unfinished, 1)
      yield* bury(1)
      yield* tick
      yield* TestClock.adjust(60_000)
      yield* tick
      assert.lengthOf(yield* unfinished, 1)
      assert.deepStrictEqual(yield* alertKinds, [])
      yield* tick
      assert.lengthOf(yield* unfinished, 0)
      assert.deepStrictEqual(yield* alertKinds, ["foreign_nonce"])
      assert.strictEqual(yield* status, "submitted")

      yield* relay
      assert.strictEqual((yield* pending).nonce, 1n)
      assert.lengthOf(yield* sent, 2)
    }).pipe(Effect.provide(layer))
  )
})

describe("a node whose receipts and logs lag its state by two blocks", () => {
  const lagging = (client: ChainClient): ChainClient => {
    const newest = Effect.map(client.block("latest"), (head) => Option.getOrThrow(head).number - 2n)
    return {
      ...client,
      receipt: (hash) =>
        Effect.flatMap(newest, (shown) =>
          Effect.map(
            client.receipt(hash),
            Option.filter(({ blockNumber }) => blockNumber <= shown)
          )
        ),
      logs: (filter) =>
        Effect.flatMap(newest, (shown) =>
          Effect.map(client.logs(filter), ({ logs }) => ({
            logs: logs.filter(({ blockNumber }) => blockNumber <= shown)
          }))
        )
    }
  }

  /** Confirmed in the state, while neither receipt nor log is visible: another block reaches the depth before they do. */
  const mined = Effect.gen(function* () {
    const the = yield* sentSweep()
    yield* the.mineLane({ hash: the.attempt.hash, logs: [sweptLog(the.order)] })
    the.state.spentNonces.add(7n)
    return the
  })
  const chain = Layer.fresh(
    layerOnNodes((client) => lagging({ ...client, chain: { ...client.chain, confirmations: 2 } }))
  )

  it.effect("keeps the service's own transaction, and concludes it when the receipt comes", () =>
    Effect.gen(function* () {
      const { alertKinds, bury, status, unfinished } = yield* mined
      yield* bury(1)
      for (let pass = 0; pass < 5; pass++) yield* tick
      assert.lengthOf(yield* unfinished, 1)
      // The node stands still for longer than the wait for a receipt.
      yield* TestClock.adjust(61_000)
      assert.strictEqual((yield* tick).failed, 0)
      assert.strictEqual(yield* status, "submitted")
      assert.lengthOf(yield* unfinished, 1)
      assert.deepStrictEqual(yield* alertKinds, [])

      yield* bury(1)
      yield* tick
      assert.strictEqual(yield* status, "delivered")
      assert.lengthOf(yield* unfinished, 0)
      assert.lengthOf(yield* booked, 2)
      assert.deepStrictEqual(yield* alertKinds, [])
    }).pipe(Effect.provide(chain))
  )
})
