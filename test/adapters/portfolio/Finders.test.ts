/** Alchemy and GoldRush, against a stub that speaks their recorded shapes. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Logger, Redacted, References } from "effect"
import { FetchHttpClient, HttpClient, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import * as Alchemy from "../../../src/adapters/portfolio/Alchemy.ts"
import * as GoldRush from "../../../src/adapters/portfolio/GoldRush.ts"
import * as TokenFinder from "../../../src/adapters/portfolio/TokenFinder.ts"
import type { ChainId } from "../../../src/domain/ChainId.ts"
import { withLiveClock } from "../../support/LiveClock.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { StubServer } from "../../support/StubServer.ts"

const OWNER = FakeChain.address(0x51)
const KEY = "k3y-of-the-operator"
const A = FakeChain.address(0xa1)
const B = FakeChain.address(0xa2)

const on = (id: ChainId) => ({ ...FakeChain.client({}), chain: { ...FakeChain.chain, id } })

const make = {
  alchemy: (baseUrl: string) => Alchemy.make({ apiKey: Redacted.make(KEY), baseUrl }),
  goldrush: (baseUrl: string) => GoldRush.make({ apiKey: Redacted.make(KEY), baseUrl })
}

const alchemyToken = (address: string | null, changes: object = {}) => ({
  address: OWNER,
  network: "base-mainnet",
  tokenAddress: address,
  tokenBalance: "0x0de0b6b3a7640000",
  tokenMetadata: { name: "Token", symbol: "TKN", decimals: 18, logo: null },
  tokenPrices: [],
  ...changes
})
const alchemyPage = (tokens: ReadonlyArray<unknown>, pageKey?: string) => ({
  status: 200,
  body: { data: { tokens, ...(pageKey === undefined ? {} : { pageKey }) } }
})

const goldrushItem = (address: string, changes: object = {}) => ({
  contract_address: address,
  contract_decimals: 18,
  contract_name: "Token",
  contract_ticker_symbol: "TKN",
  native_token: false,
  is_spam: false,
  type: "dust",
  balance: "1000000000000000000",
  quote: 1.5,
  ...changes
})
const goldrushPage = (items: ReadonlyArray<unknown>) => ({ status: 200, body: { data: { items }, error: false } })

const told = { balance: 10n ** 18n, symbol: "TKN", name: "Token", decimals: 18 }

const environment = Layer.mergeAll(StubServer.layer, FetchHttpClient.layer)

describe("Alchemy", () => {
  it.effect("finds tokens on all pages, with the key in the path", () =>
    Effect.gen(function* () {
      const { answer, seen, url } = yield* StubServer
      yield* answer(({ body }) =>
        body.includes("pageKey") ? alchemyPage([alchemyToken(B)]) : alchemyPage([alchemyToken(A)], "next")
      )
      const finder = yield* make.alchemy(url)
      assert.deepStrictEqual(yield* finder.find(on(8453), OWNER), [
        { address: A, isSpam: false, told },
        { address: B, isSpam: false, told }
      ])
      const [first] = yield* seen
      assert.strictEqual(first?.path, `/${KEY}/assets/tokens/by-address`)
      assert.deepStrictEqual(JSON.parse(first?.body ?? "{}").addresses, [
        { address: OWNER, networks: ["base-mainnet"] }
      ])
    }).pipe(Effect.provide(environment))
  )

  it.effect("ends after a few pages, also when each names another", () =>
    Effect.gen(function* () {
      const { answer, seen, url } = yield* StubServer
      yield* answer(alchemyPage([alchemyToken(A)], "again"))
      yield* (yield* make.alchemy(url)).find(on(8453), OWNER)
      assert.strictEqual((yield* seen).length, 3)
    }).pipe(Effect.provide(environment))
  )

  it.effect("keeps the first page when the next one fails or is silent", () =>
    Effect.gen(function* () {
      const finder = yield* make.alchemy("http://alchemy.test")
      for (let times = 0; times < 2; times++) {
        const finding = yield* Effect.forkChild(finder.find(on(8453), OWNER))
        yield* TestClock.adjust("400 millis")
        yield* TestClock.adjust("250 millis")
        assert.deepStrictEqual(yield* Fiber.join(finding), [{ address: A, isSpam: false, told }])
      }
    }).pipe(
      Effect.provideServiceEffect(
        HttpClient.HttpClient,
        Effect.sync(() => {
          let asked = 0
          return HttpClient.make((request) => {
            asked += 1
            const answer = asked % 2 === 1 ? alchemyPage([alchemyToken(A)], "next") : { status: 500, body: "" }
            const response = HttpClientResponse.fromWeb(request, Response.json(answer.body, { status: answer.status }))
            return asked === 2 ? Effect.never : Effect.delay(Effect.succeed(response), "400 millis")
          })
        })
      )
    )
  )

  it.effect("leaves out what it cannot read: native currency, other networks, nothing, errors and nonsense", () =>
    Effect.gen(function* () {
      const { answer, url } = yield* StubServer
      yield* answer(
        alchemyPage([
          alchemyToken(null),
          alchemyToken(A, { network: "eth-mainnet" }),
          alchemyToken(A, { tokenBalance: "0x0" }),
          alchemyToken(A, { tokenBalance: "lots" }),
          alchemyToken(A, { tokenBalance: `0x${"f".repeat(65)}` }),
          alchemyToken("0x12"),
          { error: "unsupported" },
          17,
          alchemyToken(B, { tokenMetadata: { name: null, symbol: null, decimals: null } })
        ])
      )
      assert.deepStrictEqual(yield* (yield* make.alchemy(url)).find(on(8453), OWNER), [{ address: B, isSpam: false }])
    }).pipe(Effect.provide(environment))
  )
})

describe("GoldRush", () => {
  it.effect("finds tokens, with their spam flag and the key as a bearer token", () =>
    Effect.gen(function* () {
      const { answer, seen, url } = yield* StubServer
      yield* answer(
        goldrushPage([
          goldrushItem(A),
          goldrushItem(B, { is_spam: true }),
          goldrushItem(FakeChain.address(0xa3), { native_token: true }),
          goldrushItem(FakeChain.address(0xa4), { balance: "0" }),
          goldrushItem(FakeChain.address(0xa5), { balance: "1e18" }),
          goldrushItem(FakeChain.address(0xa6), { balance: "9".repeat(79) }),
          goldrushItem("nonsense"),
          null
        ])
      )
      assert.deepStrictEqual(yield* (yield* make.goldrush(url)).find(on(137), OWNER), [
        { address: A, isSpam: false, told },
        { address: B, isSpam: true, told }
      ])
      const [request] = yield* seen
      assert.strictEqual(request?.path, `/matic-mainnet/address/${OWNER}/balances_v2/`)
      assert.strictEqual(request?.headers.get("authorization"), `Bearer ${KEY}`)
    }).pipe(Effect.provide(environment))
  )
})

for (const name of ["alchemy", "goldrush"] as const) {
  describe(`the failures of ${name}`, () => {
    it.effect("are typed, and tell neither key nor body", () =>
      Effect.gen(function* () {
        const { answer, url } = yield* StubServer
        for (const failure of [
          { status: 401, body: `bad key ${KEY}` },
          { status: 429, headers: { "retry-after": "7" } },
          { status: 404, body: KEY },
          { status: 500, body: KEY },
          { status: 200, body: KEY },
          { status: 200, body: { data: { tokens: KEY, items: KEY } } },
          { status: 200, body: { data: null, error: true, error_message: KEY } },
          { status: 302, headers: { location: `http://127.0.0.1:1/${KEY}` } }
        ]) {
          yield* answer(failure)
          const finder = yield* make[name](url)
          const error = yield* Effect.flip(finder.find(on(8453), OWNER))
          assert.include(error.message, name)
          assert.notInclude(`${error.message} ${JSON.stringify(error)}`, KEY)
        }
      }).pipe(Effect.scoped, Effect.provide(environment))
    )

    it.effect("are no failure of a chain that it does not serve, or of an owner without tokens", () =>
      Effect.gen(function* () {
        const { answer, seen, url } = yield* StubServer
        yield* answer({ status: 200, body: { data: { tokens: [], items: [] }, error: false } })
        const finder = yield* make[name](url)
        assert.deepStrictEqual(yield* finder.find(on(8453), OWNER), [])
        assert.deepStrictEqual(yield* finder.find(on(31337), OWNER), [])
        assert.strictEqual((yield* seen).length, 1)
      }).pipe(Effect.provide(environment))
    )

    it.effect("leave the others alone: a silent source ends at its own deadline, and the log has no key", () => {
      const lines: Array<string> = []
      const logger = Logger.make(({ fiber, message }) => {
        lines.push(JSON.stringify([message, fiber.getRef(References.CurrentLogAnnotations)]))
      })
      return Effect.gen(function* () {
        const { answer, url } = yield* StubServer
        yield* answer({ status: 200, silent: true })
        const silent = yield* make[name](url)
        const found = yield* withLiveClock(
          TokenFinder.findAll(
            [silent, { name: "other", find: () => Effect.succeed([{ address: A, isSpam: false }]) }],
            on(8453),
            OWNER
          )
        )
        assert.deepStrictEqual([...found.keys()], [A])
        assert.include(lines.join(), "portfolio.source_unanswered")
        assert.notInclude(lines.join(), KEY)
      }).pipe(Effect.provide(Layer.merge(environment, Logger.layer([logger]))))
    })
  })
}

describe("merge", () => {
  it("has a token once, with the first metadata, as spam if one source says so", () => {
    const merged = TokenFinder.merge([
      [{ address: A, isSpam: false }],
      [{ address: A, isSpam: true, told }],
      [
        { address: A, isSpam: false, told: { ...told, symbol: "LATER" } },
        { address: B, isSpam: false }
      ]
    ])
    assert.deepStrictEqual(
      [...merged.values()],
      [
        { address: B, isSpam: false },
        { address: A, isSpam: true, told }
      ]
    )
  })

  it("takes what sources find in turn, what a provider has a balance of first, and spam last", () => {
    const [C, D, E] = [0xc1, 0xc2, 0xc3].map(FakeChain.address) as [typeof A, typeof A, typeof A]
    const plain = (address: typeof A) => ({ address, isSpam: false })
    const merged = TokenFinder.merge([
      [{ ...plain(C), isSpam: true }, plain(A), plain(D)],
      [plain(B), { ...plain(E), told }, { ...plain(D), told: { ...told, balance: 0n } }]
    ])
    assert.deepStrictEqual([...merged.keys()], [E, A, B, D, C])
  })
})
