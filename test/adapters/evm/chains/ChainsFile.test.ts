/** Messages about invalid chains files. */
import * as BunServices from "@effect/platform-bun/BunServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Path } from "effect"
import * as ChainsFile from "../../../../src/adapters/evm/chains/ChainsFile.ts"
import { KNOWN_CHAINS } from "../../../../src/catalog/KnownChains.ts"
import { NATIVE } from "../../../../src/domain/Token.ts"
import { address } from "../../../support/FakeChain.ts"

const RPC = "https://node.example/v1/SECRET"

const entry = { id: 8453, rpcUrls: [RPC], feeRecipient: address(0xf1), guardOwner: address(0x99) }

const decode = (entries: unknown) => ChainsFile.decode("chains.json", JSON.stringify(entries))

/** The message about a bad file: one line, without anything of an endpoint. */
const complaint = (decoding: ReturnType<typeof decode>) =>
  Effect.map(Effect.flip(decoding), ({ message }) => {
    assert.notInclude(message, "SECRET")
    assert.notInclude(message, "\n")
    assert.isTrue(message.startsWith("chains file chains.json: "), message)
    return message.slice("chains file chains.json: ".length)
  })

describe("a chains file", () => {
  it.effect("lists chains in the operator's order", () =>
    Effect.gen(function* () {
      const chains = yield* decode([{ ...entry, id: 10 }, entry])
      assert.deepStrictEqual(
        chains.map(({ id, name }) => [id, name]),
        [
          [10, "optimism"],
          [8453, "base"]
        ]
      )
      assert.deepStrictEqual(chains[0].rpcUrls, [RPC])
    })
  )

  it.effect("is complained of with every problem at once, each with its chain and field", () =>
    Effect.gen(function* () {
      const said = yield* complaint(
        decode([
          { ...entry, feeRecipient: "0x12", guardOwner: undefined, confirmations: 0 },
          { ...entry, id: 10, rpcUrls: [] },
          7
        ])
      )
      assert.strictEqual(
        said,
        "chain 8453: feeRecipient: expected an address: 0x followed by 40 hex digits; " +
          "chain 8453: guardOwner: missing key; " +
          "chain 8453: confirmations: expected a value greater than or equal to 1; " +
          "chain 10: rpcUrls.0: missing key; entry 3: expected object"
      )
    })
  )

  it.effect("with keys that mean nothing is refused, with the nearest right name", () =>
    Effect.gen(function* () {
      const contracts = { delegate: address(1), guard: address(2), entry: address(3), entrance: address(4) }
      assert.strictEqual(
        yield* complaint(decode([{ ...entry, confirmation: 30, wsurl: "ws://SECRET", colour: "red", contracts }])),
        "chain 8453: unknown key confirmation, did you mean confirmations?; " +
          "chain 8453: unknown key wsurl, did you mean wsUrl?; chain 8453: unknown key colour; " +
          "chain 8453: unknown key contracts.entrance"
      )
      assert.strictEqual(
        yield* complaint(decode([{ ...entry, rpcUrls: [], rpcUrl: RPC }])),
        "chain 8453: unknown key rpcUrl, did you mean rpcUrls?; chain 8453: rpcUrls.0: missing key"
      )
      assert.strictEqual(yield* complaint(decode([{ ...entry, [RPC]: 1 }])), "chain 8453: unknown key that is no name")
    })
  )

  it.effect("reads limits of money, and refuses those that contradict each other", () =>
    Effect.gen(function* () {
      const limits = {
        minLaneBalanceWei: "5",
        dailySpendCapWei: "6",
        maxFeePerGasWei: "9",
        minPriorityFeePerGasWei: "7",
        maxPriorityFeePerGasWei: "8",
        confirmationsByValue: [{ aboveUsd: 10_000.5, confirmations: 64 }]
      }
      const [settings] = yield* decode([{ ...entry, ...limits }])
      assert.deepInclude(settings, {
        minLaneBalanceWei: 5n,
        dailySpendCapWei: 6n,
        maxFeePerGasWei: 9n,
        minPriorityFeePerGasWei: 7n,
        maxPriorityFeePerGasWei: 8n,
        confirmationsByValue: [{ aboveUsd: 10_000.5, confirmations: 64 }]
      })
      assert.strictEqual(
        yield* complaint(decode([{ ...entry, ...limits, maxPriorityFeePerGasWei: "6" }])),
        "chain 8453: minPriorityFeePerGasWei is above maxPriorityFeePerGasWei"
      )
      assert.include(
        yield* complaint(decode([{ ...entry, confirmationsByValue: [{ aboveUSD: 1, confirmations: 64 }] }])),
        "unknown key confirmationsByValue.0.aboveUSD, did you mean aboveUsd?"
      )
      assert.include(yield* complaint(decode([{ ...entry, maxFeePerGasWei: 1 }])), "chain 8453: maxFeePerGasWei")
    })
  )

  it.effect("reads venues, and refuses those that contradict themselves", () =>
    Effect.gen(function* () {
      const venue = { name: "aerodrome", family: "solidly", router: address(0x0a), factory: address(0x0b) }
      const [settings] = yield* decode([{ ...entry, venues: [venue] }])
      assert.deepStrictEqual<unknown>(settings?.venues, [venue])
      assert.strictEqual(
        yield* complaint(decode([{ ...entry, venues: [venue, venue] }])),
        "chain 8453: venues: the name aerodrome is taken"
      )
      assert.include(
        yield* complaint(decode([{ ...entry, venues: [{ ...venue, feetiers: [100] }] }])),
        "unknown key venues.0.feetiers, did you mean feeTiers?"
      )
    })
  )

  it.effect("reads price feeds of listed tokens, and refuses others", () =>
    Effect.gen(function* () {
      const listed = KNOWN_CHAINS[8453]?.tokens[0]?.address
      const feed = { token: NATIVE, feed: address(0x0f), heartbeatSeconds: 1_200 }
      const other = { ...feed, token: listed }
      const [settings] = yield* decode([{ ...entry, priceFeeds: [feed, other], minPoolAgeSeconds: 0 }])
      assert.strictEqual(settings?.priceFeeds?.length, 2)
      assert.strictEqual(settings?.minPoolAgeSeconds, 0)
      assert.strictEqual(
        yield* complaint(decode([{ ...entry, priceFeeds: [feed, feed] }])),
        `chain 8453: priceFeeds: ${NATIVE} has two feeds`
      )
      const stranger = address(0x0a)
      assert.include(
        yield* complaint(decode([{ ...entry, priceFeeds: [{ ...feed, token: stranger }] }])),
        "is not on the chain's token list"
      )
      assert.include(
        yield* complaint(decode([{ ...entry, priceFeeds: [{ ...feed, heartbeat: 1 }] }])),
        "unknown key priceFeeds.0.heartbeat"
      )
    })
  )

  it.effect("may ask for more confirmations than the built-in rules by value", () =>
    Effect.gen(function* () {
      const rulesWith = (own: object) =>
        Effect.map(decode([{ ...entry, ...own }]), ([settings]) =>
          settings?.confirmationsByValue?.map(({ confirmations }) => confirmations)
        )
      assert.deepStrictEqual(yield* rulesWith({}), [30, 150])
      assert.deepStrictEqual(yield* rulesWith({ confirmations: 42 }), [150])
      assert.deepStrictEqual(yield* rulesWith({ confirmations: 150 }), [])
      assert.deepStrictEqual(yield* rulesWith({ confirmationsByValue: [] }), [])
    })
  )

  it.effect("may have a built-in venue as the first", () =>
    Effect.gen(function* () {
      const pancake = KNOWN_CHAINS[56]?.venues?.[0]
      const [settings] = yield* decode([{ ...entry, id: 56, swapRouter: pancake?.router, quoter: pancake?.quoter }])
      assert.strictEqual<unknown>(settings?.swapRouter, pancake?.router)
      assert.lengthOf(settings?.venues ?? [], (KNOWN_CHAINS[56]?.venues?.length ?? 0) - 1)
    })
  )

  it.effect("ties tokens of a chain to assets, if it lists them", () =>
    Effect.gen(function* () {
      const token = { chainId: 5, address: address(0xd1), symbol: "USDC", name: "USD Coin", decimals: 18 }
      const other = { ...entry, ...facts, assets: undefined, tokens: [token] }
      const assets = { USDC: address(0xd1), WETH: facts.wrappedNative }
      const [settings] = yield* decode([{ ...other, assets }])
      assert.deepStrictEqual<unknown>(settings?.assets, assets)
      assert.strictEqual(
        yield* complaint(decode([{ ...other, assets: { USDC: address(0xd2) } }])),
        `chain 5: assets: USDC is ${address(0xd2)}, which is not on the chain's token list`
      )
      assert.strictEqual(
        yield* complaint(decode([{ ...other, assets: { USDC: address(0xd1), DAI: address(0xd1) } }])),
        `chain 5: assets: ${address(0xd1)} is given to two assets`
      )
      // A list of the operator's own may lack tokens of the catalogue.
      yield* decode([{ ...entry, tokens: [{ ...token, chainId: 8453 }] }])
    })
  )

  it.effect("reads endpoints for broadcasting, and refuses their unknown keys", () =>
    Effect.gen(function* () {
      const urls = ["https://sequencer.example", { url: RPC, requestsPerSecond: 5 }]
      for (const key of ["broadcastUrls", "privateUrls"] as const) {
        const [settings] = yield* decode([{ ...entry, [key]: urls }])
        assert.deepStrictEqual<unknown>(settings?.[key], urls)
        assert.include(
          yield* complaint(decode([{ ...entry, [key]: [{ url: RPC, requestPerSecond: 5 }] }])),
          `unknown key ${key}.0.requestPerSecond, did you mean requestsPerSecond?`
        )
      }
      assert.include(yield* complaint(decode([{ ...entry, publicAfterSeconds: 0 }])), "publicAfterSeconds")
    })
  )

  it.effect("refuses unknown keys of tokens too, except those of token lists", () =>
    Effect.gen(function* () {
      const token = { chainId: 8453, address: address(0xd1), symbol: "USDC", name: "USD Coin", decimals: 6 }
      const listed = { ...token, logoURI: "https://logo.example/usdc.png", tags: ["stablecoin"], extensions: {} }
      yield* decode([{ ...entry, tokens: [token, listed] }])
      assert.strictEqual(
        yield* complaint(decode([{ ...entry, tokens: [token, { ...token, logoUrl: "x", tier: "tier1" }] }])),
        "chain 8453: unknown key tokens.1.logoUrl, did you mean logoURI?; chain 8453: unknown key tokens.1.tier"
      )
    })
  )

  it.effect("may state the limits of an endpoint", () =>
    Effect.gen(function* () {
      const limited = { url: RPC, requestsPerSecond: 25, computeUnitsPerSecond: 500 }
      const [chain] = yield* decode([{ ...entry, rpcUrls: [limited, RPC] }])
      assert.deepStrictEqual(chain.rpcUrls, [limited, RPC])
      assert.strictEqual(
        yield* complaint(decode([{ ...entry, rpcUrls: [{ ...limited, requestPerSecond: 5 }] }])),
        "chain 8453: unknown key rpcUrls.0.requestPerSecond, did you mean requestsPerSecond?"
      )
    })
  )

  it.effect("never repeats an endpoint, however wrong it is", () =>
    Effect.gen(function* () {
      for (const rpcUrls of [
        RPC,
        { url: RPC },
        [{ url: "ws://SECRET" }],
        [{ url: RPC, requestsPerSecond: 0 }],
        [{ requestsPerSecond: 5 }],
        ["node.example/SECRET"],
        ["ws://SECRET"],
        [RPC, 5]
      ]) {
        assert.match(yield* complaint(decode([{ ...entry, rpcUrls }])), /^chain 8453: rpcUrls/)
      }
      assert.include(yield* complaint(ChainsFile.decode("chains.json", `[{"rpcUrls": ["${RPC}"`)), "JSON")
      yield* complaint(decode([entry, entry]))
    })
  )

  const facts = { ...KNOWN_CHAINS[1], id: 5, name: "five", tokens: [] }
  const cases: ReadonlyArray<readonly [string, unknown, string]> = [
    ["no JSON", undefined, "is not a JSON array of at least one chain"],
    ["no array", {}, "is not a JSON array of at least one chain"],
    ["no chain", [], "is not a JSON array of at least one chain"],
    ["a chain twice", [entry, entry], "chain 8453 is listed twice"],
    ["a name twice", [entry, { ...entry, id: 10, name: "base" }], "the name base is given to two chains"],
    ["a name that no route hint can hold", [{ ...entry, name: "a->b" }], "chain 8453: name: expected a name"],
    ["a name that looks like an id", [{ ...entry, name: "10" }], "chain 8453: name: expected a name"],
    [
      "a token of another chain",
      [{ ...entry, ...facts, tokens: [{ chainId: 1, address: address(1), symbol: "T", name: "T", decimals: 1 }] }],
      "chain 5: the token T is of chain 1"
    ],
    ["an unknown chain without its facts", [{ ...entry, id: 5 }], "chain 5: name: missing key; chain 5: nativeSymbol"]
  ]

  it.effect.each(cases)("with %s is refused", ([, entries, expected]) =>
    Effect.gen(function* () {
      const said = yield* complaint(
        entries === undefined ? ChainsFile.decode("chains.json", "chains") : decode(entries)
      )
      assert.include(said, expected)
    })
  )

  it.layer(BunServices.layer)((it) => {
    it.effect("is read from where it is, and where it is not, the message says what to set", () =>
      Effect.gen(function* () {
        const fs = yield* FileSystem.FileSystem
        const path = yield* Path.Path
        const directory = yield* fs.makeTempDirectoryScoped()
        const file = path.join(directory, "chains.json")
        const { message } = yield* Effect.flip(ChainsFile.read(file))
        assert.strictEqual(
          message,
          `chains file ${file}: there is no such file; set CHAINS_FILE to the one that lists the chains`
        )
        assert.include((yield* Effect.flip(ChainsFile.read(directory))).message, "cannot be read")
        yield* fs.writeFileString(file, JSON.stringify([entry]))
        assert.strictEqual((yield* ChainsFile.read(file))[0].name, "base")
      })
    )
  })
})
