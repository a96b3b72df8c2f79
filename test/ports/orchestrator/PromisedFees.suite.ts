/** Contract of every {@link PromisedFees}. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { type PromisedFee, PromisedFees } from "../../../src/ports/orchestrator/PromisedFees.ts"
import { address, submitted } from "../../support/IntentFixtures.ts"

const FEE: PromisedFee = {
  chainId: 1,
  owner: address(0xa1),
  nonce: 2n ** 200n,
  token: address(0xb1),
  amount: 2n ** 100n,
  untilMs: 1_000,
  isBudgeted: true
}

export const suite = (adapter: string, stores: Layer.Layer<PromisedFees | Intents, unknown>): void => {
  describe(`${adapter} PromisedFees`, () => {
    it.effect("sum what other orders promise in the token on the chain", () =>
      Effect.gen(function* () {
        const { promise } = yield* PromisedFees
        assert.strictEqual(yield* promise(FEE), 0n)
        assert.strictEqual(yield* promise({ ...FEE, nonce: 1n, amount: 5n }), FEE.amount)
        // The largest of the other owner's.
        assert.strictEqual(yield* promise({ ...FEE, owner: address(0xa2), amount: 7n }), FEE.amount)
        assert.strictEqual(yield* promise({ ...FEE, chainId: 2 }), 0n)
        assert.strictEqual(yield* promise({ ...FEE, owner: address(0xa3), token: address(0xb2) }), 0n)
        // The same order again.
        assert.strictEqual(yield* promise({ ...FEE, amount: 1n }), 12n)
        assert.strictEqual(yield* promise({ ...FEE, nonce: 1n, amount: 0n }), 8n)
        assert.strictEqual(yield* promise(FEE), 7n)
      }).pipe(Effect.provide(stores))
    )

    it.effect("record a fee for the sums of others, in place of an earlier one", () =>
      Effect.gen(function* () {
        const { promise, record } = yield* PromisedFees
        yield* record(FEE)
        const other = { ...FEE, nonce: 1n, amount: 5n }
        assert.strictEqual(yield* promise(other), FEE.amount)
        yield* record({ ...FEE, amount: 3n })
        assert.strictEqual(yield* promise(other), 3n)
        yield* record({ ...FEE, nonce: 2n, untilMs: 500 })
        yield* TestClock.setTime(500)
        assert.strictEqual(yield* promise(other), 3n)
      }).pipe(Effect.provide(stores))
    )

    it.effect("count all submitted orders of an owner, and the largest of those that anybody may have asked for", () =>
      Effect.gen(function* () {
        const { promise } = yield* PromisedFees
        for (let nonce = 0n; nonce < 5n; nonce++) {
          const fee = { ...FEE, nonce, amount: 10n + nonce }
          yield* promise(fee)
          yield* promise({ ...fee, owner: address(0xa2), amount: 20n + nonce })
        }
        const beside = { ...FEE, owner: address(0xa3), amount: 1n }
        assert.strictEqual(yield* promise(beside), 14n + 24n)
        for (const nonce of [0n, 3n, 4n]) yield* submitted({ id: `submitted ${nonce}`, owner: 0xa1, nonce })
        // An order on another chain has the same nonce.
        yield* submitted({ id: "elsewhere", owner: 0xa2, nonce: 4n, chainId: 2 })
        assert.strictEqual(yield* promise(beside), 10n + 13n + 14n + 12n + 24n)
        // All of the same owner, since it can submit them together.
        assert.strictEqual(yield* promise({ ...FEE, nonce: 9n, amount: 1n }), 10n + 11n + 12n + 13n + 14n + 24n + 1n)
      }).pipe(Effect.provide(stores))
    )

    it.effect("count every order of every owner if no budget bounds what they lose", () =>
      Effect.gen(function* () {
        const { promise } = yield* PromisedFees
        for (const nonce of [1n, 2n, 3n]) yield* promise({ ...FEE, nonce, amount: nonce })
        const other = { ...FEE, owner: address(0xa2) }
        assert.strictEqual(yield* promise(other), 3n)
        assert.strictEqual(yield* promise({ ...other, isBudgeted: false }), 6n)
      }).pipe(Effect.provide(stores))
    )

    it.effect("forget the fee of an order that is not offered, and of no other", () =>
      Effect.gen(function* () {
        const { promise, withdraw } = yield* PromisedFees
        yield* promise(FEE)
        yield* promise({ ...FEE, nonce: 1n, amount: 5n })
        yield* promise({ ...FEE, owner: address(0xa2), amount: 7n })
        yield* withdraw(FEE)
        yield* withdraw({ ...FEE, nonce: 99n })
        yield* withdraw({ ...FEE, chainId: 2, nonce: 1n })
        assert.strictEqual(yield* promise({ ...FEE, nonce: 2n, amount: 0n }), 12n)
      }).pipe(Effect.provide(stores))
    )

    it.effect("forget orders that can settle no more", () =>
      Effect.gen(function* () {
        const { promise } = yield* PromisedFees
        yield* promise(FEE)
        yield* promise({ ...FEE, nonce: 1n, amount: 5n, untilMs: 2_000 })
        yield* TestClock.setTime(999)
        assert.strictEqual(yield* promise({ ...FEE, nonce: 2n, amount: 0n }), FEE.amount + 5n)
        yield* TestClock.setTime(1_000)
        assert.strictEqual(yield* promise({ ...FEE, nonce: 3n, amount: 0n, untilMs: 3_000 }), 5n)
        yield* TestClock.setTime(2_000)
        assert.strictEqual(yield* promise({ ...FEE, nonce: 3n, amount: 0n, untilMs: 3_000 }), 0n)
      }).pipe(Effect.provide(stores))
    )

    it.effect("miss none of orders that are made at the same time", () =>
      Effect.gen(function* () {
        const { promise } = yield* PromisedFees
        const sums = yield* Effect.forEach(
          Array.from({ length: 20 }, (_, nonce) => ({ ...FEE, nonce: BigInt(nonce), amount: 1n })),
          promise,
          { concurrency: "unbounded" }
        )
        // The last one that reads counts all others, and no two miss each other.
        const rising = sums.toSorted((a, b) => (a < b ? -1 : 1))
        for (const [index, sum] of rising.entries()) assert.isTrue(sum >= BigInt(index), rising.join(" "))
      }).pipe(Effect.provide(stores))
    )
  })
}
