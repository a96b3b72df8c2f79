import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Option, Schema } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import * as DefiLlama from "../../../src/adapters/prices/DefiLlama.ts"
import * as Address from "../../../src/domain/Address.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { Chains, UnsupportedChain } from "../../../src/ports/shared/Chains.ts"
import { Prices } from "../../../src/ports/orchestrator/Prices.ts"
import * as Priority from "../../../src/ports/shared/Priority.ts"
import * as PricesSuite from "../../ports/orchestrator/Prices.suite.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { type Answer, StubServer } from "../../support/StubServer.ts"

const USD = 10n ** 18n
const BASE = 8453

const base = Layer.succeed(Chains, {
  all: [],
  get: (chainId) =>
    chainId === BASE
      ? Effect.succeed({ ...FakeChain.client({}), chain: { ...FakeChain.chain, id: BASE, priceSlug: "base" } })
      : chainId === FakeChain.chain.id
        ? Effect.succeed(FakeChain.client({}))
        : Effect.fail(new UnsupportedChain({ chainId }))
})

const adapter = (options: Omit<DefiLlama.Options, "baseUrl"> = {}, server = StubServer.layer) =>
  Layer.unwrap(Effect.map(StubServer, ({ url }) => DefiLlama.layer({ baseUrl: url, ...options }))).pipe(
    Layer.provide(FetchHttpClient.layer),
    Layer.provide(base),
    Layer.provideMerge(server)
  )

const token = FakeChain.address(0xb1)
const key = (address: Address.Address) => `base:${address.toLowerCase()}`
const coin = { decimals: 18, symbol: "LST", price: 1.5, timestamp: 0, confidence: 0.99 }
const coins = (entries: Readonly<Record<string, object>>): Answer => ({ status: 200, body: { coins: entries } })

PricesSuite.suite(
  "DefiLlama",
  adapter(
    {},
    StubServer.answering(() =>
      coins({
        [key(FakeChain.chain.wrappedNative)]: { ...coin, price: 3_021.25 },
        [`base:${token}`]: coin,
        [key(FakeChain.address(0xd1))]: { ...coin, decimals: 6, price: 0.9998 }
      })
    )
  ),
  Effect.succeed({
    chainId: BASE,
    priced: [
      { address: NATIVE, decimals: 18, usd: (302_125n * USD) / 100n },
      { address: token, decimals: 18, usd: (15n * USD) / 10n },
      { address: FakeChain.address(0xd1), decimals: 6, usd: (9_998n * USD) / 10_000n }
    ],
    unpriced: { address: FakeChain.address(0xb2), decimals: 18 },
    toleranceBps: 0n
  })
)

const ask = (address = token, decimals = 18) =>
  Effect.map(
    Prices.use((prices) => prices.usd(BASE, [{ address, decimals }])),
    (prices) => prices.get(address)
  )

