/** Contract of every store of exposures. Each test gets a store of its own. */
import { describe, expect, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import {
  batchClass,
  type Budgets,
  classOf,
  firstClass,
  funderClass,
  type Window
} from "../../../src/domain/Exposure.ts"
import { type Booking, Exposures } from "../../../src/ports/orchestrator/Exposures.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { address, attempt, newIntent, submitted } from "../../support/IntentFixtures.ts"
import { claimCases } from "./ExposureClaims.cases.ts"
import { detachedCases } from "./ExposureDetached.cases.ts"
import { paidCases } from "./ExposurePaid.cases.ts"
import { holderCases } from "./ExposureHolders.cases.ts"
import { reopeningCases } from "./ExposureReopenings.cases.ts"

const HOUR = 3_600_000
const STEP = 300_000

const ALL = classOf("unlisted", "all", 1)
const TOKEN = classOf("unlisted", "token_in", 1, "0xaa")
const OTHER = classOf("unlisted", "token_in", 1, "0xbb")

/** Tokens start with 100, all of them together have 800. */
const BUDGETS: Budgets = { unlisted: { hour: 800n, day: 4_000n }, listedHour: 800n }

const reservation = (intentId: string, wei: bigint, classes = [ALL, TOKEN]) => ({ intentId, classes, wei })

const FIRST = firstClass(1, false)

/** First sweeps have 200. */
const FIRST_BUDGETS: Budgets = { ...BUDGETS, firstHour: 400n }

const first = (intentId: string, wei: bigint) => reservation(intentId, wei, [FIRST])

const nothing: Window = { lost: 0n, earned: 0n }

const reserve = (...reservations: ReadonlyArray<ReturnType<typeof reservation>>) =>
  Effect.flatMap(Exposures, (exposures) => exposures.reserve(reservations, BUDGETS))

const sums = Effect.flatMap(Exposures, (exposures) => exposures.sums([ALL, TOKEN, OTHER]))

const open = Effect.map(sums, (known) => [ALL, TOKEN, OTHER].map((key) => known.get(key)?.open ?? 0n))

/** Submits a sweep and stores its transaction. Returns the transaction's id. */
const send = Effect.fnUntraced(function* (id: string, owner = 1) {
  const transactions = yield* RelayTransactions
  yield* submitted({ id, owner })
  const { id: transaction } = yield* transactions.allocate({
    chainId: 1,
    lane: address(0x1a4e),
    chainNonce: 0n,
    intentIds: [id],
    sign: () => Effect.succeed(attempt(id))
  })
  return transaction
})

const book = (id: string, ...bookings: ReadonlyArray<Booking>) =>
  Effect.flatMap(RelayTransactions, (transactions) => transactions.finalize([{ id, bookings }]))

export const suite = (adapter: string, stores: Layer.Layer<Exposures | Intents | RelayTransactions, unknown>) =>
  describe(`Exposures on ${adapter}`, () => {
    it.effect("reserves what the budgets allow, and says which class lacks room for the rest", () =>
      Effect.gen(function* () {
        expect(yield* reserve(reservation("a", 60n), reservation("b", 41n), reservation("c", 40n))).toEqual([
          { intentId: "b", spent: TOKEN, isBusy: true }
        ])
        expect(yield* open).toEqual([100n, 100n, 0n])
        expect(yield* reserve(reservation("d", 1n))).toMatchObject([{ intentId: "d", spent: TOKEN }])
        expect(yield* reserve(reservation("e", 1n, [ALL, OTHER]))).toEqual([])
      }).pipe(Effect.provide(stores))
    )

    it.effect("holds the budgets for any number of calls at once", () =>
      Effect.gen(function* () {
        const calls = Array.from({ length: 30 }, (_, index) => reserve(reservation(`i${index}`, 30n)))
        const denied = (yield* Effect.all(calls, { concurrency: "unbounded" })).flat()
        expect(denied).toHaveLength(27)
        expect(yield* open).toEqual([90n, 90n, 0n])
      }).pipe(Effect.provide(stores))
    )

    it.effect("holds the budget of first sweeps for any number of claims at once, while transactions lose", () =>
      Effect.gen(function* () {
        const exposures = yield* Exposures
        const transactions = yield* RelayTransactions
        yield* exposures.reserve([first("a", 30n), first("b", 30n)], FIRST_BUDGETS)
        const endings = [yield* send("a"), yield* send("b", 2)].map((id, index) =>
          transactions.finalize([{ id, outcomes: [{ intentId: index === 0 ? "a" : "b", lost: 30n, earned: 0n }] }])
        )
        const claims = Array.from({ length: 12 }, (_, index) =>
          exposures.reserve([first(`x${index}`, 15n), first(`y${index}`, 15n)], FIRST_BUDGETS)
        )
        const [denied] = yield* Effect.all(
          [Effect.all(claims, { concurrency: "unbounded" }), Effect.all(endings, { concurrency: "unbounded" })],
          { concurrency: "unbounded" }
        )
        // The limit is 200, and 60 are lost.
        expect(denied.flat()).toHaveLength(24 - 9)
        const sums = (yield* exposures.sums([FIRST])).get(FIRST)
        expect(sums).toMatchObject({ open: 9n * 15n, hour: { lost: 60n } })
      }).pipe(Effect.provide(stores))
    )

    it.effect("replaces the reservation of a first sweep among others", () =>
      Effect.gen(function* () {
        const exposures = yield* Exposures
        const open = Effect.map(exposures.sums([FIRST]), (known) => known.get(FIRST)?.open)
        yield* exposures.reserve([first("a", 30n)], FIRST_BUDGETS)
        expect(yield* exposures.reserve([first("b", 20n), first("a", 40n)], FIRST_BUDGETS)).toEqual([])
        expect(yield* open).toBe(60n)
        yield* exposures.release(["a", "b"])
        expect(yield* open).toBe(0n)
      }).pipe(Effect.provide(stores))
    )

    it.effect("replaces the reservation of a sweep that is reserved again, and releases it", () =>
      Effect.gen(function* () {
        const exposures = yield* Exposures
        yield* reserve(reservation("a", 60n))
        expect(yield* reserve(reservation("a", 70n, [ALL, OTHER]))).toEqual([])
        expect(yield* open).toEqual([70n, 0n, 70n])
        yield* exposures.release(["a", "unknown"])
        yield* exposures.release(["a"])
        expect(yield* open).toEqual([0n, 0n, 0n])
      }).pipe(Effect.provide(stores))
    )

    it.effect("releases sweeps that are still quoted, and none that was submitted meanwhile", () =>
      Effect.gen(function* () {
        const exposures = yield* Exposures
        const intents = yield* Intents
        for (const id of ["a", "b"]) yield* intents.create(newIntent({ id }))
        yield* submitted({ id: "queued", owner: 2 })
        const reservations = [reservation("a", 30n), reservation("queued", 20n), reservation("b", 10n, [ALL, OTHER])]
        yield* exposures.reserve(reservations, BUDGETS, "submission")
        yield* exposures.releaseQuoted(["a", "queued", "unknown"], "submission")
        expect(yield* open).toEqual([30n, 20n, 10n])
        yield* exposures.releaseQuoted([], "submission")
        yield* exposures.releaseQuoted(["b", "a"], "submission")
        expect(yield* open).toEqual([20n, 20n, 0n])
      }).pipe(Effect.provide(stores))
    )

    it.effect("ends reservations and books losses with the transaction, once", () =>
      Effect.gen(function* () {
        yield* reserve(reservation("a", 60n))
        const transaction = yield* send("a")
        const losses = [ALL, TOKEN].map((key): Booking => ({ key, lost: 25n, earned: 0n }))
        yield* book(transaction, ...losses, { key: OTHER, lost: 0n, earned: 7n })
        yield* book(transaction, ...losses)
        const after = yield* sums
        const lost = { lost: 25n, earned: 0n }
        expect(after.get(ALL)).toEqual({ open: 0n, hour: lost, day: lost })
        expect(after.get(OTHER)?.hour).toEqual({ lost: 0n, earned: 7n })
        expect(yield* reserve(reservation("b", 76n))).toEqual([{ intentId: "b", spent: TOKEN, isBusy: false }])
        expect(yield* reserve(reservation("b", 75n))).toEqual([])
      }).pipe(Effect.provide(stores))
    )

    claimCases(stores)
    holderCases(stores)
    reopeningCases(stores)
    detachedCases(stores)
    paidCases(stores)

    it.effect("books the outcomes of first sweeps for the classes that each has reserved, and no other", () =>
      Effect.gen(function* () {
        const exposures = yield* Exposures
        const transactions = yield* RelayTransactions
        const unfunded = firstClass(1, true)
        const funder = funderClass(1, "0xf0")
        yield* exposures.reserve([reservation("a", 60n, [unfunded, funder]), reservation("u", 50n)], {
          ...BUDGETS,
          firstHour: 1_000n
        })
        const outcomes = (...ids: ReadonlyArray<string>) => ids.map((intentId) => ({ intentId, lost: 25n, earned: 3n }))
        yield* transactions.finalize([{ id: yield* send("a"), outcomes: outcomes("a", "unknown") }])
        yield* transactions.finalize([{ id: yield* send("u", 2), outcomes: outcomes("u", "a") }])
        const known = yield* exposures.sums([ALL, TOKEN, unfunded, funder, firstClass(1, false)])
        const booked = { lost: 25n, earned: 3n }
        for (const key of [unfunded, funder]) expect(known.get(key)).toEqual({ open: 0n, hour: booked, day: booked })
        expect(known.get(ALL)?.hour).toEqual(nothing)
        expect(known.get(firstClass(1, false))).toBeUndefined()
      }).pipe(Effect.provide(stores))
    )

    it.effect("books the outcomes of batches for their class, and tells what sweeps have reserved", () =>
      Effect.gen(function* () {
        const exposures = yield* Exposures
        const transactions = yield* RelayTransactions
        const batch = batchClass(1)
        yield* exposures.reserve([reservation("a", 60n, [batch]), reservation("u", 50n)], BUDGETS)
        const reserved = exposures.reserved(["a", "u", "unknown"])
        expect([...(yield* reserved)].toSorted()).toEqual([
          ["a", [batch]],
          ["u", [ALL, TOKEN]]
        ])
        const outcomes = [{ intentId: "a", lost: 25n, earned: 3n }]
        yield* transactions.finalize([{ id: yield* send("a"), outcomes }])
        const booked = { lost: 25n, earned: 3n }
        expect((yield* exposures.sums([batch])).get(batch)).toEqual({ open: 0n, hour: booked, day: booked })
        expect([...(yield* reserved).keys()]).toEqual(["u"])
        expect((yield* exposures.reserved([])).size).toBe(0)
      }).pipe(Effect.provide(stores))
    )

    it.effect("counts losses for at least an hour and a day, and less than five minutes longer", () =>
      Effect.gen(function* () {
        const lostAt = 10 * HOUR - 1
        yield* TestClock.setTime(lostAt)
        yield* book(yield* send("a"), { key: TOKEN, lost: 25n, earned: 0n })
        const windows = Effect.map(sums, (known) => [
          known.get(TOKEN)?.hour.lost ?? 0n,
          known.get(TOKEN)?.day.lost ?? 0n
        ])
        yield* TestClock.setTime(lostAt + HOUR)
        expect(yield* windows).toEqual([25n, 25n])
        yield* TestClock.setTime(lostAt + HOUR + STEP)
        expect(yield* windows).toEqual([0n, 25n])
        yield* TestClock.setTime(lostAt + 24 * HOUR)
        expect(yield* windows).toEqual([0n, 25n])
        yield* TestClock.setTime(lostAt + 24 * HOUR + STEP)
        expect(yield* windows).toEqual([0n, 0n])
      }).pipe(Effect.provide(stores))
    )

    it.effect("refuses nothing because reservations, releases and prunings of the same classes meet", () =>
      Effect.gen(function* () {
        const exposures = yield* Exposures
        const classes = Array.from({ length: 24 }, (_, index) => classOf("unlisted", "token_in", 1, `0x${index}`))
        const turned = (by: number) => [...classes.slice(by), ...classes.slice(0, by)]
        const rounds = Array.from({ length: 12 }, (_, round) => round)
        const once = Effect.fnUntraced(function* (round: number, client: number) {
          const ids = [0, 1, 2].map((index) => `${(client + index) % 8}`)
          const reservations = ids.map((id, index) =>
            reservation(id, 1n, turned((client * 5 + index * 7 + round) % 24))
          )
          yield* exposures.reserve(client % 2 === 0 ? reservations : reservations.toReversed(), BUDGETS)
          yield* exposures.prune(client % 3 === 0 ? 60_000 : 0)
          yield* exposures.release(ids.toReversed())
          yield* exposures.prune(0)
        })
        const calls = Array.from({ length: 8 }, (_, client) =>
          Effect.forEach(rounds, (round) => once(round, client), { discard: true })
        )
        yield* Effect.all(calls, { concurrency: "unbounded", discard: true })
        yield* exposures.prune(60_000)
        const known = yield* exposures.sums(classes)
        expect([...known.values()].filter(({ open }) => open !== 0n)).toEqual([])
      }).pipe(Effect.provide(stores))
    )

    it.effect("lists the classes that lost most, and prunes reservations without a transaction", () =>
      Effect.gen(function* () {
        const exposures = yield* Exposures
        yield* reserve(reservation("sent", 10n), reservation("killed", 20n, [ALL, OTHER]))
        yield* send("sent", 2)
        yield* book(yield* send("a"), { key: OTHER, lost: 5n, earned: 0n })
        expect(yield* exposures.largest(2)).toEqual([
          { key: OTHER, open: 20n, hour: { lost: 5n, earned: 0n }, day: { lost: 5n, earned: 0n } },
          { key: ALL, open: 30n, hour: nothing, day: nothing }
        ])
        yield* TestClock.adjust("1 minute")
        yield* exposures.prune(60_000)
        expect(yield* open).toEqual([10n, 10n, 0n])
      }).pipe(Effect.provide(stores))
    )
  })
