import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, FileSystem, Layer, Logger, Option } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import * as KeptLists from "../../../src/adapters/screening/KeptLists.ts"
import * as Accounts from "../../../src/devnet/Accounts.ts"
import type * as Address from "../../../src/domain/Address.ts"
import { Screening } from "../../../src/ports/shared/Screening.ts"
import * as ScreeningSuite from "../../ports/shared/Screening.suite.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { type Answer, StubServer } from "../../support/StubServer.ts"
import { fixture, outcome, snapshotFile } from "./fixture.ts"
import { sdnXml } from "./sdnFixture.ts"

const addresses = (...numbers: ReadonlyArray<number>) => numbers.map(FakeChain.address)
const TEN = addresses(1, 2, 3, 4, 5, 6, 7, 8, 9, 10)
const CLEAR = FakeChain.address(0xff)

const serving = (listed: ReadonlyArray<string>, publishedOn?: string): Answer => ({
  status: 200,
  body: sdnXml(listed, publishedOn === undefined ? {} : { publishedOn })
})

const environment = Layer.mergeAll(
  BunServices.layer,
  FetchHttpClient.layer,
  StubServer.answering(() => serving(TEN)),
  Logger.layer([])
)

const make = (options: Omit<KeptLists.Options, "download"> = {}) =>
  Effect.gen(function* () {
    const { answer, url } = yield* StubServer
    const { lists, screening } = yield* KeptLists.make({
      ...options,
      download: { url: `${url}/SDN.XML`, timeout: "1 second", maxBytes: 100_000 }
    })
    const ask = (address: Address.Address) => outcome(screening.clear(1, [address]))
    return { answer, ask, lists, screening }
  })

ScreeningSuite.suite(
  "a downloaded list",
  Layer.effect(
    Screening,
    Effect.gen(function* () {
      const { answer, lists, screening } = yield* make()
      yield* answer(serving([Accounts.sanctioned()]))
      yield* lists.refresh
      return screening
    })
  ).pipe(Layer.provideMerge(environment), Layer.orDie),
  fixture
)

