/** Lists that become much shorter while the service restarts: the kept files remember them, and since when they agree. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer, Logger, Option } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import * as KeptLists from "../../../src/adapters/screening/KeptLists.ts"
import type * as Address from "../../../src/domain/Address.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { StubServer } from "../../support/StubServer.ts"
import { outcome, rewrite, snapshotFile } from "./fixture.ts"
import { sdnXml } from "./sdnFixture.ts"

const DAY = 86_400_000
const TEN = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(FakeChain.address)
const REMOVED = FakeChain.address(10)
const ADDED = FakeChain.address(11)
const SHORTER = [...TEN.slice(0, 5), ADDED]

const environment = Layer.mergeAll(
  BunServices.layer,
  FetchHttpClient.layer,
  StubServer.answering(() => ({ status: 200, body: sdnXml(TEN) })),
  Logger.layer([])
)

const make = Effect.fnUntraced(function* (keepIn: string) {
  const { answer, url } = yield* StubServer
  const { lists, screening } = yield* KeptLists.make({
    keepIn,
    download: { url, timeout: "1 second", maxBytes: 100_000 }
  })
  return {
    refresh: lists.refresh,
    serve: (listed: ReadonlyArray<string>) => answer({ status: 200, body: sdnXml(listed) }),
    ask: (address: Address.Address) => outcome(screening.clear(1, [address])),
    checkedAt: Effect.map(lists.age, (age) => Option.getOrThrow(age).checkedAt)
  }
})

const keptFile = Effect.gen(function* () {
  const files = yield* FileSystem.FileSystem
  return `${yield* files.makeTempDirectoryScoped()}/last.json`
})

describe("KeptLists that restart while a download is much shorter", () => {
  it.effect("take its age after a day of restarts, of which each remembers since when downloads agree", () =>
    Effect.gen(function* () {
      const keepIn = yield* keptFile
      const first = yield* make(keepIn)
      yield* first.refresh
      yield* first.serve(SHORTER)
      for (const hours of [0, 12, 11]) {
        yield* TestClock.adjust(`${hours} hours`)
        yield* Effect.flip((yield* make(keepIn)).refresh)
      }
      yield* TestClock.adjust("1 hour")
      const last = yield* make(keepIn)
      assert.deepStrictEqual(yield* last.refresh, Option.some(11))
      assert.strictEqual(yield* last.checkedAt, DAY)
      assert.strictEqual(yield* last.ask(REMOVED), "listed")
    }).pipe(Effect.scoped, Effect.provide(environment))
  )

  it.effect("compare the next one with the last accepted list after a restart, too", () =>
    Effect.gen(function* () {
      const keepIn = yield* keptFile
      const first = yield* make(keepIn)
      yield* first.refresh
      const strange = Array.from({ length: 30 }, (_, index) => FakeChain.address(0x20 + index))
      yield* first.serve([...TEN.slice(0, 5), ...strange])
      yield* TestClock.adjust("5 minutes")
      yield* Effect.flip(first.refresh)
      for (const _ of [1, 2]) {
        const restarted = yield* make(keepIn)
        assert.include((yield* Effect.flip(restarted.refresh)).detail, "it lacks 5 of 10")
        for (const listed of [REMOVED, FakeChain.address(0x20)]) {
          assert.strictEqual(yield* restarted.ask(listed), "listed")
        }
      }
      // The right list again: nothing of the wrong one stays.
      yield* first.serve(TEN)
      const restarted = yield* make(keepIn)
      assert.deepStrictEqual(yield* restarted.refresh, Option.some(10))
      yield* restarted.serve([...TEN.slice(0, 5), ...strange])
      yield* TestClock.adjust("1 day")
      const later = yield* make(keepIn)
      assert.strictEqual(yield* later.ask(FakeChain.address(0x20)), "clear")
      yield* Effect.flip(later.refresh)
      assert.strictEqual(yield* later.ask(REMOVED), "listed")
    }).pipe(Effect.scoped, Effect.provide(environment))
  )

  it.effect(
    "keep all that blocks where a release before this one reads it, and do not trust times that have not come",
    () =>
      Effect.gen(function* () {
        const keepIn = yield* keptFile
        const { refresh, serve } = yield* make(keepIn)
        yield* refresh
        yield* TestClock.adjust("3 days")
        yield* serve(SHORTER)
        yield* Effect.flip(refresh)
        const files = yield* FileSystem.FileSystem
        const kept: unknown = JSON.parse(yield* files.readFileString(keepIn))
        assert.deepInclude(kept, { checkedAt: 0, addresses: [...TEN, ADDED] })
        yield* TestClock.setTime(DAY)
        const restarted = yield* make(keepIn)
        yield* Effect.flip(restarted.refresh)
        yield* TestClock.adjust("1 day")
        assert.deepStrictEqual(yield* restarted.refresh, Option.some(11))
      }).pipe(Effect.scoped, Effect.provide(environment))
  )
})

describe("KeptLists that restart while the operator's file is much shorter", () => {
  const REFUSAL = "OFAC_SNAPSHOT: it lacks 5 of 10 addresses of the list in use"
  const lines = (listed: ReadonlyArray<string>) => listed.join("\n")

  /** A start of the service, which has read the file and kept its copy. */
  const start = Effect.fnUntraced(function* (path: string, keepIn: string | undefined) {
    const { keep, lists, screening } = yield* KeptLists.make({ keepIn, file: { path, reloadEvery: "0 millis" } })
    const age = Effect.map(lists.age, Option.getOrThrow)
    yield* age
    yield* keep
    return { age, ask: (address: Address.Address) => outcome(screening.clear(1, [address])) }
  })

  /** A file of ten addresses that the service has read, and of which six are written a day later. */
  const shortened = Effect.gen(function* () {
    const keepIn = yield* keptFile
    const path = yield* snapshotFile(lines(TEN))
    yield* start(path, keepIn)
    yield* TestClock.adjust("1 day")
    yield* rewrite(path, lines(SHORTER))
    return { keepIn, path }
  })

  it.effect("refuse it as they did before, so that the alert about its age comes in time", () =>
    Effect.gen(function* () {
      const { keepIn, path } = yield* shortened
      for (const _ of [1, 2]) {
        const { age, ask } = yield* start(path, keepIn)
        assert.deepStrictEqual(yield* age, { checkedAt: 0, detail: REFUSAL })
        for (const listed of [REMOVED, ADDED]) assert.strictEqual(yield* ask(listed), "listed")
      }
      yield* TestClock.adjust("6 days")
      const { ask } = yield* start(path, keepIn)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* ask(FakeChain.address(0xff)), "unavailable")
    }).pipe(Effect.scoped, Effect.provide(environment))
  )

  it.effect("take its age after a day of restarts, of which each remembers since when copies agree", () =>
    Effect.gen(function* () {
      const { keepIn, path } = yield* shortened
      for (const hours of [0, 12, 11]) {
        yield* TestClock.adjust(`${hours} hours`)
        yield* rewrite(path, lines(SHORTER))
        assert.deepStrictEqual(yield* (yield* start(path, keepIn)).age, { checkedAt: 0, detail: REFUSAL })
      }
      yield* TestClock.adjust("1 hour")
      yield* rewrite(path, lines(SHORTER))
      const { age, ask } = yield* start(path, keepIn)
      assert.deepStrictEqual(yield* age, { checkedAt: 2 * DAY })
      assert.strictEqual(yield* ask(REMOVED), "listed")
      // The shorter list is the one with which the next start begins.
      const next = yield* start(path, keepIn)
      assert.deepStrictEqual(yield* next.age, { checkedAt: 2 * DAY })
      assert.strictEqual(yield* next.ask(REMOVED), "clear")
    }).pipe(Effect.scoped, Effect.provide(environment))
  )

  it.effect("block what any of the shorter copies added, until a whole one is read", () =>
    Effect.gen(function* () {
      const { keepIn, path } = yield* shortened
      yield* start(path, keepIn)
      yield* rewrite(path, lines(TEN.slice(0, 5)))
      yield* start(path, keepIn)
      assert.strictEqual(yield* (yield* start(path, keepIn)).ask(ADDED), "listed")
      yield* rewrite(path, lines(TEN))
      yield* start(path, keepIn)
      const { age, ask } = yield* start(path, keepIn)
      assert.deepStrictEqual(yield* age, { checkedAt: DAY })
      assert.strictEqual(yield* ask(ADDED), "clear")
    }).pipe(Effect.scoped, Effect.provide(environment))
  )

  it.effect("do not screen by what is kept while the file cannot be read", () =>
    Effect.gen(function* () {
      const { keepIn, path } = yield* shortened
      yield* rewrite(path, "no list")
      const { age, ask } = yield* start(path, keepIn)
      assert.deepStrictEqual(yield* age, { checkedAt: undefined })
      assert.strictEqual(yield* ask(FakeChain.address(0xff)), "unavailable")
      yield* rewrite(path, lines(SHORTER))
      assert.deepStrictEqual(yield* age, { checkedAt: 0, detail: REFUSAL })
    }).pipe(Effect.scoped, Effect.provide(environment))
  )

  it.effect("believe another file, a file without a kept copy, and one whose kept copy is damaged", () =>
    Effect.gen(function* () {
      const { keepIn, path } = yield* shortened
      const believed = { checkedAt: DAY }
      assert.deepStrictEqual(yield* (yield* start(path, undefined)).age, believed)
      const files = yield* FileSystem.FileSystem
      const kept = yield* files.readFileString(`${keepIn}.snapshot`)
      yield* files.writeFileString(`${keepIn}.snapshot`, kept.slice(0, 40))
      assert.deepStrictEqual(yield* (yield* start(path, keepIn)).age, believed)
      yield* files.writeFileString(`${keepIn}.snapshot`, kept)
      const other = yield* snapshotFile(lines(SHORTER))
      assert.deepStrictEqual(yield* (yield* start(other, keepIn)).age, believed)
    }).pipe(Effect.scoped, Effect.provide(environment))
  )

  it.effect("do not trust a kept time of writing that has not come", () =>
    Effect.gen(function* () {
      const { keepIn, path } = yield* shortened
      const files = yield* FileSystem.FileSystem
      const kept: unknown = JSON.parse(yield* files.readFileString(`${keepIn}.snapshot`))
      yield* files.writeFileString(
        `${keepIn}.snapshot`,
        JSON.stringify(Object.assign({}, kept, { writtenAt: 9 * DAY }))
      )
      const { age, ask } = yield* start(path, keepIn)
      assert.deepStrictEqual(yield* age, { checkedAt: undefined, detail: REFUSAL })
      assert.strictEqual(yield* ask(REMOVED), "listed")
    }).pipe(Effect.scoped, Effect.provide(environment))
  )
})
