/** Contract of every store of payouts, rule by rule. `Ledger.suite.ts` covers their combination by random histories. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Accrual } from "../../../src/domain/Accrual.ts"
import type { Hash } from "../../../src/domain/Hex.ts"
import { Builders } from "../../../src/ports/builder/Builders.ts"
import { Ledger } from "../../../src/ports/builder/Ledger.ts"
import { type Payee, Payouts } from "../../../src/ports/builder/Payouts.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { hashCases } from "./PayoutHashes.cases.ts"
import { limitCases } from "./PayoutLimits.cases.ts"
import { openCases } from "./PayoutOpen.cases.ts"

const TOKEN = FakeChain.address(0x11)
const CHAIN = 1
const PAYMENT: Hash = `0x${"a1".repeat(32)}`
const OTHER_PAYMENT: Hash = `0x${"a2".repeat(32)}`

const accrual: Accrual = { builderId: "alpha", sweepId: "sweep", token: TOKEN, amount: 5n, chainId: CHAIN }
const paidAccrual: Accrual = { ...accrual, paidTxHash: PAYMENT }

const opening = { chainId: CHAIN, token: TOKEN, minAmount: 0n }

const ALPHA = { builderId: "alpha", payoutAddress: FakeChain.address(0x80) }
const BETA = { builderId: "beta", payoutAddress: FakeChain.address(0x81) }

const stores = Effect.gen(function* () {
  const builders = yield* Builders
  for (const [position, id] of ["alpha", "beta"].entries()) {
    yield* builders.create({
      id,
      name: id,
      builderBps: 0,
      maxBuilderBps: 0,
      payoutAddress: FakeChain.address(0x80 + position),
      payoutMode: "ledger",
      createdAtMs: 0
    })
  }
  const ledger = yield* Ledger
  const payouts = yield* Payouts
  return {
    builders,
    ledger,
    payouts,
    /** Earned and paid. */
    totals: Effect.map(ledger.totals("alpha"), (lines) => lines.map(({ earned, paid }) => [earned, paid] as const)),
    lines: (id: string, changes: Partial<typeof opening> & { readonly payees?: ReadonlyArray<Payee> } = {}) =>
      Effect.map(payouts.open({ ...opening, ...changes, id }), (batch) =>
        batch.lines.map(({ amount, builderId }) => `${builderId}=${amount}`)
      )
  }
})

const tagOf = <A, E extends { readonly _tag: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ _tag }) => _tag)

