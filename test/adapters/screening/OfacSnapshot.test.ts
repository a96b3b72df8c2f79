import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer, Logger } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import * as KeptLists from "../../../src/adapters/screening/KeptLists.ts"
import * as OfacSnapshot from "../../../src/adapters/screening/OfacSnapshot.ts"
import * as Accounts from "../../../src/devnet/Accounts.ts"
import * as Address from "../../../src/domain/Address.ts"
import { Screening } from "../../../src/ports/shared/Screening.ts"
import * as ScreeningSuite from "../../ports/shared/Screening.suite.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { fixture, outcome, rewrite, snapshotFile } from "./fixture.ts"
import { sdnXml } from "./sdnFixture.ts"

const screeningBy = (options: KeptLists.Options) => Effect.map(KeptLists.make(options), ({ screening }) => screening)

const snapshotLayer = (text: string) =>
  Layer.effect(
    Screening,
    Effect.flatMap(snapshotFile(text), (path) => screeningBy({ file: { path } }))
  ).pipe(Layer.provideMerge([BunServices.layer, FetchHttpClient.layer]), Layer.orDie)

ScreeningSuite.suite("a snapshot", snapshotLayer(`# listed\n${Accounts.sanctioned()} # here\n`), fixture)

describe("OfacSnapshot", () => {
  const listed = Address.of("0x8589427373D6D84E98730D7795D8f6f8731FDA16")
  const sdn = `<?xml version="1.0"?><sdnList><sdnEntry><idList>
    <id><uid>1</uid><idType>Digital Currency Address - XBT</idType><idNumber>12QtD5BFwRsdNsAZY76UVE1xyCGNTojH9h</idNumber></id>
    <id><uid>2</uid><idType>Digital Currency Address - ETH</idType><idNumber>${listed.toLowerCase()}</idNumber></id>
    <id><uid>3</uid><idType>Passport</idType><idNumber>0x1111111111111111111111111111111111111111</idNumber></id>
  </idList></sdnEntry></sdnList>`

  it.effect("reads the three formats alike", () =>
    Effect.gen(function* () {
      for (const text of [
        sdn,
        JSON.stringify([listed.toLowerCase()]),
        `\n# OFAC\n  ${listed.toLowerCase()} # eth\r\n`
      ]) {
        assert.deepStrictEqual(yield* OfacSnapshot.parse("file", text), new Set([listed]))
      }
    })
  )

  it.effect.each<readonly [string, string]>([
    ["an empty file", ""],
    ["comments alone", "# nothing\n"],
    ["an empty array", "[]"],
    ["a truncated address", `${listed}\n0x1234`],
    ["an error page", "<html><body>502 Bad Gateway</body></html>"],
    ["a cut-off SDN list", sdn.slice(0, sdn.indexOf("</sdnEntry>"))],
    ["addresses in XML of another kind", sdn.replace("<sdnList>", "<list>")],
    ["broken JSON", `["${listed}"`],
    ["JSON of another shape", `[{"address":"${listed}"}]`]
  ])("takes %s for no list", ([, text]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(OfacSnapshot.parse("file", text))
      assert.include(error.message, "sanctions snapshot file")
    })
  )

  it.live("blocks while the file is missing, malformed or stale, and clears as soon as it is right", () =>
    Effect.gen(function* () {
      const files = yield* FileSystem.FileSystem
      const path = yield* snapshotFile("no list")
      const screening = yield* screeningBy({ file: { path, reloadEvery: "0 millis" }, maxAge: "1 hour" })
      const ask = outcome(screening.clear(1, [FakeChain.address(1)]))
      assert.strictEqual(yield* ask, "unavailable")
      yield* files.writeFileString(path, listed)
      assert.strictEqual(yield* ask, "clear")
      yield* files.utimes(path, new Date(0), new Date(0))
      assert.strictEqual(yield* ask, "unavailable")
      assert.strictEqual(yield* outcome(screening.clear(1, [listed])), "listed")
      yield* files.remove(path)
      assert.strictEqual(yield* ask, "unavailable")
      yield* files.writeFileString(path, listed)
      assert.strictEqual(yield* ask, "clear")
    }).pipe(Effect.scoped, Effect.provide([BunServices.layer, FetchHttpClient.layer, Logger.layer([])]))
  )

  it.effect("uses what it read until it is time to read again", () =>
    Effect.gen(function* () {
      const path = yield* snapshotFile(FakeChain.address(1))
      const screening = yield* screeningBy({ file: { path, reloadEvery: "1 minute" } })
      yield* screening.clear(1, [FakeChain.address(2)])
      yield* rewrite(path, FakeChain.address(2))
      yield* screening.clear(1, [FakeChain.address(2)])
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* outcome(screening.clear(1, [FakeChain.address(2)])), "listed")
    }).pipe(Effect.scoped, Effect.provide([BunServices.layer, FetchHttpClient.layer]))
  )
})

