/** CoinGecko, against a stub that speaks its recorded shapes. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { FetchHttpClient, HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import * as CoinGecko from "../../../src/adapters/prices/CoinGecko.ts"
import * as Chains from "../../../src/adapters/memory/shared/Chains.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import * as Priority from "../../../src/ports/shared/Priority.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { type Answer, type Seen, StubServer } from "../../support/StubServer.ts"

const KEY = "k3y-of-the-operator"
const USD = 10n ** 18n
const LISTED = FakeChain.address(0xb1)
const POOLED = FakeChain.address(0xb2)
const THIN = FakeChain.address(0xb3)
/** Is on the chain's list. */
const OWN = FakeChain.address(0xd1)
const WETH = FakeChain.chain.wrappedNative
/** UNIX seconds. */
const NOW = 1_750_000_000

const chain = (id: number) => ({ ...FakeChain.chain, id, name: `chain ${id}` })
const environment = Layer.mergeAll(StubServer.layer, FetchHttpClient.layer, Chains.layer([chain(8453), chain(31337)]))

/** Answers both kinds of requests. */
const both =
  (listed: unknown, pooled: unknown) =>
  ({ path }: Seen): Answer => ({ status: 200, body: path.includes("/onchain/") ? pooled : listed })

const pools = (prices: Record<string, unknown>, reserves: Record<string, unknown>) => ({
  data: { id: "1", type: "simple_token_price", attributes: { token_prices: prices, total_reserve_in_usd: reserves } }
})
const lower = (address: string) => address.toLowerCase()

const make = Effect.gen(function* () {
  yield* TestClock.setTime(NOW * 1_000)
  const stub = yield* StubServer
  const { usd } = yield* CoinGecko.make({ apiKey: Redacted.make(KEY), baseUrl: `${stub.url}/api/v3` })
  const read = (...addresses: ReadonlyArray<typeof LISTED>) =>
    usd(
      8453,
      addresses.map((address) => ({ address, decimals: 18 }))
    )
  return { ...stub, usd, read }
})

