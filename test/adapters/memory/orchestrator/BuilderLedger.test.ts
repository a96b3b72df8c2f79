import { assert, it } from "@effect/vitest"
import { Effect, Ref } from "effect"
import * as MemoryBuilderLedger from "../../../../src/adapters/memory/orchestrator/BuilderLedger.ts"
import type { LedgerMessage } from "../../../../src/domain/Accrual.ts"
import { BuilderLedger } from "../../../../src/ports/orchestrator/BuilderLedger.ts"
import { suite } from "../../../ports/orchestrator/BuilderLedger.suite.ts"
import { event } from "../../../support/BuilderFixtures.ts"
import { address, hash } from "../../../support/IntentFixtures.ts"

const accrual: LedgerMessage & { readonly _tag: "Accrual" } = {
  _tag: "Accrual",
  accrual: { builderId: "alpha", sweepId: "s_2", token: address(1), amount: 5n, chainId: 8453 }
}
const revenue: LedgerMessage & { readonly _tag: "Revenue" } = {
  _tag: "Revenue",
  revenue: { sweepId: "s_2", chainId: 8453, token: address(1), amount: 7n, txHash: hash("tx"), settledAtMs: 1 }
}

suite("memory", MemoryBuilderLedger.layer(), Effect.succeed({ accrual, revenue, event: event("settled_source") }))

it.effect("keeps what was booked once, and nothing of an outage", () =>
  Effect.gen(function* () {
    const ledger = yield* BuilderLedger
    const state = yield* MemoryBuilderLedger.BuilderLedgerState
    yield* ledger.book(accrual)
    yield* ledger.book(accrual)
    yield* Ref.update(state, (before) => ({ ...before, available: false }))
    assert.strictEqual((yield* Effect.flip(ledger.book(revenue)))._tag, "LedgerUnavailable")
    assert.deepStrictEqual((yield* Ref.get(state)).entries, [accrual])
  }).pipe(Effect.provide(MemoryBuilderLedger.layer()))
)
