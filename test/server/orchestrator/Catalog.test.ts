/** GET /chains and GET /tokens. */
import { assert, describe, it } from "@effect/vitest"
import tokenListSchema from "@uniswap/token-lists/src/tokenlist.schema.json"
import { Ajv } from "ajv"
import addFormats from "ajv-formats"
import { Effect } from "effect"
import { NATIVE } from "../../../src/domain/Token.ts"
import { expectError } from "./Expect.ts"
import { serve } from "./Harness.ts"
import { chains } from "./Fixtures.ts"

interface Listed {
  readonly tokens: ReadonlyArray<{ readonly chainId: number; readonly symbol: string; readonly address: string }>
}

describe("GET /chains", () => {
  it.effect("names a paused chain as one where no sweep starts", () =>
    Effect.gen(function* () {
      const { call } = yield* serve({ pausedChains: [1] })
      const listed = (yield* call("/chains")).json as { readonly chains: ReadonlyArray<{ readonly features: unknown }> }
      assert.deepStrictEqual(listed.chains[0]?.features, {
        source: false,
        swap: false,
        bridgeDestinations: [],
        swapBeforeBridge: false
      })
    })
  )

  it.effect("tells what each chain is and can do", () =>
    Effect.gen(function* () {
      const { call } = yield* serve()
      const answer = yield* call("/chains")
      assert.strictEqual(answer.status, 200)
      assert.strictEqual(answer.headers.get("content-type"), "application/json")
      const listed = answer.json as { readonly chains: ReadonlyArray<{ readonly features: unknown }> }
      assert.deepStrictEqual<unknown>(listed.chains[0], {
        id: 1,
        name: "one",
        nativeSymbol: "ETH",
        wrappedNative: chains[0]?.wrappedNative,
        contracts: chains[0]?.contracts,
        explorerUrl: "https://one.example",
        blockTimeMillis: 1000,
        confirmations: 1,
        paused: false,
        features: { source: true, swap: true, bridgeDestinations: [2], swapBeforeBridge: true }
      })
      assert.deepStrictEqual(
        listed.chains.map(({ features }) => features),
        [
          { source: true, swap: true, bridgeDestinations: [2], swapBeforeBridge: true },
          { source: false, swap: false, bridgeDestinations: [], swapBeforeBridge: false },
          { source: true, swap: false, bridgeDestinations: [], swapBeforeBridge: false }
        ]
      )
    })
  )
})

describe("GET /tokens", () => {
  it.effect("is a token list by the official schema", () =>
    Effect.gen(function* () {
      const { call } = yield* serve()
      const ajv = addFormats.default(new Ajv({ allErrors: true, strict: false }))
      const validate = ajv.compile(tokenListSchema)
      for (const path of ["/tokens", "/tokens?chainId=1", "/tokens?chainId=3"]) {
        const { json } = yield* call(path)
        assert.isTrue(validate(json), JSON.stringify(validate.errors))
      }
    })
  )

  it.effect("lists native currencies and what is configured, of all chains or of one", () =>
    Effect.gen(function* () {
      const { call } = yield* serve()
      const listed = (path: string) =>
        Effect.map(call(path), ({ json }) =>
          (json as Listed).tokens.map(({ chainId, symbol }) => `${chainId}:${symbol}`)
        )
      const ofOne = ["1:ETH", "1:USDC", "1:USDT", "1:LST"]
      assert.deepStrictEqual(yield* listed("/tokens"), [...ofOne, "2:ETH", "3:ETH"])
      assert.deepStrictEqual(yield* listed("/tokens?chainId=1"), ofOne)
      assert.deepStrictEqual(yield* listed("/tokens?chainId=3"), ["3:ETH"])
      const { json } = yield* call("/tokens?chainId=1")
      assert.deepStrictEqual((json as Listed).tokens[0], {
        chainId: 1,
        address: NATIVE,
        symbol: "ETH",
        name: "ETH",
        decimals: 18,
        tags: ["native"],
        extensions: { tier: "tier1" }
      } as unknown)
    })
  )

  it.effect("knows no other chains", () =>
    Effect.gen(function* () {
      const { call } = yield* serve()
      expectError(yield* call("/tokens?chainId=9"), 404, "not found")
      for (const wrong of ["x", "-1", "0", "1.5", ""]) {
        const answer = yield* call(`/tokens?chainId=${wrong}`)
        assert.strictEqual(answer.status, 422, wrong)
        assert.match(answer.text, /^\{"error":"chainId: /)
      }
    })
  )
})

describe("both", () => {
  it.effect("can be cached and revalidated, also from browsers, and cost nothing of the rate limit", () =>
    Effect.gen(function* () {
      const { call } = yield* serve()
      for (const path of ["/chains", "/tokens", "/tokens?chainId=1"]) {
        const first = yield* call(path, { headers: { origin: "https://app.example" } })
        const age = path === "/chains" ? 5 : 300
        assert.strictEqual(first.headers.get("cache-control"), `public, max-age=${age}`)
        assert.isNull(first.headers.get("ratelimit"))
        assert.match(first.headers.get("access-control-expose-headers") ?? "", /ETag/)
        const etag = first.headers.get("etag") ?? ""
        assert.match(etag, /^W\/"[0-9a-f]{32}"$/)
        for (const known of [etag, `"other", ${etag}`, "*"]) {
          const again = yield* call(path, { headers: { "if-none-match": known } })
          assert.strictEqual(again.status, 304)
          assert.strictEqual(again.text, "")
          assert.strictEqual(again.headers.get("etag"), etag)
        }
        assert.strictEqual((yield* call(path, { headers: { "if-none-match": `"other"` } })).status, 200)
      }
    })
  )

  it.effect("have ETags that say what the answers say, not when they were made", () =>
    Effect.gen(function* () {
      const etagOf = (path: string) =>
        Effect.flatMap(serve(), ({ call }) => Effect.map(call(path), ({ headers }) => headers.get("etag")))
      assert.strictEqual(yield* etagOf("/tokens"), yield* etagOf("/tokens"))
      assert.notStrictEqual(yield* etagOf("/tokens"), yield* etagOf("/tokens?chainId=1"))
    })
  )
})
