import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import * as TokenLists from "../../../src/adapters/portfolio/TokenLists.ts"
import { StubServer } from "../../support/StubServer.ts"

const token = (byte: string, symbol: string) => ({
  chainId: 1,
  address: `0x${byte.repeat(20)}`,
  symbol,
  name: symbol,
  decimals: 18
})
const listOf = (...tokens: ReadonlyArray<unknown>) => ({ status: 200, body: { name: "A list", tokens } })

const make = Effect.fnUntraced(function* (...sources: ReadonlyArray<string>) {
  const { on, refresh } = yield* TokenLists.make({ sources })
  return { refresh, symbols: Effect.map(on(1), (tokens) => tokens.map(({ symbol }) => symbol)) }
})

const fileOf = Effect.fnUntraced(function* (content: string) {
  const files = yield* FileSystem.FileSystem
  const path = yield* files.makeTempFileScoped({ suffix: ".json" })
  yield* files.writeFileString(path, content)
  return path
})

const environment = Layer.mergeAll(StubServer.layer, FetchHttpClient.layer, BunServices.layer)

describe("TokenLists", () => {
  it.effect("reads files and URLs, the first entry of a token first", () =>
    Effect.gen(function* () {
      const { answer, url } = yield* StubServer
      yield* answer(listOf(token("a1", "SAME"), token("a2", "URL")))
      const path = yield* fileOf(JSON.stringify({ tokens: [token("a1", "FILE")] }))
      const { refresh, symbols } = yield* make(path, `${url}/list.json?key=s3cret`)
      assert.deepStrictEqual(yield* symbols, [])
      assert.isTrue(yield* refresh)
      assert.deepStrictEqual(yield* symbols, ["FILE", "URL"])
    }).pipe(Effect.provide(environment))
  )

  it.effect("keeps the last content of a list that fails in any way", () =>
    Effect.gen(function* () {
      const { answer, url } = yield* StubServer
      for (const failure of [
        { status: 404 },
        { status: 503 },
        { status: 429, headers: { "retry-after": "60" } },
        { status: 302, headers: { location: "/other" } },
        { status: 200, body: "<html>" },
        { status: 200, body: { tokens: "none" } },
        { status: 200, body: { tokens: [] } },
        listOf({ chainId: 1, address: "0x1" }, { error: "overloaded" }),
        { status: 200, body: `{"tokens":[]}${" ".repeat(17 * 1_048_576)}` }
      ]) {
        const { refresh, symbols } = yield* make(`${url}/list.json`)
        yield* answer(listOf(token("a1", "KEPT"), { chainId: 1, address: "0x1" }))
        assert.isTrue(yield* refresh)
        yield* answer(failure)
        assert.isFalse(yield* refresh)
        assert.deepStrictEqual(yield* symbols, ["KEPT"])
      }
    }).pipe(Effect.scoped, Effect.provide(environment))
  )

  it.effect("does without a file that is missing or is no list", () =>
    Effect.gen(function* () {
      const good = yield* fileOf(JSON.stringify({ tokens: [token("a1", "GOOD")] }))
      const { refresh, symbols } = yield* make(
        "/nowhere/list.json",
        yield* fileOf("{}"),
        yield* fileOf("no json"),
        good
      )
      assert.isFalse(yield* refresh)
      assert.deepStrictEqual(yield* symbols, ["GOOD"])
    }).pipe(Effect.provide(environment))
  )

  it("names no keys in logs", () => {
    assert.strictEqual(TokenLists.nameOf("https://user:pw@lists.example/a.json?key=s3cret"), "lists.example/a.json")
  })

  it.effect("reads again on schedule, and sooner after a failure", () =>
    Effect.gen(function* () {
      const path = yield* fileOf("{}")
      const files = yield* FileSystem.FileSystem
      const on = yield* TokenLists.live({ sources: [path], refreshMillis: 3_600_000 })
      /** File access needs turns of the event loop, which the test's clock does not give. */
      const until = (symbols: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          while ((yield* on(1)).map(({ symbol }) => symbol).join() !== symbols.join()) {
            yield* Effect.promise(() => new Promise((done) => setImmediate(done)))
            yield* TestClock.adjust("1 minute")
          }
        })
      yield* files.writeFileString(path, JSON.stringify({ tokens: [token("a1", "FIRST")] }))
      yield* until(["FIRST"])
      yield* files.writeFileString(path, JSON.stringify({ tokens: [token("a2", "NEXT")] }))
      yield* until(["NEXT"])
    }).pipe(Effect.provide(environment))
  )
})