export const suite = <E>(adapter: string, layer: () => Layer.Layer<Builders | Ledger | Payouts, E>) => {
  const rule = <A, F>(name: string, test: Effect.Effect<A, F, Builders | Ledger | Payouts>) =>
    it.effect(name, () => Effect.provide(test, Layer.fresh(layer())))

  describe(`bookings and payouts on ${adapter}`, () => {
    rule(
      "book an accrual once, and refuse any other content under its sweep",
      Effect.gen(function* () {
        const { ledger, totals } = yield* stores
        assert.strictEqual(yield* ledger.accrue(accrual), "added")
        assert.strictEqual(yield* ledger.accrue(accrual), "already_booked")
        const { chainId: _chain, ...withoutChain } = accrual
        const others: ReadonlyArray<Accrual> = [
          { ...accrual, builderId: "beta" },
          { ...accrual, token: FakeChain.address(0x22) },
          { ...accrual, amount: 6n },
          { ...accrual, chainId: 2 },
          withoutChain,
          paidAccrual
        ]
        for (const other of others) assert.strictEqual(yield* tagOf(ledger.accrue(other)), "AccrualConflict")
        assert.deepStrictEqual(yield* totals, [[5n, 0n]])
      })
    )

    rule(
      "owe nothing of an accrual that its sweep paid, also after it was taken back",
      Effect.gen(function* () {
        const { ledger, lines, totals } = yield* stores
        yield* ledger.accrue(paidAccrual)
        assert.deepStrictEqual(yield* totals, [[5n, 5n]])
        assert.strictEqual(yield* tagOf(lines("batch")), "NothingOwed")
        yield* ledger.reverse(accrual.sweepId)
        assert.deepStrictEqual(yield* totals, [[0n, 0n]])
      })
    )

    rule(
      "claim an entry for one batch at a time, and owe it again when the batch is given up",
      Effect.gen(function* () {
        const { ledger, lines, payouts } = yield* stores
        yield* ledger.accrue(accrual)
        assert.deepStrictEqual(yield* lines("first"), ["alpha=5"])
        assert.strictEqual(yield* tagOf(lines("second")), "NothingOwed")
        yield* payouts.fail("first", "given up")
        assert.deepStrictEqual(yield* lines("third"), ["alpha=5"])
      })
    )

    rule(
      "pay an accrual without a chain on the chain that it is assigned to, and only there",
      Effect.gen(function* () {
        const { ledger, lines, payouts } = yield* stores
        const { chainId: _chain, ...chainless } = accrual
        const sums = Effect.map(ledger.totals("alpha"), (rows) =>
          rows.map(({ chainId, claimed, earned, paid }) => [chainId, earned, paid, claimed])
        )
        yield* ledger.accrue(chainless)
        yield* ledger.accrue({ ...accrual, sweepId: "with a chain", amount: 7n })
        assert.deepStrictEqual(yield* sums, [
          [undefined, 5n, 0n, 0n],
          [CHAIN, 7n, 0n, 0n]
        ])
        assert.deepStrictEqual(yield* ledger.assign(TOKEN, CHAIN), { sweeps: 1, amount: 5n })
        assert.deepStrictEqual(yield* ledger.assign(TOKEN, 2), { sweeps: 0, amount: 0n })
        assert.strictEqual(yield* ledger.accrue(chainless), "already_booked")
        assert.strictEqual(yield* tagOf(lines("elsewhere", { chainId: 2 })), "NothingOwed")
        assert.deepStrictEqual(yield* lines("batch"), ["alpha=12"])
        assert.deepStrictEqual(yield* sums, [[CHAIN, 12n, 0n, 12n]])
        yield* payouts.markPaid("batch", OTHER_PAYMENT)
        assert.deepStrictEqual(yield* sums, [[CHAIN, 12n, 12n, 0n]])
        yield* ledger.reverse(chainless.sweepId)
        assert.deepStrictEqual(yield* sums, [[CHAIN, 7n, 12n, 0n]])
        const activity = yield* ledger.activity("alpha", { limit: 2 })
        assert.deepStrictEqual(
          activity.map((row) => row.activity.chainId),
          [CHAIN, CHAIN]
        )
      })
    )

    rule(
      "assign the accruals of one token, and leave those of others without a chain",
      Effect.gen(function* () {
        const { ledger } = yield* stores
        const { chainId: _chain, ...chainless } = accrual
        const other = FakeChain.address(0xd7)
        yield* ledger.accrue(chainless)
        yield* ledger.accrue({ ...chainless, sweepId: "of another token", token: other })
        assert.deepStrictEqual(yield* ledger.assign(TOKEN, CHAIN), { sweeps: 1, amount: 5n })
        const chains = Effect.map(
          ledger.totals("alpha"),
          (rows) => new Map(rows.map(({ chainId, token }) => [token, chainId]))
        )
        assert.deepStrictEqual(
          yield* chains,
          new Map([
            [TOKEN, CHAIN],
            [other, undefined]
          ])
        )
      })
    )

    rule(
      "assign an accrual without a chain to the default chain as it is booked",
      Effect.gen(function* () {
        const { ledger, lines } = yield* stores
        const { chainId: _chain, ...chainless } = accrual
        yield* ledger.accrue(chainless)
        assert.strictEqual(yield* ledger.accrue(chainless, CHAIN), "already_booked")
        yield* ledger.accrue({ ...accrual, sweepId: "other", chainId: 2 }, CHAIN)
        assert.deepStrictEqual(yield* lines("batch"), ["alpha=5"])
        assert.deepStrictEqual(yield* lines("elsewhere", { chainId: 2 }), ["alpha=5"])
      })
    )

    rule(
      "keep an opened batch as it is when a builder is suspended",
      Effect.gen(function* () {
        const { builders, ledger, lines, payouts } = yield* stores
        yield* ledger.accrue(accrual)
        yield* lines("batch")
        yield* builders.modify("alpha", (account) => Effect.succeed({ ...account, suspendedAtMs: 1 }))
        const kept = yield* payouts.markPaid("batch", OTHER_PAYMENT)
        assert.deepStrictEqual(kept.lines, [{ ...ALPHA, amount: 5n, entries: 1 }])
      })
    )

    rule(
      "leave out builders who are owed less than the minimum",
      Effect.gen(function* () {
        const { ledger, lines } = yield* stores
        yield* ledger.accrue(accrual)
        yield* ledger.accrue({ ...accrual, sweepId: "other", builderId: "beta", amount: 4n })
        assert.deepStrictEqual(yield* lines("batch", { minAmount: 5n }), ["alpha=5"])
      })
    )

    rule(
      "name every builder that is owed the minimum as a candidate, and claim nothing by it",
      Effect.gen(function* () {
        const { builders, ledger, lines, payouts } = yield* stores
        yield* ledger.accrue(accrual)
        yield* ledger.accrue({ ...accrual, sweepId: "other", builderId: "beta", amount: 4n })
        yield* builders.modify("beta", (account) => Effect.succeed({ ...account, suspendedAtMs: 1 }))
        const all = [
          { ...ALPHA, amount: 5n, suspended: false },
          { ...BETA, amount: 4n, suspended: true }
        ]
        assert.deepStrictEqual(yield* payouts.candidates(opening), all)
        assert.deepStrictEqual(yield* payouts.candidates({ ...opening, minAmount: 5n }), all.slice(0, 1))
        assert.deepStrictEqual(yield* payouts.candidates({ ...opening, chainId: 2 }), [])
        assert.deepStrictEqual(yield* lines("batch"), ["alpha=5"])
        assert.deepStrictEqual(yield* payouts.candidates(opening), all.slice(1))
      })
    )

    rule(
      "leave out suspended builders, and those that are not among the payees with their address",
      Effect.gen(function* () {
        const { builders, ledger, lines } = yield* stores
        yield* ledger.accrue(accrual)
        yield* ledger.accrue({ ...accrual, sweepId: "other", builderId: "beta", amount: 4n })
        assert.strictEqual(yield* tagOf(lines("nobody", { payees: [] })), "NothingOwed")
        const moved = { ...ALPHA, payoutAddress: BETA.payoutAddress }
        assert.strictEqual(yield* tagOf(lines("moved", { payees: [moved] })), "NothingOwed")
        const payees = [BETA, moved, { ...BETA, builderId: "unknown" }]
        assert.deepStrictEqual(yield* lines("named", { payees }), ["beta=4"])
        yield* builders.modify("alpha", (account) => Effect.succeed({ ...account, suspendedAtMs: 1 }))
        assert.strictEqual(yield* tagOf(lines("suspended")), "NothingOwed")
        assert.strictEqual(yield* tagOf(lines("also named", { payees: [ALPHA] })), "NothingOwed")
      })
    )

    rule(
      "book a paid batch as paid, and pay nothing of it again",
      Effect.gen(function* () {
        const { ledger, lines, payouts, totals } = yield* stores
        yield* ledger.accrue(accrual)
        yield* lines("batch")
        yield* payouts.markPaid("batch", OTHER_PAYMENT)
        assert.deepStrictEqual(yield* totals, [[5n, 5n]])
        assert.strictEqual(yield* tagOf(lines("again")), "NothingOwed")
        yield* ledger.accrue({ ...accrual, sweepId: "later", amount: 7n })
        assert.deepStrictEqual(yield* lines("later"), ["alpha=7"])
      })
    )

    rule(
      "keep a recorded payment for its batch, so that one transfer never proves lines of two batches",
      Effect.gen(function* () {
        const { ledger, lines, payouts, totals } = yield* stores
        yield* ledger.accrue(accrual)
        yield* lines("first")
        yield* payouts.record("first", { txHash: PAYMENT, raw: PAYMENT, deadline: 1_000 }, 0)
        yield* ledger.accrue({ ...accrual, sweepId: "later" })
        yield* lines("second")
        assert.strictEqual(yield* tagOf(payouts.markPaid("second", PAYMENT)), "PaymentTaken")
        assert.deepStrictEqual(yield* totals, [[10n, 0n]])
        yield* payouts.markPaid("first", PAYMENT)
        assert.strictEqual(yield* tagOf(payouts.markPaid("second", PAYMENT)), "PaymentTaken")
        assert.deepStrictEqual(yield* totals, [[10n, 5n]])
      })
    )

    rule(
      "pay less later where an accrual that was paid out is taken back",
      Effect.gen(function* () {
        const { ledger, lines, payouts, totals } = yield* stores
        yield* ledger.accrue(accrual)
        yield* lines("batch")
        yield* payouts.markPaid("batch", OTHER_PAYMENT)
        yield* ledger.reverse(accrual.sweepId)
        assert.deepStrictEqual(yield* totals, [[0n, 5n]])
        yield* ledger.accrue({ ...accrual, sweepId: "later", amount: 7n })
        assert.deepStrictEqual(yield* lines("later"), ["alpha=2"])
      })
    )

    hashCases(layer)
    limitCases(layer)
    openCases(layer)
  })
}
