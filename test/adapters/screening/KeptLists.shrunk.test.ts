/** Lists in a file of the operator that becomes much shorter, by damage or because its source did. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger, Option } from "effect"
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
