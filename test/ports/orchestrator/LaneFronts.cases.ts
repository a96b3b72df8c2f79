/** The part of the suite of {@link RelayTransactions} about fronts, which a lane's next transaction waits for. */
import { expect, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { address, attempt, hash } from "../../support/IntentFixtures.ts"

const lane = address(0x1a4e)
const otherLane = address(0x1a4f)

/** A transaction without intents, whose first version pays 2^80 wei per gas. */
const allocate = (from = lane, chainId = 1) =>
  Effect.flatMap(RelayTransactions, (transactions) =>
    transactions.allocate({
      chainId,
      lane: from,
      chainNonce: 0n,
      intentIds: [],
      sign: (nonce) => Effect.succeed(attempt(`front ${from} ${chainId} ${nonce}`))
    })
  )

export const frontCases = (stores: Layer.Layer<RelayTransactions, unknown>) =>
  it.effect(
    "shows the front of each lane: the least fee and the greatest age of its transactions that are in no block",
    () =>
      Effect.gen(function* () {
        const transactions = yield* RelayTransactions
        expect(yield* transactions.fronts(1)).toEqual([])
        yield* TestClock.adjust("7 millis")
        const first = yield* allocate()
        yield* transactions.addAttempt(first.id, { ...attempt("dearer"), maxFeePerGas: 2n ** 90n }, "cancel")
        yield* TestClock.adjust("2 millis")
        const second = yield* allocate()
        yield* allocate(otherLane)
        yield* allocate(lane, 2)
        const other = { lane: otherLane, maxFeePerGas: 2n ** 80n, createdAtMs: 9 }
        expect(yield* transactions.fronts(1)).toEqual([{ lane, maxFeePerGas: 2n ** 80n, createdAtMs: 7 }, other])
        yield* transactions.addAttempt(second.id, { ...attempt("dearest"), maxFeePerGas: 2n ** 91n }, "cancel")
        expect(yield* transactions.fronts(1)).toEqual([{ lane, maxFeePerGas: 2n ** 90n, createdAtMs: 7 }, other])

        const inclusion = { hash: hash("x"), blockNumber: 9n, blockHash: hash("block") }
        yield* transactions.setInclusion(first.id, inclusion)
        expect(yield* transactions.fronts(1)).toEqual([{ lane, maxFeePerGas: 2n ** 91n, createdAtMs: 9 }, other])
        yield* transactions.finalize([{ id: first.id, inclusion }, { id: second.id }])
        expect(yield* transactions.fronts(1)).toEqual([other])
      }).pipe(Effect.provide(stores))
  )
