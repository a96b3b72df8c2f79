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
const open = Effect.fnUntraced(function* (id: string, maxEntries: number, minAmount = 0n) {
  const payouts = yield* Payouts
  return yield* payouts.open({ id, chainId: CHAIN, token: TOKEN, minAmount, maxEntries }).pipe(
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
  // The reversal exceeds the first accrual.
  assert.deepStrictEqual(yield* open("nothing", 2), ["NothingOwed"])
  // The minimum is that of all that is owed, not of the part.
  assert.deepStrictEqual(yield* open("first", 3, 10n), ["alpha=8 of 3", "more"])
  assert.deepStrictEqual(yield* open("second", 2), ["alpha=2 of 1", "beta=3 of 1"])
  assert.deepStrictEqual(yield* open("third", 2), ["NothingOwed"])
  yield* payouts.fail("second", "given up")
  assert.deepStrictEqual(yield* open("fourth", 1), ["alpha=2 of 1", "more"])
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
  it.effect("assign at most a number of accruals, with their reversals, and say that there are more", () =>
    Effect.provide(assignments, Layer.fresh(stores()))
  )
}
