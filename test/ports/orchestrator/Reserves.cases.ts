/** The part of the suite of {@link RelayTransactions} about reserves, which count as spent until a transaction ends. */
import { expect, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import type { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { address, attempt, hash, submitted } from "../../support/IntentFixtures.ts"

export const reserveCases = (stores: Layer.Layer<Intents | RelayTransactions, unknown>) => {
  it.effect("counts what a pending transaction may cost until it carries no intents and is older than asked for", () =>
    Effect.gen(function* () {
      const transactions = yield* RelayTransactions
      const lane = address(0x1a4e)
      yield* submitted({ id: "a", owner: 1 })
      const { id } = yield* transactions.allocate({
        chainId: 1,
        lane,
        chainNonce: 0n,
        intentIds: ["a"],
        reserve: 5n,
        sign: () => Effect.succeed(attempt("reserving"))
      })
      yield* TestClock.adjust("3 hours")
      const recent = transactions.spending(1, 7_200_000)
      expect(yield* recent).toBe(5n)
      yield* transactions.detach(id, ["a"])
      expect(yield* recent).toBe(0n)
      expect(yield* transactions.spending(1, 3_599_999)).toBe(5n)

      // Its cost is known as soon as its block is confirmed.
      const inclusion = { hash: hash("reserving"), blockNumber: 9n, blockHash: hash("block") }
      yield* transactions.setInclusion(id, inclusion)
      expect(yield* recent).toBe(5n)
      const paid = transactions.paid(1, 7_200_000)
      expect(yield* paid).toBe(0n)
      yield* transactions.finalize([{ id, inclusion, cost: 2n }])
      expect(yield* recent).toBe(2n)
      expect(yield* paid).toBe(2n)
      expect(yield* transactions.paid(2, 7_200_000)).toBe(0n)
      yield* transactions.reopen([{ id, inclusion }])
      expect(yield* recent).toBe(5n)
      expect(yield* paid).toBe(0n)
    }).pipe(Effect.provide(stores))
  )
}