describe("DefiLlama", () => {
  it.effect("keeps every digit of a price, beyond what a double holds", () =>
    Effect.gen(function* () {
      const { answer } = yield* StubServer
      const body = `{"coins":{"${key(token)}":{"price":12345678.901234567890123456,"timestamp":0,"confidence":0.99}}}`
      yield* answer({ status: 200, body })
      assert.strictEqual(yield* ask(), 12_345_678_901_234_567_890_123_456n)
    }).pipe(Effect.provide(adapter()))
  )

  it.effect.each<readonly [string, object]>([
    ["stale", { ...coin, timestamp: -3_601 }],
    ["from the future", { ...coin, timestamp: 3_601 }],
    ["uncertain", { ...coin, confidence: 0.89 }],
    ["without a confidence", { ...coin, confidence: undefined }],
    ["for other decimals", { ...coin, decimals: 6 }],
    ["zero", { ...coin, price: 0 }],
    ["negative", { ...coin, price: -1 }],
    ["no number", { ...coin, price: null }],
    ["without an age", { ...coin, timestamp: undefined }],
    ["too small to be told from zero", { ...coin, price: 1e-19 }]
  ])("has no price that is %s", ([, entry]) =>
    Effect.gen(function* () {
      const { answer } = yield* StubServer
      yield* answer(coins({ [key(token)]: entry, [key(FakeChain.address(1))]: coin }))
      const wanted = [token, FakeChain.address(1)].map((address) => ({ address, decimals: 18 }))
      const prices = yield* (yield* Prices).usd(BASE, wanted)
      assert.deepStrictEqual(Array.from(prices.keys()), [FakeChain.address(1)])
    }).pipe(Effect.provide(adapter()))
  )

  it.effect("takes a price at the very edge of age and confidence", () =>
    Effect.gen(function* () {
      const { answer } = yield* StubServer
      yield* answer(coins({ [key(token)]: { ...coin, timestamp: -3_600, confidence: 0.9, decimals: undefined } }))
      assert.strictEqual(yield* ask(), (15n * USD) / 10n)
    }).pipe(Effect.provide(adapter()))
  )

  it.effect("asks for at most 40 tokens a call, and for each once", () =>
    Effect.gen(function* () {
      const { answer, seen } = yield* StubServer
      yield* answer(coins({}))
      const tokens = Array.from({ length: 90 }, (_, index) => ({ address: FakeChain.address(index), decimals: 18 }))
      yield* (yield* Prices).usd(BASE, [...tokens, ...tokens])
      const asked = (yield* seen).map(({ path }) => decodeURIComponent(path).replace("/prices/current/", "").split(","))
      assert.deepStrictEqual(
        asked.map((keys) => keys.length),
        [40, 40, 10]
      )
      assert.deepStrictEqual(
        asked.flat(),
        tokens.map(({ address }) => key(address))
      )
    }).pipe(Effect.provide(adapter()))
  )

  it.effect.each<readonly [string, Answer, string]>([
    ["500", { status: 500, body: "oops" }, "HTTP 500"],
    ["503", { status: 503 }, "HTTP 503"],
    ["404", { status: 404 }, "HTTP 404"],
    ["no JSON", { status: 200, body: "<html>" }, "malformed"],
    ["JSON of another shape", { status: 200, body: { prices: {} } }, "malformed"]
  ])("is unavailable on %s, and asks again next time", ([, answer, detail]) =>
    Effect.gen(function* () {
      const stub = yield* StubServer
      yield* stub.answer(answer)
      assert.include((yield* Effect.flip(ask())).message, detail)
      yield* stub.answer(coins({ [key(token)]: coin }))
      assert.strictEqual(yield* ask(), (15n * USD) / 10n)
    }).pipe(Effect.provide(adapter()))
  )

  it.effect.each<readonly [string, Readonly<Record<string, string>>, number]>([
    ["the time told", { "retry-after": "12" }, 12],
    ["its own time when told none", {}, 30],
    ["its own time when told nonsense", { "retry-after": "soon" }, 30],
    ["five minutes when told forever", { "retry-after": "86400" }, 300]
  ])("stays away after 429 for %s", ([, headers, seconds]) =>
    Effect.gen(function* () {
      const { answer, seen } = yield* StubServer
      yield* answer({ status: 429, headers })
      assert.include((yield* Effect.flip(ask())).message, "HTTP 429")
      yield* answer(coins({ [key(token)]: { ...coin, timestamp: seconds } }))
      yield* TestClock.adjust(`${seconds * 1_000 - 1} millis`)
      assert.include((yield* Effect.flip(ask())).message, "rate limited")
      assert.strictEqual((yield* seen).length, 1)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* ask(), (15n * USD) / 10n)
    }).pipe(Effect.provide(adapter()))
  )

  it.effect(
    "is asked for unlisted tokens of portfolios 300 times a minute, and for all others as often as they come",
    () =>
      Effect.gen(function* () {
        const { answer, seen } = yield* StubServer
        const unlisted = FakeChain.address(0x99)
        yield* answer(coins({ [key(token)]: coin, [key(unlisted)]: coin }))
        const display = Priority.at("portfolio")
        for (let number = 0; number < 301; number++) {
          yield* display(ask(Address.of(`0x${(number + 1).toString(16).padStart(40, "0")}`)))
        }
        assert.lengthOf(yield* seen, 300)
        assert.isUndefined(yield* display(ask(unlisted)))
        assert.strictEqual(yield* display(ask(token)), (15n * USD) / 10n)
        assert.strictEqual(yield* Priority.at("quote")(ask(unlisted)), (15n * USD) / 10n)
      }).pipe(Effect.provide(adapter()))
  )

  it.live("is unavailable when nothing comes", () =>
    Effect.gen(function* () {
      const { answer } = yield* StubServer
      yield* answer({ status: 200, silent: true })
      assert.include((yield* Effect.flip(ask())).message, "no answer within 50 ms")
    }).pipe(Effect.provide(adapter({ timeout: "50 millis" })))
  )

  it.effect("is unavailable for a chain that it has no name for", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip((yield* Prices).usd(31337, [{ address: token, decimals: 18 }]))
      assert.include(error.message, "chain 31337 has no `priceSlug` in the chains file")
    }).pipe(Effect.provide(adapter()))
  )

  it.effect("uses an answer again for its lifetime", () =>
    Effect.gen(function* () {
      const { answer, seen } = yield* StubServer
      yield* answer(coins({ [key(token)]: coin }))
      yield* ask()
      yield* ask()
      assert.strictEqual((yield* seen).length, 1)
      yield* TestClock.adjust("15 seconds")
      yield* ask()
      assert.strictEqual((yield* seen).length, 2)
    }).pipe(Effect.provide(adapter()))
  )
})

describe("DefiLlama.parsePrice", () => {
  it("reads the notations of JSON numbers", () => {
    for (const [text, price] of [
      ["1", USD],
      ["0.000000000000000001", 1n],
      ["1.5e3", 1_500n * USD],
      ["2E-18", 2n],
      ["1.9e-18", 1n]
    ] as const) {
      assert.deepStrictEqual(DefiLlama.parsePrice(text), Option.some(price), text)
    }
  })

  it("refuses what is no price, or would take forever to write out", () => {
    for (const text of [
      "",
      "-1",
      "0",
      "0.0",
      "1e-19",
      "1e999",
      "1e-999",
      "NaN",
      "Infinity",
      "0x1",
      " 1",
      "9".repeat(31)
    ]) {
      assert.isTrue(Option.isNone(DefiLlama.parsePrice(text)), text)
    }
  })

  const Scaled = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 1n, maximum: 10n ** 30n }))

  it.prop("is exact for any decimal of 18 places", [Scaled], ([scaled]) => {
    const digits = scaled.toString().padStart(19, "0")
    return Option.getOrUndefined(DefiLlama.parsePrice(`${digits.slice(0, -18)}.${digits.slice(-18)}`)) === scaled
  })
})
