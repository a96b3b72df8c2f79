/** Sweeps that their own transaction did not settle: what is asked about them, and what the others of the chain notice. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { numberToHex } from "viem"
import { designator } from "../../../src/domain/Delegation.ts"
import { classOf } from "../../../src/domain/Exposure.ts"
import { Exposures } from "../../../src/ports/orchestrator/Exposures.ts"
import { FeeValue } from "../../../src/ports/orchestrator/FeeValue.ts"
import type { Intent } from "../../../src/ports/orchestrator/Intents.ts"
import { ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import * as EventLoop from "../../support/EventLoop.ts"
import { address } from "../../support/FakeChain.ts"
import { hash } from "../../support/IntentFixtures.ts"
import { receiptsOf } from "../../support/ReceiptsDuty.ts"
import { source, sweptLog } from "../../support/RelayFixtures.ts"
import { layer, layerOnNodes, onDemandIn, scene, world } from "../../support/RelayScene.ts"
import { relay, sentSweep, tick } from "../../support/SentSweep.ts"

const FAILED = 20

/** A node that takes so long to answer about an account's code from a moment on, and the number of such questions since. */
const slowNode = () => {
  const answers = { afterMillis: 0, asked: 0 }
  const nodes = layerOnNodes((client) => ({
    ...client,
    code: (account) =>
      Effect.suspend(() => {
        if (answers.afterMillis > 0) answers.asked += 1
        return Effect.andThen(Effect.sleep(answers.afterMillis), client.code(account))
      })
  }))
  return { answers, nodes }
}

/** Losses that are booked for the owners of these sweeps of unlisted tokens, in wei. */
const lostBy = Effect.fnUntraced(function* (...sweeps: ReadonlyArray<Pick<Intent, "order">>) {
  const classes = sweeps.map(({ order: { owner } }) => classOf("unlisted", "owner", source.id, owner))
  const sums = yield* (yield* Exposures).sums(classes)
  return classes.map((key) => sums.get(key)?.hour.lost ?? 0n)
})

describe("sweeps that fail together", () => {
  it.effect("delay no sweep of a later block for longer than one of them", () => {
    const { answers, nodes } = slowNode()
    return Effect.gen(function* () {
      const { bury, chain, givenUp, intent, mineLane, submit, unfinished } = yield* scene
      const failing = Array.from({ length: FAILED }, (_, index) => `f${index + 1}`)
      for (const [index, id] of failing.entries()) yield* submit({ id, owner: index + 1 })
      yield* relay
      yield* chain.setCode(address(61), designator(source.contracts.delegate))
      const order = yield* submit({ id: "honest", owner: 61, order: { nonce: 61n } })
      yield* relay
      const [first, second] = yield* unfinished
      // Their authorizations do not count, so nothing of it runs.
      yield* mineLane({ hash: first?.attempts[0]?.hash ?? "0x", logs: [] }, 0n)
      yield* bury(2)

      answers.afterMillis = 100
      const deciding = yield* Effect.forkChild(tick)
      yield* TestClock.adjust(1)
      yield* mineLane({ hash: second?.attempts[0]?.hash ?? "0x", logs: [sweptLog(order)] }, 1n)
      yield* bury(2)
      yield* TestClock.adjust(200)
      assert.isDefined(deciding.pollUnsafe())
      yield* Fiber.join(deciding)
      for (const id of failing) assert.isDefined(yield* givenUp(id), id)
      yield* tick
      assert.strictEqual((yield* intent("honest")).status, "delivered")
    }).pipe(Effect.provide(nodes))
  })
})

