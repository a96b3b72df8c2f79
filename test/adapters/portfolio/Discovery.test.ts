/** Balances of tokens that token lists, other sources and users add to the operator's list. */
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { encodeFunctionResult, erc20Abi, pad, stringToHex, toHex } from "viem"
import * as MulticallBalances from "../../../src/adapters/portfolio/MulticallBalances.ts"
import type { TokenFinder } from "../../../src/adapters/portfolio/TokenFinder.ts"
import * as TransferLogs from "../../../src/adapters/portfolio/TransferLogs.ts"
import * as Address from "../../../src/domain/Address.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import type { TokenBalance } from "../../../src/ports/orchestrator/Balances.ts"
import { type ChainClient, ChainUnavailable, Chains } from "../../../src/ports/shared/Chains.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { withLiveClock } from "../../support/LiveClock.ts"
import { chains, OneChain } from "../../support/OneChain.ts"
import * as MulticallNode from "./multicallNode.ts"

const OWNER = FakeChain.address(0x51)
const OWN = FakeChain.address(0xb1)
const LISTED = FakeChain.address(0xa1)
const FOUND = FakeChain.address(0xa2)
const BURNER = FakeChain.address(0xa3)

const token = (balance: bigint, symbol = "TKN", decimals = 18n): MulticallNode.FakeToken => ({
  balance,
  symbol,
  decimals
})
const listed = [{ chainId: FakeChain.chain.id, address: LISTED, symbol: "LIST", name: "Listed", decimals: 6 }]
const finding = (name: string, ...found: Effect.Success<ReturnType<TokenFinder["find"]>>): TokenFinder => ({
  name,
  find: () => Effect.succeed(found)
})

const tell = ({ balance, isSpam, token: { decimals, symbol }, voucher }: TokenBalance) =>
  `${symbol} ${balance} ${decimals} ${voucher ?? "operator"}${isSpam === true ? " spam" : ""}`

const read = Effect.fnUntraced(function* (
  node: MulticallNode.Node,
  finders: ReadonlyArray<TokenFinder>,
  asked?: ReadonlyArray<typeof OWNER>
) {
  const { on } = yield* MulticallBalances.make({ listed: () => Effect.succeed(listed), finders }).pipe(
    Effect.provideService(Chains, { all: [node.client], get: () => Effect.succeed(node.client) })
  )
  return (yield* on(FakeChain.chain.id, OWNER, asked)).map(tell)
})

