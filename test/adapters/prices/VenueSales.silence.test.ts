/** Sales of fees on exchanges that do not answer, over a node that says what a test wants. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import {
  decodeFunctionData,
  encodeFunctionResult,
  erc20Abi,
  getAbiItem,
  maxUint256,
  multicall3Abi,
  numberToHex,
  toFunctionSelector,
  zeroHash
} from "viem"
import * as VenueSales from "../../../src/adapters/prices/VenueSales.ts"
import { KnownPools } from "../../../src/adapters/swap/KnownPools.ts"
import { uniswapV2RouterAbi } from "../../../src/adapters/swap/PairRouters.ts"
import * as Address from "../../../src/domain/Address.ts"
import { Hash, type Hex } from "../../../src/domain/Hex.ts"
import { type Block, Chains, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { address, chain as template, client } from "../../support/FakeChain.ts"

const aggregateAbi = [getAbiItem({ abi: multicall3Abi, name: "aggregate3" })]

const TOKEN = address(0x71)
const PAIRS = address(0x21)
const QUOTER = address(0xc1)

const chain = {
  ...template,
  swapRouter: address(0x22),
  quoter: QUOTER,
  venues: [{ name: "pairs", family: "uniswap-v2", router: PAIRS } as const]
}

const away = Effect.fail(new ChainUnavailable({ chainId: chain.id, method: "eth_call", detail: "away" }))

const DAY_SECONDS = 86_400

const LATEST = 1_000_000n

/** Blocks are a second apart. */
const blockAt = (number: bigint): Block => ({
  number,
  hash: Hash.make(zeroHash),
  parentHash: Hash.make(zeroHash),
  timestamp: number,
  baseFeePerGas: 1n,
  gasLimit: 30_000_000n
})

interface Read {
  readonly target: Address.Address
  readonly data: Hex
}

/** The answer to a call with these reads. Undefined: each of them reverts. */
type Node = (reads: ReadonlyArray<Read>) => Effect.Effect<Hex, ChainUnavailable> | undefined

const answersOf = (result: ReadonlyArray<{ readonly success: boolean; readonly returnData: Hex }>) =>
  Effect.succeed(encodeFunctionResult({ abi: aggregateAbi, functionName: "aggregate3", result }))

const NO_ANSWER = { success: false, returnData: "0x" } as const

const quote = getAbiItem({ abi: uniswapV2RouterAbi, name: "getAmountsOut" })
const quoteAbi = [quote]

const GET_AMOUNTS_OUT = toFunctionSelector(quote)

/** The exchange of pairs pays nine tenths of each amount, and another one has no route. */
const paying: Node = (reads) =>
  answersOf(
    reads.map(({ data, target }) => {
      if (target !== PAIRS || !data.startsWith(GET_AMOUNTS_OUT)) return NO_ANSWER
      const [amountIn] = decodeFunctionData({ abi: quoteAbi, data }).args
      const result = [amountIn, (amountIn / 10n) * 9n]
      return {
        success: true,
        returnData: encodeFunctionResult({ abi: quoteAbi, functionName: "getAmountsOut", result })
      }
    })
  )

interface Scene {
  /** Default: new pools count, so no earlier block is read. */
  readonly minPoolAgeSeconds?: number
  /** The answers of nodes in earlier blocks. Default: those in the latest one. */
  readonly before?: Node
  /** Ends when nodes tell their blocks. Default: at once. */
  readonly latest?: Effect.Effect<void, ChainUnavailable>
  /** Amount that others are to pay. Default: 0. */
  readonly beside?: bigint
}