describe("sweeps that are decided by a scheduled round", () => {
  it.effect("delay no other at all, and are decided once", () => {
    const { answers, nodes } = slowNode()
    return Effect.gen(function* () {
      const { bury, chain, givenUp, intent, mineLane, submit, unfinished } = yield* scene
      yield* submit({ id: "failing", owner: 1 })
      yield* relay
      yield* chain.setCode(address(61), designator(source.contracts.delegate))
      const order = yield* submit({ id: "honest", owner: 61, order: { nonce: 61n } })
      yield* relay
      const [first, second] = yield* unfinished
      yield* mineLane({ hash: first?.attempts[0]?.hash ?? "0x", logs: [] }, 0n)
      yield* bury(2)
      const { scheduled } = yield* receiptsOf((yield* unfinished).map(({ id }) => id))
      answers.afterMillis = 60_000
      yield* scheduled
      yield* mineLane({ hash: second?.attempts[0]?.hash ?? "0x", logs: [sweptLog(order)] }, 1n)
      yield* bury(2)
      yield* scheduled
      assert.strictEqual((yield* intent("honest")).status, "delivered")
      assert.isUndefined(yield* givenUp("failing"))
      yield* TestClock.adjust(60_000)
      assert.isDefined(yield* givenUp("failing"))
      assert.strictEqual(answers.asked, 1)
      assert.deepStrictEqual(yield* unfinished, [])
    }).pipe(Effect.provide(nodes))
  })

  it.effect("say that the node does not answer until it does, and are decided then", () =>
    Effect.gen(function* () {
      const { attempt, bury, chain, givenUp, mineLane, transaction } = yield* sentSweep()
      yield* mineLane({ hash: attempt.hash, logs: [] })
      yield* bury(2)
      const { scheduled } = yield* receiptsOf([transaction.id])
      const isSilent = Effect.map(scheduled, ({ findings }) =>
        findings.some(({ unavailable }) => unavailable !== undefined)
      )
      yield* chain.fail("code")
      yield* scheduled
      yield* EventLoop.settled
      assert.isTrue(yield* isSilent)
      yield* EventLoop.settled
      yield* chain.fail()
      yield* scheduled
      yield* EventLoop.settled
      assert.isFalse(yield* isSilent)
      assert.isDefined(yield* givenUp("a"))
    }).pipe(Effect.provide(layer))
  )
})

describe("a sweep whose nonce is unused in the newest block", () => {
  it.effect("is decided without a search of logs", () =>
    Effect.gen(function* () {
      const { attempt, bury, chain, givenUp, mineLane } = yield* sentSweep()
      yield* mineLane({ hash: attempt.hash, logs: [] })
      yield* bury(2)
      yield* chain.fail("logs")
      yield* tick
      assert.isDefined(yield* givenUp("a"))
    }).pipe(Effect.provide(layer))
  )

  it.effect("is searched for in the logs if the confirmed block shows the nonce as used", () => {
    const heads: Array<string> = []
    return Effect.gen(function* () {
      const { attempt, bury, chain, client, mineLane, order, state, status } = yield* sentSweep()
      yield* chain.mine([{ hash: hash("foreign"), logs: [sweptLog(order)] }])
      state.spentNonces.add(order.order.nonce)
      yield* mineLane({ hash: attempt.hash, status: "reverted" })
      yield* bury(2)
      // The newest block is of a branch that does not have the settlement.
      const head = yield* client.block("latest")
      heads.push(head._tag === "Some" ? head.value.hash : "")
      yield* tick
      assert.strictEqual(yield* status, "delivered")
    }).pipe(
      Effect.provide(
        layerOnNodes((client) => ({
          ...client,
          call: (request) =>
            typeof request.block === "object" && "hash" in request.block && heads.includes(request.block.hash)
              ? Effect.succeed(numberToHex(0, { size: 32 }))
              : client.call(request)
        }))
      )
    )
  })

  it.effect("is searched for in the logs if the node does not have the block's state", () => {
    const heads: Array<string> = []
    return Effect.gen(function* () {
      const { attempt, bury, chain, client, mineLane, order, status } = yield* sentSweep()
      // Somebody else sent it first, and no node shows the nonce yet.
      yield* chain.mine([{ hash: hash("foreign"), logs: [sweptLog(order)] }])
      yield* mineLane({ hash: attempt.hash, status: "reverted" })
      yield* bury(2)
      const head = yield* client.block("latest")
      heads.push(head._tag === "Some" ? head.value.hash : "")
      yield* tick
      assert.strictEqual(yield* status, "delivered")
    }).pipe(
      Effect.provide(
        layerOnNodes((client) => ({
          ...client,
          call: (request) =>
            typeof request.block === "object" && "hash" in request.block && heads.includes(request.block.hash)
              ? Effect.fail(new ChainUnavailable({ chainId: source.id, method: "eth_call", detail: "unknown block" }))
              : client.call(request)
        }))
      )
    )
  })
})

