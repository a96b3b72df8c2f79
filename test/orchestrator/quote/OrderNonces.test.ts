import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { bound, indexOf } from "../../../src/domain/OrderNonce.ts"
import * as Quoting from "../../support/Quoting.ts"

const { source } = Quoting

describe("order nonces", () => {
  it.effect("follow each other", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      const nonces = yield* Effect.replicateEffect(scene.quote(), 3)
      assert.deepStrictEqual(
        nonces.map(({ order }) => order.nonce),
        [0n, 1n, 2n].map((index) => bound(source.contracts.guard, index))
      )
    })
  )

  it.effect("skip what the guard has seen, also past the end of a word", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      scene.script.spentNonces = new Set([0n, 1n, 3n])
      assert.strictEqual(indexOf((yield* scene.quote()).order.nonce), 2n)
      assert.strictEqual(indexOf((yield* scene.quote()).order.nonce), 4n)
      scene.script.spentNonces = new Set(Array.from({ length: 300 }, (_, nonce) => BigInt(nonce)))
      assert.strictEqual(indexOf((yield* scene.quote()).order.nonce), 300n)
    })
  )

  it.effect("are issued once, however many ask at the same time", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      scene.script.spentNonces = new Set([5n])
      const offers = yield* Effect.all(
        Array.from({ length: 20 }, () => scene.quote()),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(new Set(offers.map(({ order }) => order.nonce)).size, 20)
      assert.isFalse(offers.some(({ order }) => indexOf(order.nonce) === 5n))
    })
  )

  it.effect("are issued while routes are prepared", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      scene.script.preparingMillis = 100
      const quoting = yield* Effect.forkChild(scene.quote())
      yield* TestClock.adjust(99)
      assert.deepStrictEqual(scene.asked.order, ["screening", "store"])
      yield* TestClock.adjust(1)
      yield* Fiber.join(quoting)
    })
  )

  it.effect("are not issued for a sweep that is refused", () =>
    Effect.gen(function* () {
      const scene = yield* Quoting.make()
      const { setCode } = yield* scene.chain(source.id)
      yield* setCode(Quoting.OWNER, "0x60")
      const refused = yield* Effect.flip(scene.quote())
      assert.strictEqual(refused._tag === "QuoteFailed" ? refused.reason : undefined, "owner_is_a_contract")
      assert.notInclude(scene.asked.order, "store")
    })
  )
})