describe("OfacSnapshot, when the file changes", () => {
  const addresses = (...numbers: ReadonlyArray<number>) => numbers.map(FakeChain.address)
  const FIVE = addresses(1, 2, 3, 4, 5)
  const other = FakeChain.address(0xff)
  const environment = Layer.mergeAll(BunServices.layer, FetchHttpClient.layer, Logger.layer([]))

  const watched = Effect.fnUntraced(function* (text: string) {
    const path = yield* snapshotFile(text)
    const screening = yield* screeningBy({ file: { path, reloadEvery: "0 millis" } })
    const ask = (address: Address.Address) => outcome(screening.clear(1, [address]))
    return { ask, path, rewrite: (next: string) => rewrite(path, next) }
  })

  it.effect.each<readonly [string, string, string]>([
    ["an SDN list that is being written", sdnXml(FIVE), sdnXml(FIVE).slice(0, 1_500)],
    ["a JSON array that is being written", JSON.stringify(FIVE), JSON.stringify(FIVE).slice(0, 60)],
    ["a file that is truncated", FIVE.join("\n"), ""]
  ])("keeps the last good copy beside %s, for 15 minutes", ([, whole, part]) =>
    Effect.gen(function* () {
      const { ask, rewrite: write } = yield* watched(whole)
      assert.strictEqual(yield* ask(FakeChain.address(5)), "listed")
      yield* write(part)
      assert.strictEqual(yield* ask(FakeChain.address(5)), "listed")
      assert.strictEqual(yield* ask(other), "clear")
      yield* TestClock.adjust("15 minutes")
      assert.strictEqual(yield* ask(other), "unavailable")
      yield* write(whole)
      assert.strictEqual(yield* ask(other), "clear")
      // The time counts from the first failure after a good copy.
      yield* write(part)
      assert.strictEqual(yield* ask(other), "clear")
    }).pipe(Effect.scoped, Effect.provide(environment))
  )

  it.effect("lists what a copy lacks that lost too much, and takes the age of the one before", () =>
    Effect.gen(function* () {
      const { ask, rewrite: write } = yield* watched(FIVE.join("\n"))
      yield* ask(other)
      yield* TestClock.adjust("4 days")
      yield* write(addresses(1, 2, 6).join("\n"))
      for (const address of addresses(1, 5, 6)) assert.strictEqual(yield* ask(address), "listed")
      assert.strictEqual(yield* ask(other), "clear")
      yield* TestClock.adjust("4 days")
      assert.strictEqual(yield* ask(other), "unavailable")
      yield* write(addresses(1, 2, 3, 4, 6).join("\n"))
      assert.strictEqual(yield* ask(FakeChain.address(5)), "clear")
      assert.strictEqual(yield* ask(other), "clear")
    }).pipe(Effect.scoped, Effect.provide(environment))
  )

  it.effect("takes a copy that lacks no more than the setting allows", () =>
    Effect.gen(function* () {
      const path = yield* snapshotFile(FIVE.join("\n"))
      const screening = yield* screeningBy({ file: { path, reloadEvery: "0 millis" }, maxRemovedPercent: 60 })
      yield* screening.clear(1, [other])
      yield* rewrite(path, addresses(1, 2).join("\n"))
      assert.strictEqual(yield* outcome(screening.clear(1, addresses(5))), "clear")
    }).pipe(Effect.scoped, Effect.provide(environment))
  )

  it.effect("takes a time of writing that has not come for none", () =>
    Effect.gen(function* () {
      const { ask, path } = yield* watched(sdnXml(FIVE))
      const files = yield* FileSystem.FileSystem
      const writtenIn = (millis: number) => files.utimes(path, new Date(millis), new Date(millis))
      // A file system whose clock leads by a moment.
      yield* writtenIn(60_000)
      assert.strictEqual(yield* ask(other), "clear")
      yield* writtenIn(3_600_000)
      assert.strictEqual(yield* ask(other), "unavailable")
      assert.strictEqual(yield* ask(FakeChain.address(1)), "listed")
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* ask(other), "clear")
    }).pipe(Effect.scoped, Effect.provide(environment))
  )
})
