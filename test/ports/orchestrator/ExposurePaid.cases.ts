/** The part of the suite of {@link Exposures} about what owners have paid. */
import { expect, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { Exposures } from "../../../src/ports/orchestrator/Exposures.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { address, attempt, hash, newIntent, submitted } from "../../support/IntentFixtures.ts"

/** Fee of a sweep of the fixtures. */
const FEE = newIntent({ id: "any" }).cover?.value ?? 0n

export const paidCases = (stores: Layer.Layer<Exposures | Intents | RelayTransactions, unknown>) => {
  it.effect("sums the fees of owners' settled sweeps, and of those that failed at the relayer's cost", () =>
    Effect.gen(function* () {
      const [exposures, intents] = [yield* Exposures, yield* Intents]
      const transactions = yield* RelayTransactions
      const settlement = { _tag: "SettledAtSource", txHash: hash("t") } as const
      for (const id of ["a", "b", "burned", "given up", "unsent", "open"]) yield* submitted({ id, owner: 1 })
      yield* submitted({ id: "other", owner: 2 })
      yield* submitted({ id: "elsewhere", owner: 1, chainId: 2 })
      yield* submitted({ id: "unasked", owner: 3 })
      for (const id of ["a", "b", "other", "elsewhere", "unasked"]) yield* intents.apply(id, [settlement])
      yield* intents.apply("b", [{ _tag: "Delivered", txHash: hash("d") }])
      const { id: transaction } = yield* transactions.allocate({
        chainId: 1,
        lane: address(0x1a4e),
        chainNonce: 0n,
        intentIds: ["burned", "given up"],
        sign: () => Effect.succeed(attempt("t"))
      })
      for (const id of ["burned", "given up", "unsent"]) {
        yield* intents.giveUp(id, { reason: "reverted", detail: "status reverted", notBeforeMs: 5_000 })
      }
      yield* transactions.finalize([{ id: transaction }])
      yield* intents.apply("burned", [{ _tag: "Failed", reason: "reverted" }])
      const rows = yield* exposures.paid(1, [address(1), address(2), address(4)])
      const of = (owner: number) =>
        rows
          .filter((row) => row.owner === address(owner) && row.token === newIntent({ id: "any" }).order.tokenIn)
          .reduce((sum, each) => ({ settled: sum.settled + each.settled, failed: sum.failed + each.failed }), {
            settled: 0n,
            failed: 0n
          })
      expect(of(1)).toEqual({ settled: 2n * FEE, failed: 2n * FEE })
      expect(of(2)).toEqual({ settled: FEE, failed: 0n })
      expect(rows.every(({ owner }) => owner === address(1) || owner === address(2))).toBe(true)
      expect(yield* exposures.paid(1, [])).toEqual([])
    }).pipe(Effect.provide(stores))
  )
}