describe("MulticallBalances with other sources", () => {
  const told = { balance: 99n, symbol: "TOLD", name: "Told", decimals: 9 }

  it.effect("has a token of several sources once, with the chain's own balance", () =>
    Effect.gen(function* () {
      const node = MulticallNode.make({
        tokens: new Map([
          [OWN, token(1n)],
          [LISTED, token(2n)],
          [FOUND, token(3n, "REAL", 8n)]
        ])
      })
      const finders = [
        finding("one", { address: FOUND, isSpam: false, told }, { address: OWN, isSpam: true, told }),
        finding("two", { address: FOUND, isSpam: true, told }, { address: LISTED, isSpam: true, told }),
        finding("three", { address: NATIVE, isSpam: false, told })
      ]
      assert.deepStrictEqual(yield* read(node, finders, [FOUND, LISTED, OWN, NATIVE]), [
        "LST 1 18 operator spam",
        "LIST 2 6 list spam",
        "REAL 3 8 none spam"
      ])
    })
  )

  it.effect("leaves out what the owner does not hold, what is no token, and what has absurd decimals", () =>
    Effect.gen(function* () {
      const node = MulticallNode.make({
        tokens: new Map([
          [FakeChain.address(1), token(0n)],
          [FakeChain.address(2), { balance: 5n }],
          [FakeChain.address(3), token(5n, "HUGE", 2n ** 255n)],
          [FakeChain.address(4), token(5n, "D77", 77n)]
        ])
      })
      const asked = [1, 2, 3, 4, 5].map(FakeChain.address)
      assert.deepStrictEqual(yield* read(node, [], asked), ["D77 5 77 none"])
    })
  )

  it.effect("reads bytes32 symbols, 0 and 24 decimals, and bounds endless and deceptive texts", () =>
    Effect.gen(function* () {
      const text = (value: string) => encodeFunctionResult({ abi: erc20Abi, functionName: "symbol", result: value })
      const symbols: ReadonlyArray<readonly [{ readonly raw: `0x${string}` } | string, bigint, string]> = [
        [{ raw: stringToHex("MKR", { size: 32 }) }, 0n, "MKR 7 0 none"],
        ["LONG".repeat(100), 24n, `${"LONG".repeat(8)} 7 24 none`],
        ["B".repeat(100_000), 18n, "UNKNOWN 7 18 none"],
        ["\u202eCDSU\u0000", 18n, "CDSU 7 18 none"],
        [{ raw: "0x" }, 18n, "UNKNOWN 7 18 none"],
        [{ raw: `0x${"ff".repeat(32)}` }, 18n, "UNKNOWN 7 18 none"],
        [{ raw: `0x${text("cut").slice(2, 66)}${"ff".repeat(32)}` }, 18n, "UNKNOWN 7 18 none"]
      ]
      for (const [symbol, decimals, shown] of symbols) {
        const node = MulticallNode.make({ tokens: new Map([[FOUND, { balance: 7n, decimals, symbol }]]) })
        assert.deepStrictEqual(yield* read(node, [], [FOUND]), [shown])
      }
    })
  )

  it.effect("survives a found token that burns the gas of its call", () =>
    Effect.gen(function* () {
      const node = MulticallNode.make({
        tokens: new Map([
          [OWN, token(1n)],
          [FOUND, token(3n, "REAL")],
          [BURNER, { ...token(9n, "BURN"), burnsGas: true }]
        ])
      })
      const finder = finding("one", { address: BURNER, isSpam: false }, { address: FOUND, isSpam: false })
      assert.deepStrictEqual(yield* read(node, [finder]), ["LST 1 18 operator", "REAL 3 18 none"])
    })
  )

  it.effect("is not emptied by sources that fail, hang, or find endless tokens", () =>
    Effect.gen(function* () {
      const node = MulticallNode.make({
        tokens: new Map([
          [OWN, token(1n)],
          [FOUND, token(3n, "REAL")]
        ])
      })
      const finders: ReadonlyArray<TokenFinder> = [
        { name: "dead", find: () => Effect.fail({ message: "HTTP 500" }) },
        { name: "silent", find: () => Effect.never },
        finding("one", { address: FOUND, isSpam: false })
      ]
      assert.deepStrictEqual(yield* withLiveClock(read(node, finders)), ["LST 1 18 operator", "REAL 3 18 none"])
      const endless = finding(
        "endless",
        ...Array.from({ length: 10_000 }, (_, index) => ({
          address: `0x${index.toString(16).padStart(40, "c")}` as typeof OWNER,
          isSpam: false
        }))
      )
      node.requests.length = 0
      assert.deepStrictEqual(yield* read(node, [endless], [FOUND]), ["LST 1 18 operator", "REAL 3 18 none"])
      assert.isAtMost(node.requests.length, 3)
    })
  )

  it.effect("shows what providers tell while the chain does not answer, and fails without them", () =>
    Effect.gen(function* () {
      const node = MulticallNode.make({ tokens: new Map(), isDown: () => true })
      const finder = finding(
        "one",
        { address: FOUND, isSpam: true, told },
        { address: LISTED, isSpam: false, told },
        { address: BURNER, isSpam: false },
        { address: OWN, isSpam: false, told: { ...told, balance: 0n } }
      )
      assert.deepStrictEqual(yield* read(node, [finder]), ["LIST 99 6 list", "TOLD 99 9 none spam"])
      assert.strictEqual((yield* Effect.flip(read(node, [])))._tag, "BalancesUnavailable")
    })
  )

  it.effect("asks a token what it is once", () =>
    Effect.gen(function* () {
      const node = MulticallNode.make({ tokens: new Map([[FOUND, token(3n, "REAL")]]) })
      const { on } = yield* MulticallBalances.make().pipe(
        Effect.provideService(Chains, { all: [node.client], get: () => Effect.succeed(node.client) })
      )
      yield* on(FakeChain.chain.id, OWNER, [FOUND])
      node.requests.length = 0
      assert.deepStrictEqual((yield* on(FakeChain.chain.id, OWNER, [FOUND])).map(tell), ["REAL 3 18 none"])
      assert.deepStrictEqual(node.requests, [4, 1])
    })
  )
})

