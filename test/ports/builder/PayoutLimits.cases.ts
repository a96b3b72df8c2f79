/** Cases of the contract of payouts and ledgers: batches and assignments that are too large for one transaction. */
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Builders } from "../../../src/ports/builder/Builders.ts"
import { Ledger } from "../../../src/ports/builder/Ledger.ts"
import { Payouts } from "../../../src/ports/builder/Payouts.ts"
import { register } from "../../support/BuilderFixtures.ts"
import { address, hash } from "../../support/IntentFixtures.ts"

const TOKEN = address(0x11)
const CHAIN = 1

const accrue = (sweepId: string, amount: bigint, builderId = "alpha") =>
  Effect.flatMap(Ledger, (ledger) => ledger.accrue({ builderId, sweepId, token: TOKEN, amount, chainId: CHAIN }))

/** Opens a batch of at most `maxEntries` entries. Returns its lines, and if there is more, or the error. */
const open = Effect.fnUntraced(function* (id: string, maxEntries: number, minAmount = 0n, maxLines = 200) {
  const payouts = yield* Payouts
  return yield* payouts.open({ id, chainId: CHAIN, token: TOKEN, minAmount, maxEntries, maxLines }).pipe(
    Effect.map(({ lines, more }) => [
      ...lines.map(({ amount, builderId, entries }) => `${builderId}=${amount} of ${entries}`),
      ...(more === undefined ? [] : ["more"])
    ]),
    Effect.catchTag("NothingOwed", ({ _tag }) => Effect.succeed([_tag]))
  )
})

const claims = Effect.gen(function* () {
  yield* register
  const ledger = yield* Ledger
  const payouts = yield* Payouts
  yield* accrue("paid", 5n)
  assert.deepStrictEqual(yield* open("paid", 1), ["alpha=5 of 1"])
  yield* payouts.markPaid("paid", hash("payment"))
  yield* accrue("a", 4n)
  yield* accrue("b", 9n)
  yield* accrue("c", 2n)
  yield* ledger.reverse("paid")
  yield* accrue("d", 3n, "beta")
  // The reversal exceeds the first accrual, not the largest one.
  assert.deepStrictEqual(yield* open("largest", 2), ["alpha=4 of 2", "more"])
  yield* payouts.fail("largest", "given up")
  // The reversal alone is a batch's only place, so that the accrual takes it.
  assert.deepStrictEqual(yield* open("accrual", 1), ["alpha=9 of 1", "more"])
  yield* payouts.fail("accrual", "given up")
  // The minimum is that of all that is owed, not of the part.
  assert.deepStrictEqual(yield* open("first", 3, 10n), ["alpha=8 of 3", "more"])
  assert.deepStrictEqual(yield* open("second", 2), ["alpha=2 of 1", "beta=3 of 1"])
  assert.deepStrictEqual(yield* open("third", 2), ["NothingOwed"])
  yield* payouts.fail("second", "given up")
  assert.deepStrictEqual(yield* open("fourth", 1), ["alpha=2 of 1", "more"])
})

/** Pays batches until nothing is owed. Returns the lines of all batches. */
const paid = Effect.fnUntraced(function* (maxEntries: number) {
  const payouts = yield* Payouts
  const lines: Array<string> = []
  for (let batch = 0; batch < 100; batch++) {
    const opened = yield* open(`batch ${batch}`, maxEntries)
    if (opened[0] === "NothingOwed") return lines
    lines.push(...opened.filter((line) => line !== "more"))
    yield* payouts.markPaid(`batch ${batch}`, hash(`payment ${batch}`))
  }
  return assert.fail("batches without an end")
})

const owed = Effect.flatMap(Ledger, (ledger) =>
  Effect.forEach(["alpha", "beta"], (id) =>
    Effect.map(ledger.totals(id), (rows) => rows.reduce((sum, { earned, paid }) => sum + earned - paid, 0n))
  )
)

/** Accruals of alpha with their reversals, more than a batch takes, before what alpha and beta are owed. */
const wrongOnes = Effect.gen(function* () {
  yield* register
  const ledger = yield* Ledger
  for (const sweepId of ["a", "b", "c", "d", "e"]) {
    yield* accrue(sweepId, 20n)
    yield* ledger.reverse(sweepId)
  }
  yield* accrue("right", 15n)
  yield* accrue("too", 7n)
  yield* accrue("other", 3n, "beta")
  assert.deepStrictEqual(yield* paid(3), ["alpha=22 of 2", "beta=3 of 1"])
  assert.deepStrictEqual(yield* owed, [0n, 0n])
})