describe("CoinGecko", () => {
  it.effect("does not make the prices of listed tokens wait for pools that are silent", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(NOW * 1_000)
      const { usd } = yield* CoinGecko.make({ apiKey: Redacted.make(KEY), baseUrl: "http://coingecko.test" })
      const reading = yield* Effect.forkChild(
        usd(
          8453,
          [LISTED, POOLED].map((address) => ({ address, decimals: 18 }))
        )
      )
      yield* TestClock.adjust("700 millis")
      yield* TestClock.adjust("300 millis")
      assert.deepStrictEqual([...(yield* Fiber.join(reading))], [[LISTED, USD]])
    }).pipe(
      Effect.provide(Chains.layer([chain(8453)])),
      Effect.provideService(
        HttpClient.HttpClient,
        HttpClient.make((request) =>
          request.url.includes("/onchain/")
            ? Effect.never
            : Effect.as(
                Effect.sleep("700 millis"),
                HttpClientResponse.fromWeb(
                  request,
                  Response.json({ [lower(LISTED)]: { usd: 1, last_updated_at: NOW } })
                )
              )
        )
      )
    )
  )

  it.effect("prices listed tokens exactly, and others by deep pools", () =>
    Effect.gen(function* () {
      const { answer, read, seen } = yield* make
      yield* answer(
        both(
          `{"${lower(LISTED)}":{"usd":1.000000000000000001,"last_updated_at":${NOW - 30}},"${lower(WETH)}":{"usd":3000,"last_updated_at":${NOW}}}`,
          pools(
            { [lower(POOLED)]: "0.5", [lower(THIN)]: "900" },
            { [lower(POOLED)]: "50000.0", [lower(THIN)]: "49999" }
          )
        )
      )
      const prices = yield* read(LISTED, NATIVE, WETH, POOLED, THIN)
      assert.deepStrictEqual(
        [...prices].toSorted(([a], [b]) => (a < b ? -1 : 1)),
        [
          [LISTED, USD + 1n],
          [POOLED, USD / 2n],
          [WETH, 3_000n * USD],
          [NATIVE, 3_000n * USD]
        ].toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)) as never
      )
      const [first, second] = yield* seen
      assert.include(first?.path, "/api/v3/simple/token_price/base?contract_addresses=")
      assert.include(second?.path, "/api/v3/onchain/simple/networks/base/token_price/")
      assert.notInclude(second?.path, lower(LISTED))
      assert.strictEqual(first?.headers.get("x-cg-pro-api-key"), KEY)
      assert.notInclude(`${first?.path}${second?.path}`, KEY)
    }).pipe(Effect.provide(environment))
  )

  it.effect("uses no stale, malformed, absent or hostile price", () =>
    Effect.gen(function* () {
      const { answer, read } = yield* make
      const at = (usd: unknown, last_updated_at: unknown = NOW) => ({ [lower(LISTED)]: { usd, last_updated_at } })
      for (const listed of [
        {},
        at(1, NOW - 3_601),
        at(1, NOW + 3_601),
        at(1, "now"),
        { [lower(LISTED)]: { usd: 1 } },
        at(null),
        at(-1),
        at(0),
        at("1e999"),
        at("9".repeat(40)),
        { [lower(LISTED)]: null },
        { [lower(POOLED)]: { usd: 1, last_updated_at: NOW } }
      ]) {
        for (const pooled of [pools({}, {}), pools({ [lower(LISTED)]: "5" }, {}), { data: null }, "<html>"]) {
          yield* answer(both(listed, pooled))
          yield* TestClock.adjust("31 seconds")
          yield* TestClock.setTime(NOW * 1_000)
          const { read: fresh } = yield* make
          assert.isUndefined((yield* fresh(LISTED)).get(LISTED), JSON.stringify([listed, pooled]))
        }
      }
      assert.strictEqual((yield* read()).size, 0)
    }).pipe(Effect.scoped, Effect.provide(environment))
  )

  it.effect("does not take a failed request for the absence of a price", () =>
    Effect.gen(function* () {
      const { answer, read } = yield* make
      const listed = { [lower(LISTED)]: { usd: 1, last_updated_at: NOW } }
      yield* answer(({ path }) => (path.includes("/onchain/") ? { status: 500 } : { status: 200, body: listed }))
      assert.deepStrictEqual([...(yield* read(LISTED, POOLED))], [[LISTED, USD]])
      yield* answer(both(listed, pools({ [lower(POOLED)]: "0.5" }, { [lower(POOLED)]: "50000" })))
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* read(POOLED)).get(POOLED), USD / 2n)
    }).pipe(Effect.provide(environment))
  )

  it.effect("asks a failing source for a token once in 5 seconds", () =>
    Effect.gen(function* () {
      const { answer, read, seen } = yield* make
      yield* answer(({ path }) => (path.includes("/onchain/") ? { status: 404 } : { status: 200, body: {} }))
      for (let second = 0; second < 5; second++) {
        assert.isUndefined((yield* read(POOLED)).get(POOLED))
        yield* TestClock.adjust("1 second")
      }
      assert.lengthOf(yield* seen, 2)
      yield* read(POOLED)
      assert.lengthOf(yield* seen, 4)
    }).pipe(Effect.provide(environment))
  )

  it.effect("spends nothing on retries of tokens whose pools it cannot ask for", () =>
    Effect.gen(function* () {
      const { answer, read, seen } = yield* make
      const price = pools({ [lower(POOLED)]: "0.5" }, { [lower(POOLED)]: "50000" })
      yield* answer(both({ [lower(LISTED)]: { usd: 1, last_updated_at: NOW } }, price))
      // One request alone, so that the last one is for the list of a token whose pools are then refused.
      yield* read(LISTED)
      for (let number = 0; number < 14; number++) yield* read(FakeChain.address(number + 1))
      assert.lengthOf(yield* seen, 29)
      assert.isUndefined((yield* read(POOLED)).get(POOLED))
      assert.lengthOf(yield* seen, 30)
      // 15 requests are restored: the retry takes one for the pools, and none for the list.
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual((yield* read(POOLED)).get(POOLED), USD / 2n)
      const paths = (yield* seen).slice(30).map(({ path }) => path.includes("/onchain/"))
      assert.deepStrictEqual(paths, [true])
    }).pipe(Effect.provide(environment))
  )

  it.effect("asks for the list again later", () =>
    Effect.gen(function* () {
      const { answer, read, seen } = yield* make
      yield* answer(both({}, pools({}, {})))
      yield* read(LISTED)
      for (let number = 0; number < 13; number++) yield* read(FakeChain.address(number + 1))
      yield* answer(both({ [lower(FakeChain.address(0x50))]: { usd: 1, last_updated_at: NOW } }, pools({}, {})))
      yield* read(FakeChain.address(0x50))
      assert.lengthOf(yield* seen, 29)
      yield* read(POOLED)
      assert.lengthOf(yield* seen, 30)
      yield* TestClock.adjust("31 seconds")
      yield* answer(both({ [lower(POOLED)]: { usd: 1, last_updated_at: NOW } }, pools({}, {})))
      assert.strictEqual((yield* read(POOLED)).get(POOLED), USD)
    }).pipe(Effect.provide(environment))
  )

  it.effect("leaves half of its budget to quotes while portfolios ask for unlisted tokens", () =>
    Effect.gen(function* () {
      const { answer, read, seen } = yield* make
      const price = pools({ [lower(POOLED)]: "0.5" }, { [lower(POOLED)]: "50000" })
      const own = { [lower(OWN)]: { usd: 1, last_updated_at: NOW } }
      yield* answer(both({}, price))
      const display = Priority.at("portfolio")
      for (let number = 0; number < 20; number++) yield* display(read(FakeChain.address(number + 1)))
      assert.lengthOf(yield* seen, 15)
      // Listed tokens of the chain are few, and the others beside them are skipped.
      yield* answer(both(own, price))
      assert.deepStrictEqual([...(yield* display(read(OWN, POOLED)))], [[OWN, USD]])
      // Skipping is not the absence of a price.
      assert.strictEqual((yield* Priority.at("quote")(read(POOLED))).get(POOLED), USD / 2n)
      assert.strictEqual((yield* display(read(POOLED))).get(POOLED), USD / 2n)
      assert.lengthOf(yield* seen, 18)
    }).pipe(Effect.provide(environment))
  )

  it.effect("asks for a quote that joins a portfolio's read which is refused", () =>
    Effect.gen(function* () {
      const { answer, read } = yield* make
      yield* answer(both({}, pools({ [lower(POOLED)]: "0.5" }, { [lower(POOLED)]: "50000" })))
      for (let number = 0; number < 8; number++) {
        yield* Priority.at("portfolio")(read(FakeChain.address(number + 1)))
      }
      const [displayed, quoted] = yield* Effect.all(
        [Priority.at("portfolio")(read(POOLED)), Priority.at("quote")(read(POOLED))],
        { concurrency: "unbounded" }
      )
      assert.isUndefined(displayed.get(POOLED))
      assert.strictEqual(quoted.get(POOLED), USD / 2n)
    }).pipe(Effect.provide(environment))
  )

  it.effect("fails typed, without key and body, when it does not answer", () =>
    Effect.gen(function* () {
      for (const failure of [
        { status: 401, body: KEY },
        { status: 429, headers: { "retry-after": "9" } },
        { status: 500, body: KEY },
        { status: 200, body: KEY },
        { status: 200, body: [KEY] },
        { status: 302, headers: { location: "/elsewhere" } }
      ]) {
        const { answer, read } = yield* make
        yield* answer(failure)
        const error = yield* Effect.flip(read(LISTED))
        assert.strictEqual(error._tag, "PricesUnavailable")
        assert.notInclude(error.message, KEY)
        assert.include(error.message, "coingecko")
      }
    }).pipe(Effect.scoped, Effect.provide(environment))
  )

  it.effect("is given up after a second", () =>
    Effect.gen(function* () {
      const { answer, read, seen } = yield* make
      yield* answer({ status: 200, silent: true })
      const reading = yield* Effect.forkChild(Effect.flip(read(LISTED)))
      while ((yield* seen).length === 0) yield* Effect.promise(() => new Promise((done) => setImmediate(done)))
      yield* TestClock.adjust("1 second")
      assert.include((yield* Fiber.join(reading)).message, "no answer")
    }).pipe(Effect.provide(environment))
  )

  it.effect("has no prices of chains that it does not serve", () =>
    Effect.gen(function* () {
      const { seen, usd } = yield* make
      assert.strictEqual((yield* usd(31337, [{ address: LISTED, decimals: 18 }])).size, 0)
      assert.lengthOf(yield* seen, 0)
    }).pipe(Effect.provide(environment))
  )
})