describe("KeptLists with a download", () => {
  it.effect("blocks the listed ones, and tells the number of addresses", () =>
    Effect.gen(function* () {
      const { ask, lists } = yield* make()
      assert.deepStrictEqual(yield* lists.refresh, Option.some(10))
      assert.strictEqual(yield* ask(FakeChain.address(3)), "listed")
      assert.strictEqual(yield* ask(CLEAR), "clear")
    }).pipe(Effect.provide(environment))
  )

  it.effect("makes requests wait for the first list, and blocks them if there is none", () =>
    Effect.gen(function* () {
      const { answer, ask, lists } = yield* make()
      const early = yield* Effect.forkChild(ask(CLEAR))
      yield* Effect.yieldNow
      assert.isUndefined(early.pollUnsafe())
      yield* lists.refresh
      assert.strictEqual(yield* Fiber.join(early), "clear")

      const other = yield* make()
      yield* answer({ status: 503 })
      assert.isTrue(Option.isSome(yield* Effect.option(Effect.flip(other.lists.refresh))))
      assert.strictEqual(yield* other.ask(CLEAR), "unavailable")
      assert.deepStrictEqual(yield* other.lists.age, Option.some({ checkedAt: undefined }))

      const unasked = yield* make()
      const waiting = yield* Effect.forkChild(unasked.ask(CLEAR))
      yield* TestClock.adjust("3 seconds")
      assert.strictEqual(yield* Fiber.join(waiting), "unavailable")
    }).pipe(Effect.provide(environment))
  )

  it.effect.each<readonly [string, Answer, string]>([
    ["429", { status: 429, headers: { "Retry-After": "60" } }, "HTTP 429"],
    ["500", { status: 500, body: "oops" }, "HTTP 500"],
    ["404", { status: 404 }, "HTTP 404"],
    ["an error page", { status: 200, body: "<html>maintenance</html>" }, "no SDN list"],
    ["an empty body", { status: 200, body: "" }, ""],
    ["half a list", { status: 200, body: sdnXml(TEN).slice(0, 2_000) }, "cut off"],
    ["a list without addresses", serving([]), "lists no addresses"],
    ["a list of three addresses", serving(addresses(1, 2, 3)), "lacks 7 of 10"],
    ["a list of other addresses", serving(addresses(1, 2, 30, 31, 32, 33, 34, 35, 36, 37, 38)), "lacks 8 of 10"],
    ["an older list", serving(TEN, "02/02/2026"), "published on 2026-02-02"],
    ["a list that is too long", { status: 200, body: sdnXml(TEN, { between: " ".repeat(20_000) }) }, "longer than"]
  ])("keeps the last good list after %s", ([, answer, detail]) =>
    Effect.gen(function* () {
      const begun = Date.UTC(2026, 1, 4)
      yield* TestClock.setTime(begun)
      const stub = yield* make()
      yield* stub.lists.refresh
      yield* TestClock.adjust("1 hour")
      yield* stub.answer(answer)
      assert.include((yield* Effect.flip(stub.lists.refresh)).detail, detail)
      for (const listed of TEN) assert.strictEqual(yield* stub.ask(listed), "listed")
      assert.strictEqual(yield* stub.ask(CLEAR), "clear")
      assert.deepStrictEqual(yield* stub.lists.age, Option.some({ checkedAt: begun }))
    }).pipe(Effect.provide(environment))
  )

  it.live("gives up a download that does not end", () =>
    Effect.gen(function* () {
      const stub = yield* make()
      yield* stub.answer({ status: 200, silent: true })
      assert.include((yield* Effect.flip(stub.lists.refresh)).detail, "no complete answer within 1s")
    }).pipe(Effect.provide(environment))
  )

  it.effect("takes a list that lacks a few, if nothing else is wrong", () =>
    Effect.gen(function* () {
      const stub = yield* make()
      yield* stub.lists.refresh
      yield* stub.answer(serving(TEN.slice(2), "02/04/2026"))
      yield* stub.lists.refresh
      assert.strictEqual(yield* stub.ask(FakeChain.address(1)), "clear")
      assert.strictEqual(yield* stub.ask(FakeChain.address(3)), "listed")
    }).pipe(Effect.provide(environment))
  )

  it.effect("blocks once no list was read for a week", () =>
    Effect.gen(function* () {
      const stub = yield* make()
      yield* stub.lists.refresh
      yield* TestClock.adjust("7 days")
      assert.strictEqual(yield* stub.ask(CLEAR), "clear")
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* stub.ask(CLEAR), "unavailable")
      assert.strictEqual(yield* stub.ask(FakeChain.address(1)), "listed")
    }).pipe(Effect.provide(environment))
  )

  it.effect("blocks what the operator's file lists too, and blocks all if that stays unreadable", () =>
    Effect.gen(function* () {
      const path = yield* snapshotFile(CLEAR)
      const stub = yield* make({ file: { path, reloadEvery: "0 millis" } })
      yield* stub.lists.refresh
      assert.strictEqual(yield* stub.ask(CLEAR), "listed")
      assert.strictEqual(yield* stub.ask(FakeChain.address(1)), "listed")
      assert.strictEqual(yield* stub.ask(FakeChain.address(0xfe)), "clear")
      yield* Effect.flatMap(FileSystem.FileSystem, (files) => files.writeFileString(path, "no list"))
      assert.strictEqual(yield* stub.ask(CLEAR), "listed")
      yield* TestClock.adjust("15 minutes")
      assert.strictEqual(yield* stub.ask(FakeChain.address(0xfe)), "unavailable")
      assert.strictEqual(yield* stub.ask(FakeChain.address(1)), "listed")
    }).pipe(Effect.scoped, Effect.provide(environment))
  )
})

describe("KeptLists with a download and a file", () => {
  it.effect.each<readonly [string, string, string]>([
    ["a list of the operator does not stand in for OFAC's", FakeChain.address(0xee), "unavailable"],
    ["OFAC's list does", sdnXml(TEN), "clear"]
  ])("%s while nothing was downloaded", ([, text, expected]) =>
    Effect.gen(function* () {
      const path = yield* snapshotFile(text)
      const stub = yield* make({ file: { path } })
      yield* stub.answer({ status: 503 })
      yield* Effect.flip(stub.lists.refresh)
      assert.strictEqual(yield* stub.ask(CLEAR), expected)
      const age = Option.getOrThrow(yield* stub.lists.age)
      assert.strictEqual(age.checkedAt === undefined, expected === "unavailable")
    }).pipe(Effect.scoped, Effect.provide(environment))
  )

  it.effect("a list of the operator does not make up for the age of OFAC's", () =>
    Effect.gen(function* () {
      const stub = yield* make({ file: { path: yield* snapshotFile(FakeChain.address(0xee)) } })
      yield* stub.lists.refresh
      yield* TestClock.adjust("8 days")
      assert.strictEqual(yield* stub.ask(CLEAR), "unavailable")
    }).pipe(Effect.scoped, Effect.provide(environment))
  )
})