/** A reversal of a paid accrual that is more than what fills a batch. */
const largeReversal = Effect.gen(function* () {
  yield* register
  const ledger = yield* Ledger
  const payouts = yield* Payouts
  yield* accrue("paid", 10n)
  yield* open("paid", 1)
  yield* payouts.markPaid("paid", hash("payment"))
  yield* ledger.reverse("paid")
  for (let number = 0; number < 8; number++) yield* accrue(`small ${number}`, 2n)
  yield* accrue("other", 3n, "beta")
  assert.deepStrictEqual(yield* paid(4), ["alpha=6 of 3", "beta=3 of 1"])
  assert.deepStrictEqual(yield* owed, [0n, 0n])
})

/** Reversals of paid accruals fill a batch, and what alpha is owed is less than its only accrual. */
const unpayable = Effect.gen(function* () {
  yield* register
  const ledger = yield* Ledger
  const payouts = yield* Payouts
  for (const sweepId of ["a", "b", "c"]) yield* accrue(sweepId, 2n)
  yield* open("paid", 3)
  yield* payouts.markPaid("paid", hash("payment"))
  for (const sweepId of ["a", "b", "c"]) yield* ledger.reverse(sweepId)
  yield* accrue("large", 7n)
  yield* accrue("other", 3n, "beta")
  assert.deepStrictEqual(yield* open("others", 3), ["beta=3 of 1"])
  yield* accrue("next", 1n)
  assert.deepStrictEqual(yield* open("next", 3), ["alpha=1 of 1", "more"])
  assert.deepStrictEqual(yield* open("all", 4), ["alpha=1 of 4"])
})

/** A builder that has reached the minimum, and is paid in parts. */
const minimum = Effect.gen(function* () {
  yield* register
  for (const sweepId of ["a", "b", "c"]) yield* accrue(sweepId, 33n)
  assert.deepStrictEqual(yield* open("first", 2, 60n), ["alpha=66 of 2", "more"])
  assert.deepStrictEqual(yield* open("none", 2, 60n), ["NothingOwed"])
  assert.deepStrictEqual(yield* open("rest", 2, 33n), ["alpha=33 of 1"])
})

/** More builders are owed than a batch has lines. */
const manyBuilders = Effect.gen(function* () {
  yield* register
  const payouts = yield* Payouts
  yield* accrue("a", 5n)
  yield* accrue("b", 6n)
  yield* accrue("c", 7n, "beta")
  assert.deepStrictEqual(yield* open("both", 9, 0n, 2), ["alpha=11 of 2", "beta=7 of 1"])
  yield* payouts.fail("both", "given up")
  assert.deepStrictEqual(yield* open("first", 9, 0n, 1), ["alpha=11 of 2", "more"])
  assert.deepStrictEqual(yield* open("second", 9, 0n, 1), ["beta=7 of 1"])
})

const assignments = Effect.gen(function* () {
  yield* register
  const ledger = yield* Ledger
  const chainless = { builderId: "alpha", token: TOKEN, amount: 5n }
  for (const sweepId of ["c", "a", "b"]) yield* ledger.accrue({ ...chainless, sweepId })
  yield* ledger.accrue({ ...chainless, sweepId: "0", token: address(0x22) })
  yield* ledger.reverse("a")
  assert.deepStrictEqual(yield* ledger.assign(TOKEN, CHAIN, 2), { sweeps: 2, amount: 5n, more: true })
  assert.deepStrictEqual(yield* ledger.assign(TOKEN, CHAIN, 2), { sweeps: 1, amount: 5n })
  assert.deepStrictEqual(yield* ledger.assign(TOKEN, CHAIN, 2), { sweeps: 0, amount: 0n })
})

export const limitCases = <E>(stores: () => Layer.Layer<Builders | Ledger | Payouts, E>) => {
  it.effect("claim at most a number of entries, reversals before accruals, and say that there are more", () =>
    Effect.provide(claims, Layer.fresh(stores()))
  )
  it.effect("pay everybody when accruals and their reversals fill a batch", () =>
    Effect.provide(wrongOnes, Layer.fresh(stores()))
  )
  it.effect("pay everybody when a reversal is more than the accruals that fill a batch", () =>
    Effect.provide(largeReversal, Layer.fresh(stores()))
  )
  it.effect("pay the others when nothing that fits in a batch pays a builder", () =>
    Effect.provide(unpayable, Layer.fresh(stores()))
  )
  it.effect("leave out a rest below the minimum until it is reached or lowered", () =>
    Effect.provide(minimum, Layer.fresh(stores()))
  )
  it.effect("claim for at most a number of builders, and say that there are more", () =>
    Effect.provide(manyBuilders, Layer.fresh(stores()))
  )
  it.effect("assign at most a number of accruals, with their reversals, and say that there are more", () =>
    Effect.provide(assignments, Layer.fresh(stores()))
  )
}
