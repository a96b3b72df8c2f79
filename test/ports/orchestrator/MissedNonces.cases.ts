/**
 * The part of the suite of {@link RelayTransactions} about nonces that a lane missed because an endpoint named a transaction count that was
 * too high.
 */
import { assert, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { LaneFull, RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { address, attempt, hash } from "../../support/IntentFixtures.ts"

const lane = address(0x1a4e)

const inclusion = (seed: string) => ({ hash: attempt(seed).hash, blockNumber: 7n, blockHash: hash("block 7") })

const scene = Effect.map(RelayTransactions, (transactions) => {
  const allocate = (chainNonce: bigint, slots?: bigint) =>
    transactions.allocate({
      chainId: 1,
      lane,
      chainNonce,
      ...(slots === undefined ? {} : { slots }),
      intentIds: [],
      sign: (nonce) => Effect.succeed(attempt(`nonce ${nonce}`))
    })
  const nonceOf = (chainNonce: bigint, slots?: bigint) =>
    Effect.map(allocate(chainNonce, slots), ({ nonce }) => Number(nonce))
  return { allocate, nonceOf, transactions }
})

export const missedNonceCases = (stores: Layer.Layer<RelayTransactions, unknown>) => {
  it.effect(
    "uses the nonces from 10 on, after a lane was told a count of 1000, once the transaction with nonce 1000 was given up, and its next one last",
    () =>
      Effect.gen(function* () {
        const { allocate, nonceOf, transactions } = yield* scene
        const { id } = yield* allocate(1_000n)
        yield* transactions.finalize([{ id }])
        assert.deepStrictEqual(
          [yield* nonceOf(10n, 15n), yield* nonceOf(10n, 15n), yield* nonceOf(12n, 15n)],
          [10, 11, 12]
        )
        assert.strictEqual(yield* nonceOf(1_001n, 15n), 1_001)
      }).pipe(Effect.provide(stores))
  )

  it.effect("gives a lane that missed nonces no more slots than any other lane", () =>
    Effect.gen(function* () {
      const { allocate, nonceOf } = yield* scene
      yield* allocate(1_000n)
      const nonces = yield* Effect.forEach(Array.from({ length: 15 }), () => nonceOf(10n, 15n))
      assert.deepStrictEqual(
        nonces,
        Array.from({ length: 15 }, (_, index) => 10 + index)
      )
      assert.instanceOf(yield* Effect.flip(nonceOf(10n, 15n)), LaneFull)
      assert.strictEqual(yield* nonceOf(11n, 15n), 25)
    }).pipe(Effect.provide(stores))
  )

  it.effect("gives each missed nonce to one of those who want one at once", () =>
    Effect.gen(function* () {
      const { allocate } = yield* scene
      const first = yield* allocate(1_000n)
      const all = yield* Effect.forEach(Array.from({ length: 12 }), () => allocate(10n, 15n), {
        concurrency: "unbounded"
      })
      const nonces = all.map(({ nonce }) => Number(nonce)).toSorted((a, b) => a - b)
      assert.deepStrictEqual(
        nonces,
        Array.from({ length: 12 }, (_, index) => 10 + index)
      )
      const stored = yield* (yield* RelayTransactions).unfinished(1)
      assert.deepStrictEqual(stored.at(-1)?.id, first.id)
      assert.lengthOf(stored, 13)
    }).pipe(Effect.provide(stores))
  )

  it.effect("uses a missed nonce below stored ones if the slots end there, and no stored one twice", () =>
    Effect.gen(function* () {
      const { allocate, nonceOf } = yield* scene
      yield* allocate(10n)
      for (const nonce of [12n, 13n]) yield* allocate(nonce)
      assert.instanceOf(yield* Effect.flip(nonceOf(10n, 1n)), LaneFull)
      assert.strictEqual(yield* nonceOf(10n, 3n), 11)
      assert.instanceOf(yield* Effect.flip(nonceOf(10n, 4n)), LaneFull)
      assert.strictEqual(yield* nonceOf(10n, 5n), 14)
    }).pipe(Effect.provide(stores))
  )

  it.effect("uses no missed nonce if a later transaction was mined: then the transaction count is too low", () =>
    Effect.gen(function* () {
      const { allocate, nonceOf, transactions } = yield* scene
      const { id, nonce } = yield* allocate(40n)
      yield* transactions.setInclusion(id, inclusion(`nonce ${nonce}`))
      assert.instanceOf(yield* Effect.flip(nonceOf(10n, 15n)), LaneFull)
      yield* transactions.finalize([{ id, inclusion: inclusion(`nonce ${nonce}`) }])
      assert.instanceOf(yield* Effect.flip(nonceOf(10n, 15n)), LaneFull)
    }).pipe(Effect.provide(stores))
  )

  it.effect("takes no missed nonce when its transaction cannot be stored", () =>
    Effect.gen(function* () {
      const { allocate, nonceOf, transactions } = yield* scene
      yield* allocate(1_000n)
      const sign = (nonce: bigint) => Effect.succeed(attempt(`nonce ${nonce}`))
      const wanted = { chainId: 1, lane, chainNonce: 10n, slots: 15n, intentIds: ["unknown"], sign }
      assert.strictEqual((yield* Effect.flip(transactions.allocate(wanted)))._tag, "IntentTaken")
      assert.strictEqual(yield* nonceOf(10n, 15n), 10)
      assert.strictEqual(yield* nonceOf(1_001n), 1_001)
    }).pipe(Effect.provide(stores))
  )
}
