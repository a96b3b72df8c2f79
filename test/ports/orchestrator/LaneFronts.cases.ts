/** The part of the suite of {@link RelayTransactions} about fronts, which a lane's next transaction waits for, and about slots. */
import { expect, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { address, attempt, hash } from "../../support/IntentFixtures.ts"

const lane = address(0x1a4e)
const otherLane = address(0x1a4f)

/** A transaction without intents, whose first version pays 2^80 wei per gas. */
const allocate = (from = lane, chainId = 1, reserve?: bigint) =>
  Effect.flatMap(RelayTransactions, (transactions) =>
    transactions.allocate({
      chainId,
      lane: from,
      chainNonce: 0n,
      intentIds: [],
      ...(reserve === undefined ? {} : { reserve }),
      sign: (nonce) => Effect.succeed(attempt(`front ${from} ${chainId} ${nonce}`))
    })
  )

export const frontCases = (stores: Layer.Layer<RelayTransactions, unknown>) => {
  it.effect(
    "shows the front of each lane: the least fee and the greatest age of its transactions that are in no block",
    () =>
      Effect.gen(function* () {
        const transactions = yield* RelayTransactions
        expect(yield* transactions.fronts(1)).toEqual([])
        yield* TestClock.adjust("7 millis")
        const first = yield* allocate(lane, 1, 2n ** 100n)
        yield* transactions.addAttempt(first.id, { ...attempt("dearer"), maxFeePerGas: 2n ** 90n }, "cancel")
        yield* TestClock.adjust("2 millis")
        const second = yield* allocate(lane, 1, 3n)
        yield* allocate(otherLane)
        yield* allocate(lane, 2)
        const [atFirst, atSecond] = [
          { nonce: 0n, reserved: 2n ** 100n },
          { nonce: 1n, reserved: 3n }
        ]
        const other = {
          lane: otherLane,
          maxFeePerGas: 2n ** 80n,
          createdAtMs: 9,
          pending: [{ nonce: 0n, reserved: 0n }]
        }
        const both = { lane, createdAtMs: 7, pending: [atFirst, atSecond] }
        expect(yield* transactions.fronts(1)).toEqual([{ ...both, maxFeePerGas: 2n ** 80n }, other])
        yield* transactions.addAttempt(second.id, { ...attempt("dearest"), maxFeePerGas: 2n ** 91n }, "cancel")
        expect(yield* transactions.fronts(1)).toEqual([{ ...both, maxFeePerGas: 2n ** 90n }, other])

        const inclusion = { hash: hash("x"), blockNumber: 9n, blockHash: hash("block") }
        yield* transactions.setInclusion(first.id, inclusion)
        const rest = { lane, maxFeePerGas: 2n ** 91n, createdAtMs: 9, pending: [atSecond] }
        expect(yield* transactions.fronts(1)).toEqual([rest, other])
        yield* transactions.finalize([{ id: first.id, inclusion }, { id: second.id }])
        expect(yield* transactions.fronts(1)).toEqual([other])
      }).pipe(Effect.provide(stores))
  )

  it.effect(
    "gives a lane no more nonces than it has slots from the chain's nonce on, at any number of calls at once",
    () =>
      Effect.gen(function* () {
        const transactions = yield* RelayTransactions
        const within = (chainNonce: bigint) =>
          transactions.allocate({
            chainId: 1,
            lane,
            chainNonce,
            slots: 3n,
            intentIds: [],
            sign: (nonce) => Effect.succeed(attempt(`within ${nonce}`))
          })
        const many = (chainNonce: bigint) =>
          Effect.forEach(
            Array.from({ length: 7 }),
            () =>
              within(chainNonce).pipe(
                Effect.map(({ nonce }) => `took ${nonce}`),
                Effect.catchTag("LaneFull", ({ nonce }) => Effect.succeed(`full at ${nonce}`))
              ),
            { concurrency: "unbounded" }
          )
        const full = (nonce: number) => `full at ${nonce}`
        expect((yield* many(5n)).toSorted()).toEqual([...Array(4).fill(full(8)), "took 5", "took 6", "took 7"])
        expect((yield* many(7n)).toSorted()).toEqual([...Array(5).fill(full(10)), "took 8", "took 9"])
        expect(yield* many(5n)).toEqual(Array(7).fill(full(10)))
        const [{ pending = [] } = {}] = yield* transactions.fronts(1)
        expect(pending.map(({ nonce }) => nonce)).toEqual([5n, 6n, 7n, 8n, 9n])
        // Transactions that know no bound are stored as before.
        expect((yield* allocate()).nonce).toBe(10n)
      }).pipe(Effect.provide(stores))
  )
}
