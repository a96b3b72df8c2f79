/** Signers outside the process that do not answer hold nothing but their own account. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { KeyFailed, ofDigests } from "../../../src/adapters/evm/keys/KeyAccount.ts"
import * as LaneKeys from "../../../src/adapters/evm/keys/LaneKeys.ts"
import * as SignerLimits from "../../../src/adapters/signers/SignerLimits.ts"
import * as Address from "../../../src/domain/Address.ts"

const LANE = Address.of(`0x${"11".repeat(20)}`)
const OTHER = Address.of(`0x${"22".repeat(20)}`)

const limits = (perMinute = 100) => SignerLimits.make({ name: LANE, deadlineMillis: 4_000, perMinute })
const failing = Effect.fail(new KeyFailed({ detail: "HTTP 500" }))
const detailOf = <A>(effect: Effect.Effect<A, KeyFailed>) => Effect.map(Effect.flip(effect), ({ detail }) => detail)

describe("limits of a signer", () => {
  it.effect("have a deadline", () =>
    Effect.gen(function* () {
      const { limited } = yield* limits()
      const waiting = yield* Effect.forkChild(detailOf(limited(Effect.never)))
      yield* TestClock.adjust("4 seconds")
      assert.strictEqual(yield* Fiber.join(waiting), "no answer within 4000 ms")
    })
  )

  it.effect("leave a signer alone after two failures, and ask it once after a pause", () =>
    Effect.gen(function* () {
      const { isAnswering, limited } = yield* limits()
      yield* detailOf(limited(failing))
      assert.isTrue(yield* isAnswering)
      yield* detailOf(limited(failing))
      assert.isFalse(yield* isAnswering)
      assert.include(yield* detailOf(limited(Effect.succeed(1))), "asked again after a pause")
      yield* TestClock.adjust("5 seconds")
      assert.isTrue(yield* isAnswering)
      assert.strictEqual(yield* limited(Effect.succeed(1)), 1)
      assert.isTrue(yield* isAnswering)
    })
  )

  it.effect("have a budget, and a spent one is no failure of the signer", () =>
    Effect.gen(function* () {
      const { isAnswering, limited } = yield* limits(3)
      yield* Effect.replicateEffect(limited(Effect.succeed(1)), 3)
      for (const _ of [1, 2, 3]) {
        assert.strictEqual(yield* detailOf(limited(Effect.succeed(1))), "more than 3 signatures in a minute")
      }
      assert.isTrue(yield* isAnswering)
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual(yield* limited(Effect.succeed(1)), 1)
    })
  )

  it.effect("let at most four requests run at a time", () =>
    Effect.gen(function* () {
      const { limited } = yield* limits()
      const end = yield* Deferred.make<void>()
      let running = 0
      let most = 0
      const sign = Effect.gen(function* () {
        most = Math.max(most, ++running)
        yield* Deferred.await(end)
        running -= 1
      })
      const all = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 9 }, () => limited(sign)),
          { concurrency: 9 }
        )
      )
      yield* TestClock.adjust("1 second")
      yield* Deferred.succeed(end, undefined)
      yield* Fiber.join(all)
      assert.strictEqual(most, 4)
    })
  )
})

describe("lanes", () => {
  const outside = (address: Address.Address) => ({
    ...ofDigests(address, () => failing),
    isAnswering: Effect.succeed(true),
    isOutside: true
  })
  const local = (address: Address.Address) => ({ ...outside(address), isOutside: false })

  it.effect("of a silent signer wait for two turns, and others go on", () =>
    Effect.gen(function* () {
      const { inTurn } = yield* LaneKeys.make([outside(LANE), outside(OTHER)])
      const held = yield* Effect.forkChild(
        Effect.all(
          [1, 2].map(() => inTurn(LANE, Effect.never)),
          { concurrency: 2 }
        )
      )
      const third = yield* Effect.forkChild(Effect.flip(inTurn(LANE, Effect.succeed("third"))))
      assert.strictEqual(yield* inTurn(OTHER, Effect.succeed("other")), "other")
      yield* TestClock.adjust("4 seconds")
      assert.include((yield* Fiber.join(third)).message, "no turn to sign within 4000 ms")
      yield* Fiber.interrupt(held)
      assert.strictEqual(yield* inTurn(LANE, Effect.succeed("free")), "free")
    })
  )

  it.effect("in this process take no turns", () =>
    Effect.gen(function* () {
      const { inTurn } = yield* LaneKeys.make([local(LANE)])
      const held = yield* Effect.forkChild(
        Effect.all(
          Array.from({ length: 9 }, () => inTurn(LANE, Effect.never)),
          { concurrency: 9 }
        )
      )
      assert.strictEqual(yield* inTurn(LANE, Effect.succeed(1)), 1)
      yield* Fiber.interrupt(held)
    })
  )
})
