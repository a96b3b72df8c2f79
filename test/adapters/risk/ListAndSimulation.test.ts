import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer, Ref } from "effect"
import { SecureRandom } from "effect/crypto"
import {
  encodeAbiParameters,
  encodeFunctionData,
  encodeFunctionResult,
  multicall3Abi,
  parseAbi,
  stringToHex
} from "viem"
import { privateKeyToAccount } from "viem/accounts"
import * as MemoryRelayerKeys from "../../../src/adapters/memory/orchestrator/RelayerKeys.ts"
import * as ListAndSimulation from "../../../src/adapters/risk/ListAndSimulation.ts"
import * as Accounts from "../../../src/devnet/Accounts.ts"
import type * as Address from "../../../src/domain/Address.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { type ChainClient, Chains, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import type { SimulatedCall } from "../../../src/ports/shared/Simulation.ts"
import { type TokenDeclined, TokenRisk } from "../../../src/ports/orchestrator/TokenRisk.ts"
import * as TokenRiskSuite from "../../ports/orchestrator/TokenRisk.suite.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { chains, chainsWith, OneChain } from "../../support/OneChain.ts"

const adapterWith = (maxTransferFeeBps?: number) =>
  ListAndSimulation.layer(maxTransferFeeBps).pipe(
    Layer.provide([SecureRandom.layerWebCrypto, MemoryRelayerKeys.layer([Accounts.relayers()[0].address])])
  )
const adapter = adapterWith()

const [owner, other] = Accounts.users().map((account) => account.address) as [Address.Address, Address.Address]
const pauper = FakeChain.address(0x51)

/** Runs until it is out of gas. */
const GAS_BURNER: Hex = "0x5b600056"

const onChain = Effect.gen(function* () {
  const { node, tokens } = yield* OneChain
  const stuck = FakeChain.address(0x61)
  yield* node.ask("a token that nobody can move", (client) => client.setCode({ address: stuck, bytecode: NO_TRANSFER }))
  return {
    chainId: 31337,
    owner,
    pauper,
    native: { tier: "tier1", symbol: "ETH", decimals: 18 },
    sweepable: { address: tokens.WBTC, tier: "tier2", symbol: "WBTC", decimals: 8 },
    taxed: tokens.FOT,
    stuck,
    notAToken: FakeChain.address(0x52)
  } as const
}).pipe(Effect.orDie)

/** Returns 4096 for every call except `transfer`: a valid balance, but too many decimals for an unlisted token. */
const NO_TRANSFER: Hex = "0x60003560e01c63a9059cbb1460195761100060005260206000f35b60006000fd"

TokenRiskSuite.suite(
  "a real chain",
  adapter.pipe(
    Layer.provide(
      chainsWith((chain) => ({
        ...chain,
        tokens: [
          ...chain.tokens,
          { chainId: chain.id, address: FakeChain.address(0x61), symbol: "STUCK", name: "Stuck", decimals: 6 }
        ]
      }))
    ),
    Layer.provideMerge(OneChain.layer)
  ),
  onChain
)

const screen = (token: Address.Address, amount: bigint, from = owner) =>
  TokenRisk.use((risk) => risk.screenInput({ chainId: 31337, token, owner: from, amount }))

const reason = <A, R>(screened: Effect.Effect<A, TokenDeclined | ChainUnavailable, R>) =>
  Effect.map(Effect.flip(screened), (error) => (error._tag === "TokenDeclined" ? error.reason : error._tag))

