import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { keccak256 } from "viem"
import { parse } from "../../../src/orchestrator/relay/Envelope.ts"
import { OwnerBlocks } from "../../../src/orchestrator/relay/OwnerBlocks.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { Alerts, type NewAlert } from "../../../src/ports/shared/Alerts.ts"
import { address } from "../../support/FakeChain.ts"
import { layer } from "../../support/RelayScene.ts"
import { DEADLINE, source, START } from "../../support/RelayFixtures.ts"
import { relay, tick } from "../../support/SentSweep.ts"
import { crowd, ownersIn } from "./crowd.ts"

describe("a batch that nodes refuse because of one owner", () => {
  it.effect.each([1, 7, 16, 32])("is sent without owner %i in one pass", (owner) =>
    Effect.gen(function* () {
      const { accepted, blocking, hostile, sent, unfinished, unstored } = yield* crowd(32)
      hostile.add(owner)
      assert.deepStrictEqual(yield* relay, { claimed: 32, sent: 31 })
      const offers = yield* sent
      assert.isAtMost(offers.length, 7)
      assert.lengthOf(unstored, 0)

      // Each of the others is in exactly one accepted transaction, and the nonces have no gap.
      const carried = accepted.flatMap(ownersIn)
      assert.lengthOf(carried, 31)
      assert.strictEqual(new Set(carried).size, 31)
      assert.notInclude(carried, address(owner))
      assert.deepStrictEqual(
        accepted.map((raw) => parse(raw).nonce),
        accepted.map((_, index) => BigInt(index))
      )
      // The links are those of the accepted bytes.
      assert.deepStrictEqual(
        (yield* unfinished).map(({ intentIds }) => intentIds.length),
        accepted.map((raw) => ownersIn(raw).length)
      )
      const [alert, ...others] = yield* blocking
      assert.lengthOf(others, 0)
      assert.deepInclude(alert?.details, { owner: address(owner), chainId: source.id, intentId: `s${owner}` })
      assert.include(alert?.message, address(owner))
    }).pipe(Effect.provide(layer))
  )

  it.effect("is tried without the owner whom the node names", () =>
    Effect.gen(function* () {
      const { accepted, hostile, sent } = yield* crowd(32, true)
      hostile.add(19)
      assert.deepStrictEqual(yield* relay, { claimed: 32, sent: 31 })
      assert.lengthOf(yield* sent, 2)
      assert.lengthOf(accepted, 1)
      // Both versions are of one nonce: at most one of them can be mined.
      assert.deepStrictEqual(
        (yield* sent).map(({ nonce }) => nonce),
        [0n, 0n]
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("is tried without an owner who blocked before, and with the owner once that one is free", () =>
    Effect.gen(function* () {
      const { accepted, hostile, intent, sent, submitFor } = yield* crowd(4)
      hostile.add(2)
      yield* relay
      const before = (yield* sent).length
      for (const owner of [11, 12, 13, 14]) yield* submitFor(owner)
      yield* TestClock.adjust(5_000)
      assert.deepStrictEqual(yield* relay, { claimed: 5, sent: 4 })
      assert.lengthOf((yield* sent).slice(before), 2)
      yield* TestClock.adjust(9_000)
      assert.deepStrictEqual(yield* relay, { claimed: 0, sent: 0 })
      hostile.clear()
      yield* TestClock.adjust(1_000)
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
      assert.deepStrictEqual(ownersIn(accepted.at(-1) ?? "0x"), [address(2)])
      assert.strictEqual((yield* intent("s2")).txHash, keccak256(accepted.at(-1) ?? "0x"))
    }).pipe(Effect.provide(layer))
  )

  it.effect("that has nobody else leaves no gap in the lane's nonces", () =>
    Effect.gen(function* () {
      const { accepted, hostile, intent, lane, pending, submitFor } = yield* crowd(1)
      hostile.add(1)
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 0 })
      const { intentIds, kind } = yield* pending
      assert.deepStrictEqual({ intentIds, kind }, { intentIds: [], kind: "cancel" })
      assert.deepStrictEqual(
        accepted.map((raw) => parse(raw).to),
        [lane]
      )
      assert.strictEqual((yield* intent("s1")).status, "submitted")
      yield* submitFor(2)
      assert.deepStrictEqual(yield* relay, { claimed: 1, sent: 1 })
      assert.deepStrictEqual(
        accepted.map((raw) => parse(raw).nonce),
        [0n, 1n]
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("that has nobody else costs a self-send a minute later at the earliest, and none beside others", () =>
    Effect.gen(function* () {
      const { accepted, hostile, lane, submitFor } = yield* crowd(1)
      hostile.add(1)
      const selfSends = () => accepted.filter((raw) => parse(raw).to === lane).length
      for (let seconds = 0; seconds < 59; seconds += 1) {
        yield* relay
        yield* TestClock.adjust(1_000)
      }
      assert.strictEqual(selfSends(), 1)
      yield* submitFor(2)
      yield* relay
      assert.deepStrictEqual(ownersIn(accepted.at(-1) ?? "0x"), [address(2)])
      assert.strictEqual(selfSends(), 1)
      for (let seconds = 0; seconds < 100; seconds += 1) {
        yield* TestClock.adjust(1_000)
        yield* relay
      }
      assert.strictEqual(selfSends(), 2)
      hostile.clear()
      for (let seconds = 0; seconds < 240; seconds += 1) {
        yield* TestClock.adjust(1_000)
        yield* relay
      }
      assert.include(accepted.flatMap(ownersIn), address(1))
    }).pipe(Effect.provide(layer))
  )

  it.effect("that has nobody else is not held back for longer after the clock was set back", () =>
    Effect.gen(function* () {
      const { client, intents } = yield* crowd(1)
      const [intent] = intents
      if (intent === undefined) return yield* Effect.die("no intent")
      const { mayGoAlone, note } = yield* Effect.provide(OwnerBlocks, Layer.fresh(OwnerBlocks.layer))
      yield* note(client, [intent], "busy", true)
      assert.isFalse(yield* mayGoAlone(client, address(1)))
      yield* TestClock.setTime((yield* Clock.currentTimeMillis) - 3_600_000)
      assert.isTrue(yield* mayGoAlone(client, address(1)))
    }).pipe(Effect.provide(layer))
  )

  it.effect("is sent without both of two owners, each other sweep by the transaction that is stored for it", () =>
    Effect.gen(function* () {
      const { accepted, blocking, hostile, intents, unfinished } = yield* crowd(8)
      for (const owner of [5, 6]) hostile.add(owner)
      assert.deepStrictEqual(yield* relay, { claimed: 8, sent: 6 })
      const ownerOf = new Map(intents.map(({ id, order }) => [id, order.owner]))
      assert.deepStrictEqual<unknown>(
        (yield* unfinished).map(({ intentIds }) => intentIds.map((id) => ownerOf.get(id))),
        accepted.map(ownersIn)
      )
      assert.lengthOf(accepted.flatMap(ownersIn), 6)
      assert.lengthOf(yield* blocking, 2)
    }).pipe(Effect.provide(layer))
  )

  it.effect("of only hostile owners ends, and all of them wait", () =>
    Effect.gen(function* () {
      const { accepted, blocking, hostile, lane } = yield* crowd(6)
      for (const owner of [1, 2, 3, 4, 5, 6]) hostile.add(owner)
      assert.deepStrictEqual(yield* relay, { claimed: 6, sent: 0 })
      assert.lengthOf(yield* blocking, 6)
      assert.deepStrictEqual(
        accepted.map((raw) => parse(raw).to),
        [lane]
      )
    }).pipe(Effect.provide(layer))
  )
})

describe("the alert about an owner", () => {
  it.effect("is cleared when the owner's sweep has ended", () =>
    Effect.gen(function* () {
      const { blocking, chain, hostile, intent, passDeadline } = yield* crowd(3)
      hostile.add(3)
      yield* relay
      assert.lengthOf(yield* blocking, 1)
      yield* TestClock.adjust(5_000)
      yield* relay
      assert.lengthOf(yield* blocking, 1)
      yield* chain.mine([], DEADLINE - START - 5n)
      yield* passDeadline
      yield* tick
      assert.strictEqual((yield* intent("s3")).status, "failed")
      yield* TestClock.adjust(5_000)
      yield* relay
      assert.lengthOf(yield* blocking, 0)
    }).pipe(Effect.provide(layer))
  )

  it.effect("ends the backoff of every process, whichever cleared it", () =>
    Effect.gen(function* () {
      const { blocking, client, intents } = yield* crowd(2)
      const { apply } = yield* Intents
      const [ended, open] = intents
      if (ended === undefined || open === undefined) return yield* Effect.die("no intents")
      // Each process has its own.
      const process = Effect.provide(OwnerBlocks, Layer.fresh(OwnerBlocks.layer))
      const [first, second] = [yield* process, yield* process]
      for (const each of [ended, open]) yield* first.note(client, [each], "busy", true)
      yield* second.note(client, [ended], "busy", true)
      yield* apply(ended.id, [{ _tag: "Failed", reason: "expired" }])
      yield* second.review(client)
      yield* first.review(client)
      assert.lengthOf(yield* blocking, 1)
      for (const each of [first, second]) {
        assert.isFalse(each.isKnown(client, ended.order.owner))
        assert.isTrue(yield* each.mayGoAlone(client, ended.order.owner))
      }
      assert.isTrue(first.isKnown(client, open.order.owner))
      assert.isFalse(yield* first.mayGoAlone(client, open.order.owner))

      // The same without any alert left.
      yield* apply(open.id, [{ _tag: "Failed", reason: "expired" }])
      yield* TestClock.adjust(5_000)
      yield* second.review(client)
      assert.lengthOf(yield* blocking, 0)
      yield* first.review(client)
      assert.isFalse(first.isKnown(client, open.order.owner))
    }).pipe(Effect.provide(layer))
  )

  it.effect("is waited for by a review that runs while the store takes it", () =>
    Effect.gen(function* () {
      const { client, intents } = yield* crowd(1)
      const [intent] = intents
      if (intent === undefined) return yield* Effect.die("no intents")
      const slow = Layer.effect(
        Alerts,
        Effect.map(Alerts, (alerts) => ({
          ...alerts,
          raise: (alert: NewAlert) => Effect.delay(alerts.raise(alert), "1 second")
        }))
      )
      const { isKnown, mayGoAlone, note, review } = yield* Effect.provide(
        OwnerBlocks,
        Layer.fresh(Layer.provide(OwnerBlocks.layer, slow))
      )
      const noting = yield* Effect.forkChild(note(client, [intent], "busy", true))
      yield* Effect.yieldNow
      yield* review(client)
      yield* TestClock.adjust("1 second")
      yield* Fiber.join(noting)
      assert.isTrue(isKnown(client, intent.order.owner))
      assert.isFalse(yield* mayGoAlone(client, intent.order.owner))
    }).pipe(Effect.provide(layer))
  )
})
