/** The part of the suite of {@link Exposures} about sweeps that leave a transaction and go with another one. */
import { expect, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { type Budgets, firstClass } from "../../../src/domain/Exposure.ts"
import { Exposures } from "../../../src/ports/orchestrator/Exposures.ts"
import type { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { address, attempt, submitted } from "../../support/IntentFixtures.ts"

const FIRST = firstClass(1, false)

const BUDGETS: Budgets = { unlisted: { hour: 800n, day: 4_000n }, listedHour: 800n, firstHour: 400n }

const NOTHING = { lost: 0n, earned: 0n }

const sums = Effect.map(
  Effect.flatMap(Exposures, (exposures) => exposures.sums([FIRST])),
  (known) => known.get(FIRST)
)

const send = (intentIds: ReadonlyArray<string>) =>
  Effect.flatMap(RelayTransactions, (transactions) =>
    transactions.allocate({
      chainId: 1,
      lane: address(0x1a4e),
      chainNonce: 0n,
      intentIds,
      sign: (nonce) => Effect.succeed(attempt(`detached ${nonce}`))
    })
  )

/** Two sweeps of one batch. The second one left its transaction, and is on its way with the next one under the same reservation. */
const divided = Effect.gen(function* () {
  const transactions = yield* RelayTransactions
  yield* submitted({ id: "a", owner: 1 })
  yield* submitted({ id: "b", owner: 2 })
  const reservations = ["a", "b"].map((intentId) => ({ intentId, classes: [FIRST], wei: 30n }))
  yield* Effect.flatMap(Exposures, (exposures) => exposures.reserve(reservations, BUDGETS))
  const former = yield* send(["a", "b"])
  yield* transactions.detach(former.id, ["b"])
  const next = yield* send(["b"])
  return { former, next, transactions }
})

export const detachedCases = (stores: Layer.Layer<Exposures | Intents | RelayTransactions, unknown>) => {
  it.effect("keeps the reservation of a sweep that another transaction carries when its former transaction ends", () =>
    Effect.gen(function* () {
      const { former, next, transactions } = yield* divided
      yield* transactions.finalize([{ id: former.id }])
      expect(yield* sums).toEqual({ open: 30n, hour: NOTHING, day: NOTHING })
      yield* transactions.finalize([{ id: next.id, outcomes: [{ intentId: "b", lost: 25n, earned: 3n }] }])
      const booked = { lost: 25n, earned: 3n }
      expect(yield* sums).toEqual({ open: 0n, hour: booked, day: booked })
    }).pipe(Effect.provide(stores))
  )

  it.effect("ends the reservation once if both transactions of a sweep end together", () =>
    Effect.gen(function* () {
      const { former, next, transactions } = yield* divided
      const outcomes = [{ intentId: "b", lost: 25n, earned: 3n }]
      yield* transactions.finalize([{ id: former.id }, { id: next.id, outcomes }])
      const booked = { lost: 25n, earned: 3n }
      expect(yield* sums).toEqual({ open: 0n, hour: booked, day: booked })
    }).pipe(Effect.provide(stores))
  )

  it.effect("ends the reservation of a sweep that left its transaction, and that no other one carries", () =>
    Effect.gen(function* () {
      const { former, next, transactions } = yield* divided
      yield* transactions.detach(next.id, ["b"])
      yield* transactions.finalize([{ id: former.id }])
      expect((yield* sums)?.open).toBe(0n)
    }).pipe(Effect.provide(stores))
  )
}
