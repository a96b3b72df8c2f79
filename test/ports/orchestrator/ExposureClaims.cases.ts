/** Cases of a sweep that several claims reserve, since a worker goes on after its lease has ended. */
import { expect, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { type Budgets, classOf, firstClass } from "../../../src/domain/Exposure.ts"
import { type Claim, CLAIM_MILLIS, claimOf } from "../../../src/domain/ExposureClaims.ts"
import { Exposures } from "../../../src/ports/orchestrator/Exposures.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { address, attempt, newIntent, submitted } from "../../support/IntentFixtures.ts"

const ALL = classOf("unlisted", "all", 1)
const TOKEN = classOf("unlisted", "token_in", 1, "0xaa")

/** Tokens start with 100. */
const BUDGETS: Budgets = { unlisted: { hour: 800n, day: 4_000n }, listedHour: 800n, firstHour: 400n }

/** Without room for anything. */
const SPENT: Budgets = { unlisted: { hour: 0n, day: 0n }, listedHour: 0n, firstHour: 0n }

const FIRST = firstClass(1, false)

/** The claim of a worker that loses its lease, and the claim of the worker that takes over. */
const LATE = claimOf(0, "late")
const NEXT = claimOf(30_000, "next")

const reservation = (intentId: string, wei: bigint, classes = [ALL, TOKEN]) => ({ intentId, classes, wei })

const reserve = (holder: Claim, ...reservations: ReadonlyArray<ReturnType<typeof reservation>>) =>
  Effect.flatMap(Exposures, (exposures) => exposures.reserve(reservations, BUDGETS, holder))

const release = (claim: Claim | undefined, ...ids: ReadonlyArray<string>) =>
  Effect.flatMap(Exposures, (exposures) => exposures.release(ids, claim))

const open = Effect.gen(function* () {
  const known = yield* (yield* Exposures).sums([ALL, TOKEN])
  return [ALL, TOKEN].map((key) => known.get(key)?.open ?? 0n)
})

const send = (...intentIds: ReadonlyArray<string>) =>
  Effect.flatMap(RelayTransactions, (transactions) =>
    transactions.allocate({
      chainId: 1,
      lane: address(0x1a4e),
      chainNonce: 0n,
      intentIds,
      sign: (nonce) => Effect.succeed(attempt(`claimed ${nonce}`))
    })
  )

const queued = Effect.gen(function* () {
  yield* submitted({ id: "a", owner: 1 })
  yield* submitted({ id: "b", owner: 2 })
})

export const claimCases = (stores: Layer.Layer<Exposures | Intents | RelayTransactions, unknown>): void => {
  it.effect("keeps what the next claim of a sweep has reserved when a late one releases the sweep", () =>
    Effect.gen(function* () {
      yield* queued
      expect(yield* reserve(LATE, reservation("a", 60n), reservation("b", 20n))).toEqual([])
      expect(yield* reserve(NEXT, reservation("a", 50n))).toEqual([])
      expect(yield* open).toEqual([80n, 80n])
      yield* release(LATE, "a", "b", "unknown")
      expect(yield* open).toEqual([60n, 60n])
      yield* release(LATE, "a", "b")
      expect(yield* open).toEqual([60n, 60n])
      yield* release(NEXT, "b", "a")
      expect(yield* open).toEqual([0n, 0n])
    }).pipe(Effect.provide(stores))
  )

  it.effect("keeps what a claim has reserved when a late one reserves and releases the sweep", () =>
    Effect.gen(function* () {
      yield* queued
      yield* reserve(NEXT, reservation("a", 60n))
      expect(yield* reserve(LATE, reservation("a", 50n))).toEqual([])
      yield* release(LATE, "a")
      expect(yield* open).toEqual([60n, 60n])
      yield* release(NEXT, "a")
      expect(yield* open).toEqual([0n, 0n])
    }).pipe(Effect.provide(stores))
  )

  it.effect("counts what other claims have reserved in classes of their own", () =>
    Effect.gen(function* () {
      yield* queued
      yield* reserve(NEXT, reservation("a", 60n))
      yield* reserve(LATE, reservation("b", 40n))
      // The token has no room for 61, and only the reservation before counts for it.
      expect(yield* reserve(LATE, reservation("a", 61n, [ALL]))).toMatchObject([{ intentId: "a", spent: TOKEN }])
      expect(yield* open).toEqual([100n, 100n])
      expect(yield* reserve(LATE, reservation("a", 50n, [ALL]))).toEqual([])
      yield* release(LATE, "a", "b")
      expect(yield* open).toEqual([60n, 60n])
      yield* release(NEXT, "a")
      expect(yield* open).toEqual([0n, 0n])
    }).pipe(Effect.provide(stores))
  )

  it.effect("keeps what a claim has reserved when a late one is denied, and counts it for the others", () =>
    Effect.gen(function* () {
      const exposures = yield* Exposures
      yield* queued
      yield* reserve(NEXT, reservation("a", 60n))
      const late = [reservation("b", 41n), reservation("a", 101n)]
      expect((yield* exposures.reserve(late, BUDGETS, LATE)).map(({ intentId }) => intentId).toSorted()).toEqual([
        "a",
        "b"
      ])
      expect(yield* open).toEqual([60n, 60n])
      expect(yield* exposures.reserve([reservation("a", 60n)], SPENT, NEXT)).toMatchObject([{ intentId: "a" }])
      expect(yield* open).toEqual([0n, 0n])
    }).pipe(Effect.provide(stores))
  )

  it.effect("leaves a reservation alone that a transaction carries, whatever a late claim does", () =>
    Effect.gen(function* () {
      const exposures = yield* Exposures
      const transactions = yield* RelayTransactions
      yield* queued
      yield* TestClock.setTime(30_000)
      yield* reserve(NEXT, reservation("a", 60n, [FIRST]))
      const { id } = yield* send("a")
      yield* TestClock.setTime(31_000)
      expect(yield* reserve(LATE, reservation("a", 50n), reservation("b", 20n))).toEqual([])
      expect(yield* exposures.reserve([reservation("a", 50n, [FIRST])], SPENT, LATE)).toEqual([])
      yield* release(LATE, "a", "b")
      yield* release(NEXT, "a")
      yield* release(undefined, "a")
      expect(yield* open).toEqual([0n, 0n])
      expect((yield* exposures.sums([FIRST])).get(FIRST)?.open).toBe(60n)
      yield* transactions.finalize([{ id, outcomes: [{ intentId: "a", lost: 25n, earned: 0n }] }])
      expect((yield* exposures.sums([FIRST])).get(FIRST)).toMatchObject({ open: 0n, hour: { lost: 25n } })
    }).pipe(Effect.provide(stores))
  )

  it.effect("withdraws a late claim also while a transaction carries the sweep", () =>
    Effect.gen(function* () {
      const transactions = yield* RelayTransactions
      yield* queued
      yield* reserve(LATE, reservation("a", 60n))
      yield* reserve(NEXT, reservation("a", 60n))
      const { id } = yield* send("a", "b")
      yield* release(LATE, "a")
      yield* transactions.detach(id, ["a"])
      expect(yield* open).toEqual([60n, 60n])
      yield* release(NEXT, "a")
      expect(yield* open).toEqual([0n, 0n])
    }).pipe(Effect.provide(stores))
  )

  it.effect("lets no claim hold a sweep any more that withdraws while a transaction carries the sweep", () =>
    Effect.gen(function* () {
      const transactions = yield* RelayTransactions
      yield* queued
      yield* reserve(LATE, reservation("a", 60n), reservation("b", 20n))
      const { id } = yield* send("a", "b")
      yield* release(LATE, "a", "b")
      expect(yield* open).toEqual([80n, 80n])
      yield* transactions.detach(id, ["a", "b"])
      expect(yield* open).toEqual([80n, 80n])
      yield* reserve(NEXT, reservation("a", 50n))
      yield* release(NEXT, "a")
      expect(yield* open).toEqual([20n, 20n])
      yield* release(undefined, "b")
      expect(yield* open).toEqual([0n, 0n])
    }).pipe(Effect.provide(stores))
  )

  it.effect("ends what submissions hold when no claim is named, and nothing that a claim has reserved", () =>
    Effect.gen(function* () {
      const exposures = yield* Exposures
      yield* queued
      yield* exposures.reserve([reservation("a", 40n), reservation("b", 20n)], BUDGETS, "submission")
      yield* reserve(NEXT, reservation("a", 40n))
      yield* release(undefined, "a", "b")
      expect(yield* open).toEqual([40n, 40n])
      yield* release(NEXT, "a")
      expect(yield* open).toEqual([0n, 0n])
    }).pipe(Effect.provide(stores))
  )

  it.effect(
    "ends what claims of killed workers hold when no claim is named, and nothing that a younger one holds",
    () =>
      Effect.gen(function* () {
        yield* queued
        yield* reserve(LATE, reservation("a", 60n), reservation("b", 20n))
        yield* TestClock.setTime(30_000)
        yield* reserve(NEXT, reservation("b", 20n))
        yield* TestClock.setTime(CLAIM_MILLIS - 1)
        yield* release(undefined, "a", "b")
        expect(yield* open).toEqual([80n, 80n])
        yield* TestClock.setTime(CLAIM_MILLIS)
        yield* release(undefined, "a", "b")
        expect(yield* open).toEqual([20n, 20n])
        yield* TestClock.setTime(CLAIM_MILLIS + 30_000)
        yield* release(undefined, "a", "b")
        expect(yield* open).toEqual([0n, 0n])
      }).pipe(Effect.provide(stores))
  )

  it.effect("lets a late submission neither hold nor renew what a claim has reserved", () =>
    Effect.gen(function* () {
      const exposures = yield* Exposures
      yield* (yield* Intents).create(newIntent({ id: "c" }))
      yield* reserve(LATE, reservation("c", 60n))
      yield* TestClock.setTime(60_000)
      expect(yield* exposures.reserve([reservation("c", 60n)], SPENT, "late")).toEqual([])
      yield* exposures.releaseQuoted(["c"], "late")
      expect(yield* open).toEqual([60n, 60n])
      yield* exposures.prune(60_000)
      expect(yield* open).toEqual([0n, 0n])
    }).pipe(Effect.provide(stores))
  )

  it.effect("forgets the claim of a worker that was killed, however often the sweep is reserved again", () =>
    Effect.gen(function* () {
      yield* queued
      yield* reserve(LATE, reservation("a", 60n))
      yield* TestClock.setTime(CLAIM_MILLIS - 1)
      const before = claimOf(CLAIM_MILLIS - 1, "before")
      yield* reserve(before, reservation("a", 60n))
      yield* release(before, "a")
      expect(yield* open).toEqual([60n, 60n])
      yield* TestClock.setTime(CLAIM_MILLIS)
      const after = claimOf(CLAIM_MILLIS, "after")
      yield* reserve(after, reservation("a", 60n))
      yield* release(after, "a")
      expect(yield* open).toEqual([0n, 0n])
    }).pipe(Effect.provide(stores))
  )

  it.effect("ends every reservation once when claims of the same sweeps meet", () =>
    Effect.gen(function* () {
      yield* queued
      const ids = ["a", "b"]
      const once = (client: number) => {
        const claim = claimOf(client, `${client}`)
        const reservations = (client % 2 === 0 ? ids : ids.toReversed()).map((id) => reservation(id, 10n))
        return Effect.andThen(reserve(claim, ...reservations), release(claim, ...ids))
      }
      const stays = claimOf(99, "stays")
      yield* reserve(stays, ...ids.map((id) => reservation(id, 10n)))
      const calls = Array.from({ length: 8 }, (_, client) => once(client))
      yield* Effect.all(calls, { concurrency: "unbounded", discard: true })
      expect(yield* open).toEqual([20n, 20n])
      yield* release(stays, ...ids)
      expect(yield* open).toEqual([0n, 0n])
    }).pipe(Effect.provide(stores))
  )
}
