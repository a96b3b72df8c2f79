/** Sales of fees on exchanges that do not answer, over a node that says what a test wants. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { decodeFunctionData, encodeFunctionResult, erc20Abi, getAbiItem, multicall3Abi, numberToHex } from "viem"
import * as VenueSales from "../../../src/adapters/prices/VenueSales.ts"
import { KnownPools } from "../../../src/adapters/swap/KnownPools.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { Chains, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { address, chain as template, client } from "../../support/FakeChain.ts"

const aggregateAbi = [getAbiItem({ abi: multicall3Abi, name: "aggregate3" })]

const TOKEN = address(0x71)
const PAIRS = address(0x21)
const QUOTER = address(0xc1)

/** New pools count, so no earlier block is read. */
const chain = {
  ...template,
  minPoolAgeSeconds: 0,
  swapRouter: address(0x22),
  quoter: QUOTER,
  venues: [{ name: "pairs", family: "uniswap-v2", router: PAIRS } as const]
}

const away = Effect.fail(new ChainUnavailable({ chainId: chain.id, method: "eth_call", detail: "away" }))

/** The answer to a call with reads of these contracts. Undefined: each of them reverts. */
type Node = (targets: ReadonlyArray<Address.Address>) => Effect.Effect<Hex, ChainUnavailable> | undefined

/** The sale of a token that the seller holds nothing of. */
const find = Effect.fnUntraced(function* (answers: Node) {
  const node = {
    ...client({
      call: ({ data = "0x", to }) => {
        if (to === TOKEN)
          return Effect.succeed(encodeFunctionResult({ abi: erc20Abi, functionName: "balanceOf", result: 0n }))
        const [reads] = decodeFunctionData({ abi: aggregateAbi, data }).args
        const targets = reads.map(({ target }) => Address.of(target))
        const isList = targets.every((target) => target === chain.contracts.guard)
        const result = reads.map(
          () => ({ success: isList, returnData: isList ? numberToHex(1, { size: 32 }) : "0x" }) as const
        )
        return (
          (isList ? undefined : answers(targets)) ??
          Effect.succeed(encodeFunctionResult({ abi: aggregateAbi, functionName: "aggregate3", result }))
        )
      }
    }),
    chain
  }
  const sales = yield* VenueSales.make.pipe(
    Effect.provide(KnownPools.layer),
    Effect.provideService(Chains, Chains.of({ all: [node], get: () => Effect.succeed(node) }))
  )
  const sale = { token: TOKEN, amount: 1_000n, seller: chain.feeRecipient, isHeld: false, beside: Effect.succeed(0n) }
  return yield* sales(node, sale)
})

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

  it.effect("is none if one exchange has no route and another one does not answer", () =>
    Effect.gen(function* () {
      let silent = 0
      const found = yield* find((targets) => {
        if (!targets.includes(QUOTER)) return undefined
        silent++
        return away
      })
      assert.deepStrictEqual([found, silent > 0], [Option.none(), true])
    })
  )
})
