/** Lists that become much shorter, by damage or because their source did: in a file of the operator, or downloaded. */
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

const TEN = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map(FakeChain.address)
const CLEAR = FakeChain.address(0xff)

const environment = Layer.mergeAll(
  BunServices.layer,
  FetchHttpClient.layer,
  StubServer.answering(() => ({ status: 200, body: sdnXml(TEN) })),
  Logger.layer([])
)

describe("KeptLists with a file that becomes much shorter", () => {
  const removed = FakeChain.address(10)
  const REFUSAL = "OFAC_SNAPSHOT: it lacks 5 of 10 addresses of the list in use"

  const lines = (listed: ReadonlyArray<string>) => listed.join("\n")

  /** A file of ten addresses, of which five remain. */
  const halved = Effect.gen(function* () {
    const path = yield* snapshotFile(lines(TEN))
    const { lists, screening } = yield* KeptLists.make({ file: { path, reloadEvery: "0 millis" } })
    const ask = (address: Address.Address) => outcome(screening.clear(1, [address]))
    yield* ask(CLEAR)
    yield* TestClock.adjust("1 day")
    yield* rewrite(path, lines(TEN.slice(0, 5)))
    assert.strictEqual(yield* ask(CLEAR), "clear")
    return { age: Effect.map(lists.age, Option.getOrThrow), ask, write: (text: string) => rewrite(path, text) }
  })

  it.effect("take its age once newer copies have agreed for a day, and keep blocking what it lacks", () =>
    Effect.gen(function* () {
      const { age, ask, write } = yield* halved
      assert.deepStrictEqual(yield* age, { checkedAt: 0, detail: REFUSAL })
      for (let day = 2; day <= 9; day++) {
        yield* TestClock.adjust("1 day")
        yield* write(lines(TEN.slice(0, 5)))
        assert.strictEqual(yield* ask(CLEAR), "clear", `day ${day}`)
        assert.strictEqual(yield* ask(removed), "listed", `day ${day}`)
        assert.deepStrictEqual(yield* age, { checkedAt: day * 86_400_000 })
      }
      yield* TestClock.adjust("8 days")
      assert.strictEqual(yield* ask(CLEAR), "unavailable", "it is not renewed any more")
    }).pipe(Effect.scoped, Effect.provide(environment))
  )

  it.effect("do not take its age while the file is not written again", () =>
    Effect.gen(function* () {
      const { age, ask } = yield* halved
      yield* TestClock.adjust("3 days")
      assert.strictEqual(yield* ask(CLEAR), "clear")
      assert.deepStrictEqual(yield* age, { checkedAt: 0, detail: REFUSAL })
      yield* TestClock.adjust("4 days")
      assert.strictEqual(yield* ask(CLEAR), "unavailable")
    }).pipe(Effect.scoped, Effect.provide(environment))
  )

  it.effect("do not take its age while newer copies are written for less than a day, or differ", () =>
    Effect.gen(function* () {
      const { age, ask, write } = yield* halved
      yield* TestClock.adjust("23 hours")
      yield* write(lines(TEN.slice(0, 5)))
      assert.strictEqual((yield* age).checkedAt, 0)
      yield* TestClock.adjust("1 hour")
      yield* write(lines(TEN.slice(0, 2)))
      assert.strictEqual((yield* age).checkedAt, 0)
      yield* TestClock.adjust("23 hours")
      yield* write(lines(TEN.slice(0, 2)))
      assert.strictEqual((yield* age).checkedAt, 0)
      assert.strictEqual(yield* ask(FakeChain.address(4)), "listed")
      // A copy that is whole again is the list.
      yield* write(lines(TEN.slice(0, 9)))
      assert.deepStrictEqual(yield* age, { checkedAt: 3 * 86_400_000 - 3_600_000 })
      assert.strictEqual(yield* ask(removed), "clear")
      // Copies that were seen before it confirm no later one.
      yield* TestClock.adjust("2 hours")
      yield* write(lines(TEN.slice(0, 2)))
      assert.strictEqual((yield* age).checkedAt, 3 * 86_400_000 - 3_600_000)
    }).pipe(Effect.scoped, Effect.provide(environment))
  )

  it.effect("compare each copy with the last accepted one, and not with what refused ones add", () =>
    Effect.gen(function* () {
      const { age, ask, write } = yield* halved
      const strange = Array.from({ length: 30 }, (_, index) => FakeChain.address(0x20 + index))
      for (const _ of [1, 2, 3]) {
        yield* TestClock.adjust("1 minute")
        yield* write(lines([...TEN.slice(0, 5), ...strange]))
        for (const listed of [removed, FakeChain.address(0x20)]) assert.strictEqual(yield* ask(listed), "listed")
        assert.deepStrictEqual(yield* age, { checkedAt: 0, detail: REFUSAL })
      }
    }).pipe(Effect.scoped, Effect.provide(environment))
  )

  it.effect("do not tell of it where another list decides the age", () =>
    Effect.gen(function* () {
      const path = yield* snapshotFile(lines(TEN))
      const { lists } = yield* KeptLists.make({
        file: { path, reloadEvery: "0 millis" },
        download: { url: (yield* StubServer).url, timeout: "1 second", maxBytes: 100_000 }
      })
      yield* lists.refresh
      yield* lists.age
      yield* rewrite(path, lines(TEN.slice(0, 5)))
      assert.deepStrictEqual(yield* lists.age, Option.some({ checkedAt: 0 }))
    }).pipe(Effect.scoped, Effect.provide(environment))
  )
})