describe("KeptLists that keep the last good list in a file", () => {
  /** The path of a file that does not exist yet. */
  const fresh = Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    return `${yield* files.makeTempDirectoryScoped()}/last.json`
  })

  it.effect("screen at once after a restart, and compare the next list with it", () =>
    Effect.gen(function* () {
      const keepIn = yield* fresh
      yield* (yield* make({ keepIn })).lists.refresh
      yield* TestClock.adjust("1 hour")

      const restarted = yield* make({ keepIn })
      yield* restarted.answer(serving(addresses(1, 2, 3)))
      assert.strictEqual(yield* restarted.ask(FakeChain.address(3)), "listed")
      assert.strictEqual(yield* restarted.ask(CLEAR), "clear")
      assert.deepStrictEqual(yield* restarted.lists.age, Option.some({ checkedAt: 0 }))
      assert.include((yield* Effect.flip(restarted.lists.refresh)).detail, "lacks 7 of 10")
      // A refused list is not kept either.
      assert.strictEqual(yield* (yield* make({ keepIn })).ask(FakeChain.address(9)), "listed")
      const files = yield* FileSystem.FileSystem
      assert.deepStrictEqual(yield* files.readDirectory(keepIn.replace(/[^/]*$/, "")), ["last.json"])
    }).pipe(Effect.scoped, Effect.provide(environment))
  )

  it.effect("block after a week all the same", () =>
    Effect.gen(function* () {
      const keepIn = yield* fresh
      yield* (yield* make({ keepIn })).lists.refresh
      yield* TestClock.adjust("8 days")
      assert.strictEqual(yield* (yield* make({ keepIn })).ask(CLEAR), "unavailable")
    }).pipe(Effect.scoped, Effect.provide(environment))
  )

  it.effect("take a list of any day after a restart", () =>
    Effect.gen(function* () {
      const keepIn = yield* fresh
      const first = yield* make({ keepIn })
      yield* first.answer(serving(TEN, "12/31/2099"))
      yield* first.lists.refresh
      const restarted = yield* make({ keepIn })
      assert.deepStrictEqual(yield* restarted.lists.refresh, Option.some(10))
    }).pipe(Effect.scoped, Effect.provide(environment))
  )

  it.effect.each<readonly [string, string]>([
    ["no JSON", `{"checkedAt":0,"addre`],
    ["another shape", `{"checkedAt":"0","addresses":["${FakeChain.address(1)}"]}`],
    ["a line that is no address", `{"checkedAt":0,"addresses":["0x12"]}`],
    ["no addresses", `{"checkedAt":0,"addresses":[]}`],
    ["a time that has not come", `{"checkedAt":1,"addresses":["${FakeChain.address(1)}"]}`]
  ])("ignore a file with %s", ([, text]) =>
    Effect.gen(function* () {
      const stub = yield* make({ keepIn: yield* snapshotFile(text) })
      assert.deepStrictEqual(yield* stub.lists.age, Option.some({ checkedAt: undefined }))
      assert.deepStrictEqual(yield* stub.lists.refresh, Option.some(10))
    }).pipe(Effect.scoped, Effect.provide(environment))
  )

  it.effect("go on where the file cannot be written", () =>
    Effect.gen(function* () {
      const stub = yield* make({ keepIn: `${yield* fresh}/nowhere/last.json` })
      assert.deepStrictEqual(yield* stub.lists.refresh, Option.some(10))
      assert.strictEqual(yield* stub.ask(CLEAR), "clear")
    }).pipe(Effect.scoped, Effect.provide(environment))
  )
})

describe("KeptLists without a list", () => {
  it.effect("has no age, and refreshes nothing", () =>
    Effect.gen(function* () {
      const { lists } = yield* KeptLists.make({})
      assert.deepStrictEqual(yield* lists.age, Option.none())
      assert.deepStrictEqual(yield* lists.refresh, Option.none())
    }).pipe(Effect.provide(environment))
  )
})