describe("a sweep that failed beside one that is undecided", () => {
  it.effect("leaves their transaction at once, and bears its part of the cost when that ends", () =>
    Effect.gen(function* () {
      const { bury, givenUp, mineLane, pending, state, submit, unfinished } = yield* scene
      const failed = yield* submit({ id: "failed", owner: 1, order: { tokenIn: address(0xb9) } })
      const undecided = yield* submit({ id: "undecided", owner: 2, order: { tokenIn: address(0xb9), nonce: 8n } })
      yield* relay
      const { attempts } = yield* pending
      yield* mineLane({ hash: attempts[0]?.hash ?? "0x", logs: [], gasUsed: 0n, dataFee: 100n })
      yield* bury(2)
      // The bitmap has its nonce, and no event says who spent it.
      state.spentNonces.add(undecided.order.nonce)
      yield* tick
      assert.isDefined(yield* givenUp("failed"))
      assert.deepStrictEqual((yield* pending).intentIds, ["undecided"])

      state.spentNonces.clear()
      yield* tick
      assert.lengthOf(yield* unfinished, 0)
      assert.deepStrictEqual(yield* lostBy(failed, undecided), [50n, 50n])
    }).pipe(Effect.provide(layer))
  )
})

describe("a watcher that stops while it values the fees of a batch", () => {
  it.effect("leaves the loss of a sweep that failed to be booked by the next one", () => {
    const state = { isSilent: true }
    const worth = Effect.suspend(() => (state.isSilent ? Effect.never : Effect.succeed(10n ** 18n)))
    const where = Layer.merge(world, Layer.succeed(FeeValue, { realisable: () => worth }))
    return Effect.gen(function* () {
      const { bury, givenUp, intent, mineLane, submit, unfinished } = yield* scene
      const unlisted = { tokenIn: address(0xb9) }
      const settled = yield* submit({ id: "settled", owner: 1, order: unlisted })
      const failed = yield* submit({ id: "failed", owner: 2, order: unlisted })
      state.isSilent = false
      yield* relay
      state.isSilent = true
      const sent = yield* unfinished
      const [transaction] = sent
      if (transaction === undefined) return yield* Effect.die("nothing sent")
      assert.sameMembers([...transaction.intentIds], ["settled", "failed"])
      yield* mineLane({
        hash: transaction.attempts[0]?.hash ?? "0x",
        logs: [sweptLog(settled)],
        gasUsed: 0n,
        dataFee: 100n
      })
      yield* bury(2)

      const stopped = Effect.gen(function* () {
        const { scheduled } = yield* receiptsOf([transaction.id])
        yield* scheduled
        yield* EventLoop.settled
      })
      yield* Effect.scoped(stopped)
      assert.strictEqual((yield* intent("settled")).status, "delivered")
      assert.isDefined(yield* givenUp("failed"))
      assert.lengthOf(yield* unfinished, 1)

      state.isSilent = false
      const { scheduled } = yield* receiptsOf([transaction.id])
      yield* scheduled
      yield* EventLoop.settled
      assert.lengthOf(yield* unfinished, 0)
      assert.deepStrictEqual(yield* lostBy(settled, failed), [0n, 50n])
    }).pipe(Effect.provide(onDemandIn(where)))
  })
})