describe("KeptLists with a download that becomes much shorter", () => {
  const DAY = 86_400_000
  const REMOVED = FakeChain.address(10)
  const ADDED = FakeChain.address(11)
  const SHORTER = [...TEN.slice(0, 5), ADDED]

  const make = Effect.fnUntraced(function* (keepIn?: string) {
    const { answer, url } = yield* StubServer
    const { lists, screening } = yield* KeptLists.make({
      keepIn,
      download: { url, timeout: "1 second", maxBytes: 100_000 }
    })
    return {
      refresh: lists.refresh,
      serve: (listed: ReadonlyArray<string>, publishedOn = "02/03/2026") =>
        answer({ status: 200, body: sdnXml(listed, { publishedOn }) }),
      ask: (address: Address.Address) => outcome(screening.clear(1, [address])),
      checkedAt: Effect.map(lists.age, (age) => Option.getOrThrow(age).checkedAt)
    }
  })

  it.effect("block at once what it adds, and take its age once downloads have agreed for a day", () =>
    Effect.gen(function* () {
      const { ask, checkedAt, refresh, serve } = yield* make()
      yield* refresh
      yield* serve(SHORTER)
      for (const hours of [0, 12, 11]) {
        yield* TestClock.adjust(`${hours} hours`)
        assert.include((yield* Effect.flip(refresh)).detail, "it lacks 5 of")
        for (const listed of [ADDED, REMOVED]) assert.strictEqual(yield* ask(listed), "listed")
        assert.strictEqual(yield* checkedAt, 0)
      }
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* refresh, Option.some(11))
      assert.strictEqual(yield* checkedAt, DAY)
      yield* TestClock.adjust("7 days")
      assert.deepStrictEqual(yield* refresh, Option.some(11))
      yield* TestClock.adjust("7 days")
      assert.strictEqual(yield* ask(CLEAR), "clear")
      assert.strictEqual(yield* ask(REMOVED), "listed")
      // A list that is whole again is the list.
      yield* serve(TEN.slice(0, 9))
      assert.deepStrictEqual(yield* refresh, Option.some(9))
      assert.strictEqual(yield* ask(REMOVED), "clear")
    }).pipe(Effect.provide(environment))
  )

  it.effect("take the right list again after a wrong one, whose addresses no longer block", () =>
    Effect.gen(function* () {
      const { ask, checkedAt, refresh, serve } = yield* make()
      yield* refresh
      const strange = Array.from({ length: 8 }, (_, index) => FakeChain.address(0x20 + index))
      yield* serve([...TEN.slice(0, 5), ...strange])
      yield* TestClock.adjust("5 minutes")
      yield* Effect.flip(refresh)
      assert.strictEqual(yield* ask(FakeChain.address(0x20)), "listed")
      yield* serve(TEN)
      yield* TestClock.adjust("5 minutes")
      assert.deepStrictEqual(yield* refresh, Option.some(10))
      assert.strictEqual(yield* ask(FakeChain.address(0x20)), "clear")
      assert.strictEqual(yield* checkedAt, 600_000)
    }).pipe(Effect.provide(environment))
  )

  it.effect("do not take its age while downloads differ", () =>
    Effect.gen(function* () {
      const { ask, checkedAt, refresh, serve } = yield* make()
      yield* refresh
      for (const listed of [SHORTER, TEN.slice(5, 8), SHORTER, TEN.slice(5, 8)]) {
        yield* TestClock.adjust("1 day")
        yield* serve(listed)
        yield* Effect.flip(refresh)
        assert.strictEqual(yield* checkedAt, 0)
      }
      yield* TestClock.adjust("4 days")
      assert.strictEqual(yield* ask(CLEAR), "unavailable")
      assert.strictEqual(yield* ask(ADDED), "listed")
    }).pipe(Effect.provide(environment))
  )

  it.effect("keep what it adds for the next start, with the age of the list before, and then the confirmed list", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const keepIn = `${yield* files.makeTempDirectoryScoped()}/last.json`
      const { refresh, serve } = yield* make(keepIn)
      yield* refresh
      yield* TestClock.adjust("1 hour")
      yield* serve(SHORTER)
      yield* Effect.flip(refresh)
      const early = yield* make(keepIn)
      for (const listed of [ADDED, REMOVED]) assert.strictEqual(yield* early.ask(listed), "listed")
      assert.strictEqual(yield* early.checkedAt, 0)

      yield* TestClock.adjust("1 day")
      yield* refresh
      const late = yield* make(keepIn)
      assert.strictEqual(yield* late.ask(ADDED), "listed")
      assert.strictEqual(yield* late.ask(REMOVED), "clear")
      assert.strictEqual(yield* late.checkedAt, DAY + 3_600_000)
    }).pipe(Effect.scoped, Effect.provide(environment))
  )

  it.effect.each<readonly [string, (hours: number) => Readonly<Record<string, string>>]>([
    ["their age", (hours) => ({ age: String(hours * 3_600) })],
    ["the time of the response", () => ({ date: new Date(0).toUTCString() })]
  ])("do not take its age while a cache answers with one copy, by %s", ([, headers]) =>
    Effect.gen(function* () {
      const { answer } = yield* StubServer
      const { ask, checkedAt, refresh } = yield* make()
      yield* refresh
      for (let hours = 0; hours <= 48; hours += 8) {
        yield* answer({ status: 200, body: sdnXml(SHORTER), headers: headers(hours) })
        yield* Effect.flip(refresh)
        assert.strictEqual(yield* checkedAt, 0)
        yield* TestClock.adjust("8 hours")
      }
      // The cache asks the source again, which still answers so a day later.
      yield* answer({ status: 200, body: sdnXml(SHORTER) })
      assert.deepStrictEqual(yield* refresh, Option.some(11))
      assert.strictEqual(yield* ask(REMOVED), "listed")
    }).pipe(Effect.provide(environment))
  )

  it.effect("take the list after one with a day of publication that has not come", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 1, 4))
      const { refresh, serve } = yield* make()
      yield* serve(TEN, "12/31/2099")
      yield* refresh
      yield* serve(TEN, "02/03/2026")
      assert.deepStrictEqual(yield* refresh, Option.some(10))
      yield* serve(TEN, "02/02/2026")
      assert.include((yield* Effect.flip(refresh)).detail, "published on 2026-02-02")
    }).pipe(Effect.provide(environment))
  )
})