layer(adapter.pipe(Layer.provideMerge(chains)))("ListAndSimulation on a real chain", (it) => {
  it.effect("tiers by the list: stables and the wrapped native, the rest of it", () =>
    Effect.gen(function* () {
      const { tokens } = yield* OneChain
      assert.deepStrictEqual(yield* screen(tokens.WETH, 1n), { tier: "tier1", symbol: "WETH", decimals: 18 })
      assert.deepStrictEqual(yield* screen(tokens.DAI, 1n), { tier: "tier1", symbol: "DAI", decimals: 18 })
      assert.deepStrictEqual(yield* screen(tokens.BLK, 1n), { tier: "tier2", symbol: "BLK", decimals: 18 })
    })
  )

  it.effect("takes a token whose transfer returns nothing", () =>
    Effect.gen(function* () {
      const { tokens } = yield* OneChain
      assert.deepStrictEqual(yield* screen(tokens.USDT, 5_000_000n), { tier: "tier1", symbol: "USDT", decimals: 6 })
    })
  )

  it.effect("measures what a token takes from a transfer, and declines it above the limit", () =>
    Effect.gen(function* () {
      const { tokens } = yield* OneChain
      const chains = yield* Chains
      const under = (limit: number) =>
        screen(tokens.FOT, 1_000n).pipe(
          Effect.provide(adapterWith(limit).pipe(Layer.provide(Layer.succeed(Chains, chains))))
        )
      assert.strictEqual((yield* under(100)).transferFeeBps, 100)
      assert.strictEqual(yield* reason(under(99)), "transfer_taxed")
    })
  )

  it.effect("declines a token that blocks its owner, or the fee recipient", () =>
    Effect.gen(function* () {
      const { node, deployer, tokens } = yield* OneChain
      const account = privateKeyToAccount(deployer.privateKey)
      const setBlocked = (blocked: Address.Address, value: boolean) =>
        node.ask("block", async (client) => {
          const hash = await client.sendTransaction({
            account,
            chain: client.chain,
            to: tokens.BLK,
            data: encodeFunctionData({
              abi: parseAbi(["function setBlocked(address account, bool blocked)"]),
              args: [blocked, value]
            })
          })
          await client.waitForTransactionReceipt({ hash })
        })
      for (const blocked of [owner, Accounts.feeRecipient().address]) {
        yield* setBlocked(blocked, true)
        assert.strictEqual(yield* reason(screen(tokens.BLK, 1n)), "transfer_fails")
        yield* setBlocked(blocked, false)
      }
      yield* screen(tokens.BLK, 1n)
    })
  )

  it.effect("declines an account without code, a contract that is no token, and one that runs out of gas", () =>
    Effect.gen(function* () {
      const { node, uniswap } = yield* OneChain
      const burner = FakeChain.address(0x62)
      yield* node.ask("burner", (client) => client.setCode({ address: burner, bytecode: GAS_BURNER }))
      for (const token of [other, uniswap.factory, burner]) {
        assert.strictEqual(yield* reason(screen(token, 1n)), "not_a_token")
      }
    })
  )

  it.effect("declines an account that is only delegated to a token", () =>
    Effect.gen(function* () {
      const { node, tokens } = yield* OneChain
      const delegated = FakeChain.address(0x63)
      const bytecode: Hex = `0xef0100${tokens.USDC.slice(2)}`
      yield* node.ask("delegate", (client) => client.setCode({ address: delegated, bytecode }))
      assert.strictEqual(yield* reason(screen(delegated, 0n)), "not_a_token")
    })
  )

  it.effect("compares the native balance with the amount, to the wei", () =>
    Effect.gen(function* () {
      const { node } = yield* OneChain
      const balance = yield* node.ask("balance", (client) => client.getBalance({ address: owner }))
      yield* screen(NATIVE, balance)
      assert.strictEqual(yield* reason(screen(NATIVE, balance + 1n)), "insufficient_balance")
    })
  )

  it.effect("lets the fee recipient itself sweep", () =>
    Effect.gen(function* () {
      const { fund, tokens } = yield* OneChain
      yield* fund(Accounts.feeRecipient().address, { token: "USDC", amount: 10n })
      yield* screen(tokens.USDC, 10n, Accounts.feeRecipient().address)
    })
  )
})

layer(
  adapter.pipe(
    Layer.provide(chainsWith((chain) => ({ ...chain, stables: [], tokens: [] }))),
    Layer.provideMerge(OneChain.layer)
  )
)("ListAndSimulation without a list, on a real chain", (it) => {
  it.effect("reads symbol and decimals from the token, and calls it tier3", () =>
    Effect.gen(function* () {
      const { tokens } = yield* OneChain
      assert.deepStrictEqual(yield* screen(tokens.WBTC, 1n), { tier: "tier3", symbol: "WBTC", decimals: 8 })
      assert.deepStrictEqual(yield* screen(tokens.USDT, 1n), { tier: "tier3", symbol: "USDT", decimals: 6 })
    })
  )
})

