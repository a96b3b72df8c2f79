/** The orchestrator refuses to start with settings that contradict each other, and says which. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Effect, FileSystem } from "effect"
import { databaseOfPublicChains } from "../../src/cli/DatabaseUrl.ts"
import { orchestratorChecks } from "../../src/cli/OrchestratorCommand.ts"
import * as Problems from "../../src/cli/Problems.ts"
import { chains } from "../../src/config/Chains.ts"
import { common } from "../../src/config/Common.ts"
import { orchestrator } from "../../src/config/Orchestrator.ts"
import { address } from "../support/FakeChain.ts"

const BASE = { id: 8_453, rpcUrls: ["http://127.0.0.1:1"], feeRecipient: address(0xf1), guardOwner: address(0x99) }
/** Without a quoter, and unknown to CoinGecko. */
const OTHER = {
  ...BASE,
  id: 4_242,
  name: "rehearsal",
  nativeSymbol: "ETH",
  wrappedNative: address(0xe1),
  sanctionsOracle: address(0xc4),
  confirmations: 1,
  blockTimeMillis: 1_000,
  stables: [],
  tokens: []
}
/** A feed of wrapped ether on Base. */
const FEED = { token: "0x4200000000000000000000000000000000000006", feed: address(0xfe), heartbeatSeconds: 3_600 }

/** Problems that a start with the settings tells. Empty if it would go on. */
const problems = Effect.fnUntraced(function* (
  settings: Readonly<Record<string, string>>,
  entries: ReadonlyArray<object> = [BASE]
) {
  const fs = yield* FileSystem.FileSystem
  const file = `${yield* fs.makeTempDirectoryScoped()}/chains.json`
  yield* fs.writeFileString(file, JSON.stringify(entries))
  const DATABASE_URL = "postgres://nobody@127.0.0.1:1/none"
  const env = { CHAINS_FILE: file, DATABASE_URL, RELAYER_KEYS: `0x${"11".repeat(32)}`, ...settings }
  return yield* Problems.check([common, chains, orchestrator], [...orchestratorChecks, databaseOfPublicChains]).pipe(
    Effect.as<ReadonlyArray<string>>([]),
    Effect.catchTag("WrongSettings", (wrong) => Effect.succeed(wrong.problems)),
    Effect.provide(ConfigProvider.layer(ConfigProvider.fromEnv({ env })))
  )
})

layer(BunServices.layer)("a start", (it) => {
  it.effect("goes on with the settings' defaults", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* problems({}), [])
    })
  )

  it.effect("is refused without a database if a public chain is served, and not on local networks", () =>
    Effect.gen(function* () {
      const [refused = "", ...others] = yield* problems({ DATABASE_URL: "" }, [OTHER, BASE])
      assert.deepStrictEqual(others, [])
      assert.match(refused, /^DATABASE_URL is not set, and the chains file has public chains \(base\)\. Set it to/)
      assert.deepStrictEqual(yield* problems({ DATABASE_URL: "", ACROSS_FIXED_FEE_BPS: "10" }, [OTHER]), [])
    })
  )

  it.effect("is refused if fees of a chain are to be sold into two tokens", () =>
    Effect.gen(function* () {
      const [one, two] = [`8453:${address(0x0a)}`, `8453:${address(0x0b)}`]
      assert.deepStrictEqual(yield* problems({ TREASURY_ASSETS: one }), [])
      assert.deepStrictEqual(yield* problems({ TREASURY_ASSETS: `${one},10:${address(0x0a)},${two}` }), [
        "TREASURY_ASSETS names chain 8453 twice. Name one token for each chain"
      ])
    })
  )

  it.effect("is refused if clients would refuse the deadline of every order", () =>
    Effect.gen(function* () {
      const of = (lifetime: string, grace: string) =>
        problems({ QUOTE_LIFETIME_SECONDS: lifetime, ORDER_GRACE_SECONDS: grace })
      assert.deepStrictEqual(yield* of("600", "3000"), [])
      assert.deepStrictEqual(yield* of("600", "3001"), [
        "QUOTE_LIFETIME_SECONDS (600) and ORDER_GRACE_SECONDS (3001) are 3601 s together, and clients refuse orders whose deadline is more than 3600 s ahead. Lower one of them"
      ])
    })
  )

  it.effect("is refused if valid quotes would be deleted", () =>
    Effect.gen(function* () {
      const of = (lifetime: string) =>
        problems({ QUOTE_LIFETIME_SECONDS: lifetime, ORDER_GRACE_SECONDS: "0", KEEP_QUOTES_HOURS: "1" })
      assert.deepStrictEqual(yield* of("3600"), [])
      assert.include(
        (yield* of("3601")).join("\n"),
        "QUOTE_LIFETIME_SECONDS (3601) is longer than KEEP_QUOTES_HOURS (3600 s)"
      )
    })
  )

  it.effect("is refused if no chain has as many sources of prices as must agree", () =>
    Effect.gen(function* () {
      const withFeeds = { ...BASE, priceFeeds: [FEED] }
      const few = [
        "PRICE_MIN_SOURCES is 3, and no chain has so many sources of prices (base: uniswap-v3 and chainlink), so that nothing could be quoted. Lower it, or add sources: PRICES=defillama, COINGECKO_API_KEY, or priceFeeds in the chains file"
      ]
      const of = (needed: string, more: Readonly<Record<string, string>> = {}) =>
        problems({ PRICE_MIN_SOURCES: needed, ...more }, [withFeeds])
      assert.deepStrictEqual(yield* of("2"), [])
      assert.deepStrictEqual(yield* of("3"), few)
      assert.deepStrictEqual(yield* of("3", { PRICES: "defillama" }), [])
      assert.deepStrictEqual(yield* of("3", { COINGECKO_API_KEY: "key" }), [])
      assert.deepStrictEqual(yield* of("4", { COINGECKO_API_KEY: "key", PRICES: "defillama" }), [])
    })
  )

  it.effect("goes on if one chain has enough sources, and refuses chains of which none has", () =>
    Effect.gen(function* () {
      const of = (...entries: ReadonlyArray<object>) =>
        problems({ PRICE_MIN_SOURCES: "2", COINGECKO_API_KEY: "key" }, entries)
      assert.deepStrictEqual(yield* of(BASE, OTHER), [])
      assert.include((yield* of(OTHER)).join("\n"), "no chain has so many sources of prices (rehearsal: none)")
      assert.deepStrictEqual(yield* problems({}, [OTHER]), [], "one is the default")
    })
  )
})
