import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { zeroHash } from "viem"
import * as NextBlock from "../../../../src/adapters/evm/chains/NextBlock.ts"
import type { Block } from "../../../../src/ports/shared/Chains.ts"
import { address } from "../../../support/FakeChain.ts"

const GWEI = 10n ** 9n

const head: Block = {
  number: 100n,
  hash: zeroHash,
  parentHash: zeroHash,
  timestamp: 5_000n,
  baseFeePerGas: 7n * GWEI,
  gasLimit: 30_000_000n
}

const lane = address(0x11)

const surround = (next: NextBlock.NextBlock, sender: typeof lane, gas: bigint) =>
  next.surround(() => next.reads.block("latest"), sender, gas)

/** Reads of a chain with blocks of two seconds, and the names of those that were asked. */
const scene = () => {
  const asked: Array<string> = []
  const said = <A>(name: string, answer: A) =>
    Effect.sync(() => {
      asked.push(name)
      return answer
    })
  const next = NextBlock.make(
    { id: 1, blockTimeMillis: 2_000 },
    {
      block: () => said("block", Option.some(head)),
      balance: (account) => said(`balance ${account === lane ? "lane" : "other"}`, 10n ** 18n),
      feesPerGas: said("fees", { baseFeePerGas: 1n, maxPriorityFeePerGas: 3n * GWEI, maxFeePerGas: 2n })
    }
  )
  return { asked, next }
}

describe("the next block", () => {
  it.effect("follows the head, at the price of its base fee and the last tip", () =>
    Effect.gen(function* () {
      const { next } = scene()
      yield* next.reads.feesPerGas
      const around = yield* surround(next, lane, 1_000_000n)
      assert.deepStrictEqual(around, {
        number: 101n,
        timestamp: 5_002n,
        fees: { baseFeePerGas: 7n * GWEI, maxPriorityFeePerGas: 3n * GWEI, maxFeePerGas: 17n * GWEI },
        balance: 10n ** 18n
      })
    })
  )

  it.effect("is known from what others read, and asked for when that is older than a block", () =>
    Effect.gen(function* () {
      const { asked, next } = scene()
      yield* surround(next, lane, 1n)
      assert.deepStrictEqual(asked.splice(0).toSorted(), ["balance lane", "block"])
      yield* TestClock.adjust(Duration.seconds(2))
      yield* surround(next, lane, 1n)
      assert.deepStrictEqual(asked.splice(0), [])
      yield* TestClock.adjust(Duration.seconds(2))
      yield* next.reads.block("latest")
      yield* surround(next, lane, 1n)
      assert.deepStrictEqual(asked.splice(0), ["block"])
      yield* TestClock.adjust(Duration.millis(2_001))
      yield* surround(next, lane, 1n)
      assert.deepStrictEqual(asked.splice(0), ["block"])
    })
  )

  it.effect("is not before that of any node, however old the head is", () =>
    Effect.gen(function* () {
      const { next } = scene()
      yield* next.reads.block("latest")
      yield* TestClock.adjust(Duration.millis(1_900))
      const { number, timestamp } = yield* surround(next, lane, 1n)
      assert.deepStrictEqual({ number, timestamp }, { number: 102n, timestamp: 5_004n })
    })
  )

  it.effect("has a sender who can pay for the gas of the call", () =>
    Effect.gen(function* () {
      const { next } = scene()
      const { balance, fees } = yield* surround(next, lane, 10n ** 9n)
      assert.strictEqual(balance, 10n ** 9n * fees.maxFeePerGas)
    })
  )

  it.effect("has the balance that was last read of a sender", () =>
    Effect.gen(function* () {
      let balance = 1n
      const next = NextBlock.make(
        { id: 1, blockTimeMillis: 2_000 },
        {
          block: () => Effect.succeedSome({ ...head, baseFeePerGas: 0n }),
          balance: () => Effect.sync(() => balance),
          feesPerGas: Effect.succeed({ baseFeePerGas: 0n, maxPriorityFeePerGas: 0n, maxFeePerGas: 0n })
        }
      )
      yield* next.reads.feesPerGas
      assert.strictEqual((yield* surround(next, lane, 1n)).balance, 1n)
      balance = 2n
      assert.strictEqual((yield* surround(next, lane, 1n)).balance, 1n)
      yield* next.reads.balance(lane)
      assert.strictEqual((yield* surround(next, lane, 1n)).balance, 2n)
    })
  )
})
