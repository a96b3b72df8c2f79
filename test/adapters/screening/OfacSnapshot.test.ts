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
import { fixture, outcome, snapshotFile } from "./fixture.ts"

const screeningBy = (options: KeptLists.Options) => Effect.map(KeptLists.make(options), ({ screening }) => screening)

/** Writing a file sets its time from the real clock, so the maximum age is long. */
const snapshotLayer = (text: string, options?: Omit<KeptLists.Options, "file">) =>
  Layer.effect(
    Screening,
    Effect.flatMap(snapshotFile(text), (path) => screeningBy({ ...options, file: { path } }))
  ).pipe(Layer.provideMerge([BunServices.layer, FetchHttpClient.layer]), Layer.orDie)

ScreeningSuite.suite(
  "a snapshot",
  snapshotLayer(`# listed\n${Accounts.sanctioned()} # here\n`, { maxAge: "100000 days" }),
  fixture
)

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
      const files = yield* FileSystem.FileSystem
      const path = yield* snapshotFile(FakeChain.address(1))
      const screening = yield* screeningBy({ file: { path, reloadEvery: "1 minute" }, maxAge: "100000 days" })
      yield* screening.clear(1, [FakeChain.address(2)])
      yield* files.writeFileString(path, FakeChain.address(2))
      yield* screening.clear(1, [FakeChain.address(2)])
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* outcome(screening.clear(1, [FakeChain.address(2)])), "listed")
    }).pipe(Effect.scoped, Effect.provide([BunServices.layer, FetchHttpClient.layer]))
  )
})