/** The sale of a token that the seller holds nothing of. */
const find = Effect.fnUntraced(function* (
  now: Node,
  { before = now, beside = 0n, latest = Effect.void, minPoolAgeSeconds = 0 }: Scene = {}
) {
  const node = {
    ...client({
      block: (which) => Effect.as(latest, Option.some(blockAt(which === "latest" ? LATEST : which))),
      call: ({ block, data = "0x", to }) => {
        if (to === TOKEN)
          return Effect.succeed(encodeFunctionResult({ abi: erc20Abi, functionName: "balanceOf", result: 0n }))
        const [calls] = decodeFunctionData({ abi: aggregateAbi, data }).args
        const reads = calls.map((call) => ({ target: Address.of(call.target), data: call.callData }))
        if (reads.every(({ target }) => target === chain.contracts.guard))
          return answersOf(reads.map(() => ({ success: true, returnData: numberToHex(1, { size: 32 }) })))
        const answers = typeof block === "bigint" ? before : now
        return answers(reads) ?? answersOf(reads.map(() => NO_ANSWER))
      }
    }),
    chain: { ...chain, minPoolAgeSeconds }
  }
  const sales = yield* VenueSales.make.pipe(
    Effect.provide(KnownPools.layer),
    Effect.provideService(Chains, Chains.of({ all: [node], get: () => Effect.succeed(node) }))
  )
  const sale = { token: TOKEN, amount: 1_000n, seller: chain.feeRecipient, isHeld: false }
  return yield* sales(node, { ...sale, beside: Effect.succeed(beside) })
})

const atMost = (found: Option.Option<{ readonly atMost: bigint }>) =>
  Option.getOrUndefined(Option.map(found, (offer) => offer.atMost))

describe("the sale of a fee", () => {
  it.effect("is none if each exchange says that it has no route", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* find(() => undefined), Option.none())
    })
  )

  it.effect("is not known while no exchange answers", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(find(() => away))
      assert.strictEqual(failure._tag, "ChainUnavailable")
      assert.include(failure.message, "away")
    })
  )

  it.effect("is not known if no exchange answers in time", () =>
    Effect.gen(function* () {
      const finding = yield* Effect.forkChild(Effect.flip(find(() => Effect.never)))
      yield* TestClock.adjust("1 second")
      const failure = yield* Fiber.join(finding)
      assert.strictEqual(failure._tag, "ChainUnavailable")
      assert.include(failure.message, "no answer within 1000 ms")
    })
  )

  it.effect("is not known if one exchange has no route and another one does not answer", () =>
    Effect.gen(function* () {
      const asksQuoter = (reads: ReadonlyArray<Read>) => reads.some(({ target }) => target === QUOTER)
      const failure = yield* Effect.flip(find((reads) => (asksQuoter(reads) ? away : undefined)))
      assert.include(failure.message, "away")
      // An offer counts, whatever another exchange would pay.
      assert.strictEqual(atMost(yield* find((reads) => (asksQuoter(reads) ? away : paying(reads)))), 900n)
    })
  )
})

describe("the sale of a fee by what an exchange paid before", () => {
  const found = (scene: Scene) => find(paying, { minPoolAgeSeconds: DAY_SECONDS, ...scene })

  it.effect("is there if it paid as much, and none if it paid nothing or the node has no old state", () =>
    Effect.gen(function* () {
      assert.strictEqual(atMost(yield* found({})), 900n)
      assert.deepStrictEqual(yield* found({ before: () => undefined }), Option.none())
      assert.deepStrictEqual(yield* found({ before: () => away }), Option.none())
    })
  )

  it.effect("is not known while the node of old states does not answer in time", () =>
    Effect.gen(function* () {
      const finding = yield* Effect.forkChild(Effect.flip(found({ before: () => Effect.never })))
      yield* TestClock.adjust("999 millis")
      assert.isUndefined(finding.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.include((yield* Fiber.join(finding)).message, "no answer within 1000 ms")
    })
  )

  it.effect("is not known while the node does not tell the earlier blocks", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(found({ latest: away }))
      assert.include(failure.message, "away")
    })
  )
})

describe("the sale of a fee beside others", () => {
  it.effect("is none, and nothing is asked, if they are more than a word of the ABI has", () =>
    Effect.gen(function* () {
      let asked = 0
      const counted: Node = (reads) => {
        asked++
        return paying(reads)
      }
      const first = { beside: maxUint256 - 999n }
      assert.deepStrictEqual(yield* find(counted, first), Option.none())
      assert.strictEqual(asked, 0)
      yield* find(counted, { beside: maxUint256 - 1_000n })
      assert.isAbove(asked, 0)
    })
  )
})