const word = (value: bigint): Hex => encodeAbiParameters([{ type: "uint256" }], [value])
const did = (returnData: Hex, success = true): SimulatedCall => ({ success, returnData, gasUsed: 50_000n })

describe("ListAndSimulation", () => {
  const unlisted = FakeChain.address(0x71)

  const metadata = (symbol: Hex, decimals: Hex, success = true): Partial<ChainClient> => ({
    code: () => Effect.succeed("0x6000"),
    call: () =>
      Effect.succeed(
        encodeFunctionResult({
          abi: multicall3Abi,
          functionName: "aggregate3",
          result: [
            { success, returnData: symbol },
            { success: true, returnData: decimals }
          ]
        })
      ),
    simulate: () => Effect.succeed([did(word(5n)), did(word(0n)), did(word(1n)), did(word(5n)), did(word(0n))])
  })
  const text = (symbol: string) => encodeAbiParameters([{ type: "string" }], [symbol])
  const on = (answers: Partial<ChainClient>) => adapter.pipe(Layer.provide(FakeChain.layer(answers)))

  it.effect("reads symbols that are strings, bytes32, missing or garbage", () =>
    Effect.gen(function* () {
      for (const [returned, symbol] of [
        [text("PEPE"), "PEPE"],
        [stringToHex("MKR", { size: 32 }), "MKR"],
        ["0x", "UNKNOWN"],
        [`0x${"ff".repeat(64)}`, "UNKNOWN"],
        [`0x${"ff".repeat(32)}`, "UNKNOWN"],
        [`0x${"00".repeat(32)}`, "UNKNOWN"]
      ] as const) {
        const profile = yield* screen(unlisted, 5n).pipe(Effect.provide(on(metadata(returned, word(9n)))))
        assert.deepStrictEqual(profile, { tier: "tier3", symbol, decimals: 9 })
      }
      const reverting = yield* screen(unlisted, 5n).pipe(Effect.provide(on(metadata("0x", word(9n), false))))
      assert.strictEqual(reverting.symbol, "UNKNOWN")
    })
  )

  it.effect("declines decimals that are missing or beyond 77", () =>
    Effect.gen(function* () {
      for (const decimals of ["0x", word(78n), word(2n ** 255n)] as const) {
        assert.strictEqual(
          yield* reason(screen(unlisted, 5n).pipe(Effect.provide(on(metadata(text("A"), decimals))))),
          "not_a_token"
        )
      }
    })
  )

  it.effect("reads what does not change once, and simulates every time", () =>
    Effect.gen(function* () {
      const reads = yield* Ref.make(0)
      const simulations = yield* Ref.make(0)
      const { call, simulate, ...rest } = metadata(text("A"), word(9n))
      const counting: Partial<ChainClient> = {
        ...rest,
        call: (request) =>
          Effect.andThen(
            Ref.update(reads, (n) => n + 1),
            call?.(request) ?? Effect.die("no call")
          ),
        simulate: (calls) =>
          Effect.andThen(
            Ref.update(simulations, (n) => n + 1),
            simulate?.(calls) ?? Effect.die("no simulation")
          )
      }
      yield* Effect.andThen(screen(unlisted, 5n), screen(unlisted, 5n)).pipe(Effect.provide(on(counting)))
      assert.deepStrictEqual([yield* Ref.get(reads), yield* Ref.get(simulations)], [1, 4])
    })
  )

  it.effect("says that the chain is unavailable, and nothing about the token, when the node does", () =>
    Effect.gen(function* () {
      const down = Effect.fail(new ChainUnavailable({ chainId: 31337, method: "any", detail: "down" }))
      for (const broken of [
        { code: () => down },
        { call: () => down },
        { simulate: () => down },
        { simulate: () => Effect.succeed([]) }
      ]) {
        const answers = { ...metadata(text("A"), word(9n)), ...broken }
        assert.strictEqual(yield* reason(screen(unlisted, 5n).pipe(Effect.provide(on(answers)))), "ChainUnavailable")
      }
      const elsewhere = TokenRisk.use((risk) => risk.screenInput({ chainId: 1, token: unlisted, owner, amount: 1n }))
      assert.strictEqual(yield* reason(elsewhere.pipe(Effect.provide(on({})))), "ChainUnavailable")
    })
  )
})