describe("TransferLogs", () => {
  const block = {
    number: 1_000n,
    timestamp: 0n,
    baseFeePerGas: 0n,
    gasLimit: 0n,
    hash: "0x",
    parentHash: "0x"
  } as const
  const log = (address: typeof OWNER, topics: number) => ({
    address,
    topics: Array.from({ length: topics }, () => "0x" as const),
    ...({ data: "0x", blockNumber: 1n, blockHash: "0x", transactionHash: "0x", logIndex: 0 } as const)
  })

  const finderOf = (client: ChainClient, blocks: number) =>
    Effect.provideService(TransferLogs.make(blocks), Chains, { all: [client], get: () => Effect.succeed(client) })

  it.effect("asks for transfers to the owner by any contract, and skips collectibles", () =>
    Effect.gen(function* () {
      const asked: Array<unknown> = []
      const client = FakeChain.client({
        recentHead: () => Effect.succeed(Option.some(block)),
        logs: (filter) => {
          asked.push(filter)
          return Effect.succeed({ logs: [log(FOUND, 3), log(LISTED, 4), log(FOUND, 3)] })
        }
      })
      const { find } = yield* finderOf(client, 100)
      assert.deepStrictEqual(yield* find(client, OWNER), [{ address: FOUND, isSpam: false }])
      assert.deepInclude(asked[0], { address: [], fromBlock: 901n, toBlock: 1_000n, order: "newest" })
    })
  )

  it.effect("asks once in some seconds for an owner, at once for another one, and again after a failure", () =>
    Effect.gen(function* () {
      let searches = 0
      let fails = true
      const client = FakeChain.client({
        recentHead: () => Effect.succeed(Option.some(block)),
        logs: () => {
          searches += 1
          return fails
            ? Effect.fail(new ChainUnavailable({ chainId: 1, method: "eth_getLogs", detail: "down" }))
            : Effect.succeed({ logs: [log(FOUND, 3)] })
        }
      })
      const { find } = yield* finderOf(client, 100)
      yield* Effect.flip(find(client, OWNER))
      fails = false
      yield* find(client, OWNER)
      yield* find(client, OWNER)
      assert.strictEqual(searches, 2)
      yield* find(client, LISTED)
      assert.strictEqual(searches, 3)
      yield* TestClock.adjust("16 seconds")
      yield* find(client, OWNER)
      assert.strictEqual(searches, 4)
    })
  )

  it.effect("keeps a bounded number of the tokens that were sent to an owner", () =>
    Effect.gen(function* () {
      const sent = Array.from({ length: 1_000 }, (_, index) => log(Address.of(pad(toHex(index + 1), { size: 20 })), 3))
      const client = FakeChain.client({
        recentHead: () => Effect.succeed(Option.some(block)),
        logs: () => Effect.succeed({ logs: sent })
      })
      assert.strictEqual((yield* (yield* finderOf(client, 100)).find(client, OWNER)).length, 300)
    })
  )

  it.effect("fails typed where the node does not grant it", () =>
    Effect.gen(function* () {
      const client = FakeChain.client({
        recentHead: () => Effect.succeed(Option.some(block)),
        logs: () =>
          Effect.fail(new ChainUnavailable({ chainId: 1, method: "eth_getLogs", detail: "specify an address" }))
      })
      const error = yield* Effect.flip((yield* finderOf(client, 2_000)).find(client, OWNER))
      assert.include(error.message, "specify an address")
    })
  )
})

layer(chains)("TransferLogs on a real chain", (it) => {
  it.effect("finds a token that was sent to the owner", () =>
    Effect.gen(function* () {
      const { chain, fund, tokens } = yield* OneChain
      yield* withLiveClock(Effect.orDie(fund(OWNER, { token: "DAI", amount: 5n })))
      const client = yield* (yield* Chains).get(chain.id)
      const found = yield* (yield* TransferLogs.make(1_000)).find(client, OWNER)
      assert.deepStrictEqual(found, [{ address: tokens.DAI, isSpam: false }])
    })
  )
})
