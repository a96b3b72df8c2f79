/** Contract of every {@link BuilderLedger}. */
import { assert, layer } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import type { LedgerMessage } from "../../../src/domain/Accrual.ts"
import type { SweepEvent } from "../../../src/domain/SweepEvent.ts"
import { BuilderLedger } from "../../../src/ports/orchestrator/BuilderLedger.ts"

export interface Fixture {
  readonly accrual: LedgerMessage & { readonly _tag: "Accrual" }
  readonly revenue: LedgerMessage & { readonly _tag: "Revenue" }
  readonly event: SweepEvent
}

export const suite = <R>(
  name: string,
  environment: Layer.Layer<BuilderLedger | R>,
  fixture: Effect.Effect<Fixture, never, R>
): void =>
  layer(environment)(`BuilderLedger by ${name}`, (it) => {
    it.effect("books accrual and revenue of one settlement, and takes both again", () =>
      Effect.gen(function* () {
        const { accrual, revenue } = yield* fixture
        const ledger = yield* BuilderLedger
        for (const message of [accrual, revenue, accrual, revenue]) yield* ledger.book(message)
      })
    )

    it.effect("is told of an event, again too, and refuses other content under its id", () =>
      Effect.gen(function* () {
        const { event } = yield* fixture
        const ledger = yield* BuilderLedger
        for (const told of [event, event]) yield* ledger.tell(told)
        const error = yield* Effect.flip(ledger.tell({ ...event, amountIn: event.amountIn - 1n }))
        assert.strictEqual(error._tag, "LedgerRefused")
      })
    )

    it.effect("books income together, and leaves out what is booked with another amount", () =>
      Effect.gen(function* () {
        const { revenue } = yield* fixture
        const ledger = yield* BuilderLedger
        yield* ledger.book(revenue)
        const line = (index: number) => ({
          ...revenue.revenue,
          sweepId: revenue.revenue.sweepId.replace(/_\d+$/, `_${index}`)
        })
        const altered = { ...revenue.revenue, amount: revenue.revenue.amount + 1n }
        for (let times = 0; times < 2; times++) {
          const booked = yield* ledger.bookRevenues([line(101), altered, line(102)])
          assert.deepStrictEqual([...booked].toSorted(), [line(101).sweepId, line(102).sweepId].toSorted())
        }
        assert.deepStrictEqual(yield* ledger.bookRevenues([revenue.revenue]), new Set([revenue.revenue.sweepId]))
        yield* ledger.book({ _tag: "Revenue", revenue: line(101) })
      })
    )

    it.effect("refuses another amount under the same sweep id, for good", () =>
      Effect.gen(function* () {
        const { accrual, revenue } = yield* fixture
        const ledger = yield* BuilderLedger
        yield* ledger.book(accrual)
        yield* ledger.book(revenue)
        for (const altered of [
          { ...accrual, accrual: { ...accrual.accrual, amount: accrual.accrual.amount + 1n } },
          { ...revenue, revenue: { ...revenue.revenue, amount: revenue.revenue.amount + 1n } }
        ]) {
          const error = yield* Effect.flip(ledger.book(altered))
          assert.strictEqual(error._tag, "LedgerRefused")
        }
      })
    )
  })
