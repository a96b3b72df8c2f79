/** Cases of a sweep whose quote is submitted by several requests at once: each holds the reservation. */
import { expect, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { TestClock } from "effect/testing"
import { type Budgets, classOf } from "../../../src/domain/Exposure.ts"
import { Exposures, MOST_HOLDERS } from "../../../src/ports/orchestrator/Exposures.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import type { RelayTransactions } from "../../../src/ports/orchestrator/RelayTransactions.ts"
import { newIntent, submitted } from "../../support/IntentFixtures.ts"

const ALL = classOf("unlisted", "all", 1)
const TOKEN = classOf("unlisted", "token_in", 1, "0xaa")
const LANE = classOf("unlisted", "lane", 1, "0x1a")

/** Tokens start with 100. */
const BUDGETS: Budgets = { unlisted: { hour: 800n, day: 4_000n }, listedHour: 800n }

/** Without room for anything. */
const SPENT: Budgets = { unlisted: { hour: 0n, day: 0n }, listedHour: 0n }

const reservation = (intentId: string, wei: bigint, classes = [ALL, TOKEN]) => ({ intentId, classes, wei })

const reserve = (holder: string | undefined, ...reservations: ReadonlyArray<ReturnType<typeof reservation>>) =>
  Effect.flatMap(Exposures, (exposures) => exposures.reserve(reservations, BUDGETS, holder))

const release = (holder: string, ...ids: ReadonlyArray<string>) =>
  Effect.flatMap(Exposures, (exposures) => exposures.releaseQuoted(ids, holder))

const open = Effect.gen(function* () {
  const known = yield* (yield* Exposures).sums([ALL, TOKEN, LANE])
  return [ALL, TOKEN, LANE].map((key) => known.get(key)?.open ?? 0n)
})

const quoted = Effect.fnUntraced(function* (...ids: ReadonlyArray<string>) {
  const intents = yield* Intents
  for (const id of ids) yield* intents.create(newIntent({ id }))
})

export const holderCases = (stores: Layer.Layer<Exposures | Intents | RelayTransactions, unknown>): void => {
  it.effect("keeps the reservation of a sweep until its last holder releases it", () =>
    Effect.gen(function* () {
      yield* quoted("a", "b")
      for (const holder of ["first", "second", "first"]) {
        expect(yield* reserve(holder, reservation("a", 60n))).toEqual([])
      }
      expect(yield* reserve("first", reservation("b", 20n), reservation("a", 60n))).toEqual([])
      expect(yield* open).toEqual([80n, 80n, 0n])
      yield* release("another", "a", "b")
      expect(yield* open).toEqual([80n, 80n, 0n])
      yield* release("first", "b", "a")
      yield* release("first", "b", "a")
      expect(yield* open).toEqual([60n, 60n, 0n])
      yield* release("second", "a", "b")
      expect(yield* open).toEqual([0n, 0n, 0n])
    }).pipe(Effect.provide(stores))
  )

  it.effect("lets any number of submissions hold a sweep at once, and any of them stop", () =>
    Effect.gen(function* () {
      yield* quoted("a")
      const holders = Array.from({ length: 8 }, (_, index) => `holder-${index}`)
      const [stays, ...others] = holders
      const calls = holders.map((holder) =>
        Effect.andThen(reserve(holder, reservation("a", 60n)), holder === stays ? Effect.void : release(holder, "a"))
      )
      yield* Effect.all(calls, { concurrency: "unbounded", discard: true })
      expect(others).toHaveLength(7)
      expect(yield* open).toEqual([60n, 60n, 0n])
      yield* release("holder-0", "a")
      expect(yield* open).toEqual([0n, 0n, 0n])
    }).pipe(Effect.provide(stores))
  )

  it.effect("keeps what another submission has reserved, whatever the budgets have left", () =>
    Effect.gen(function* () {
      const exposures = yield* Exposures
      yield* quoted("a", "b")
      yield* reserve("first", reservation("a", 60n))
      const second = [reservation("b", 1n), reservation("a", 90n)]
      expect(yield* exposures.reserve(second, SPENT, "second")).toMatchObject([{ intentId: "b" }])
      expect(yield* open).toEqual([60n, 60n, 0n])
      yield* release("first", "a")
      expect(yield* open).toEqual([60n, 60n, 0n])
      yield* release("second", "a", "b")
      expect(yield* open).toEqual([0n, 0n, 0n])
    }).pipe(Effect.provide(stores))
  )

  it.effect("renews a reservation for the submission that joins it", () =>
    Effect.gen(function* () {
      const exposures = yield* Exposures
      yield* quoted("a")
      yield* reserve("killed", reservation("a", 60n))
      yield* TestClock.setTime(60_000)
      yield* reserve("second", reservation("a", 60n))
      yield* exposures.prune(60_000)
      expect(yield* open).toEqual([60n, 60n, 0n])
      yield* exposures.prune(60_001)
      expect(yield* open).toEqual([0n, 0n, 0n])
    }).pipe(Effect.provide(stores))
  )

  it.effect("leaves alone what was reserved without a holder, and replaces what submissions hold", () =>
    Effect.gen(function* () {
      const exposures = yield* Exposures
      yield* submitted({ id: "a", owner: 2 })
      yield* quoted("b")
      yield* reserve("first", reservation("a", 60n), reservation("b", 10n))
      yield* reserve(undefined, reservation("a", 50n, [ALL, TOKEN, LANE]), reservation("b", 20n))
      expect(yield* open).toEqual([70n, 70n, 50n])
      yield* TestClock.setTime(60_000)
      expect(yield* reserve("late", reservation("a", 60n), reservation("b", 10n))).toEqual([])
      for (const holder of ["first", "late"]) yield* release(holder, "a", "b")
      expect(yield* open).toEqual([70n, 70n, 50n])
      // Not renewed either, since a reservation that is newer than its transaction does not end with it.
      yield* exposures.prune(60_000)
      expect(yield* open).toEqual([0n, 0n, 0n])
    }).pipe(Effect.provide(stores))
  )

  it.effect("ends the reservation for all holders when the relayer releases it, or has no room for it", () =>
    Effect.gen(function* () {
      const exposures = yield* Exposures
      yield* quoted("a", "b")
      for (const holder of ["first", "second"]) yield* reserve(holder, reservation("a", 60n), reservation("b", 10n))
      yield* exposures.release(["a"])
      expect(yield* open).toEqual([10n, 10n, 0n])
      expect(yield* exposures.reserve([reservation("b", 10n)], SPENT)).toMatchObject([{ intentId: "b" }])
      expect(yield* open).toEqual([0n, 0n, 0n])
    }).pipe(Effect.provide(stores))
  )

  it.effect("denies one holder more than it keeps of a sweep, until one of them releases it", () =>
    Effect.gen(function* () {
      yield* quoted("a")
      for (let index = 0; index < MOST_HOLDERS; index++) {
        expect(yield* reserve(`holder-${index}`, reservation("a", 60n))).toEqual([])
      }
      expect(yield* reserve("more", reservation("a", 60n))).toEqual([{ intentId: "a", spent: ALL, isBusy: true }])
      expect(yield* reserve("holder-3", reservation("a", 60n))).toEqual([])
      yield* release("more", "a")
      expect(yield* open).toEqual([60n, 60n, 0n])
      yield* release("holder-3", "a")
      expect(yield* reserve("more", reservation("a", 60n))).toEqual([])
    }).pipe(Effect.provide(stores))
  )
}
