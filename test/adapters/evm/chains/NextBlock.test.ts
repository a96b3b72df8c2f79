import { assert, describe, it } from "@effect/vitest"
import { Duration, Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { numberToHex, zeroHash } from "viem"
import * as NextBlock from "../../../../src/adapters/evm/chains/NextBlock.ts"
import * as Choice from "../../../../src/adapters/evm/rpc/Choice.ts"
import type { Endpoint } from "../../../../src/adapters/evm/rpc/JsonRpc.ts"
import type { Block } from "../../../../src/ports/shared/Chains.ts"
import { address } from "../../../support/FakeChain.ts"

const GWEI = 10n ** 9n

/** Milliseconds. */
const HOUR = 3_600_000

const head: Block = {
  number: 100n,
  hash: zeroHash,
  parentHash: zeroHash,
  timestamp: 5_000n,
  baseFeePerGas: 7n * GWEI,
  gasLimit: 30_000_000n
}

const lane = address(0x11)

const settingOf = (next: NextBlock.NextBlock, block: "next" | "other" = "next") =>
  next.settingOf(() => next.reads.block("latest"), lane, block)

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
      const around = yield* settingOf(next)
      assert.deepStrictEqual(around, {
        number: 101n,
        timestamp: 5_002n,
        baseFeePerGas: 7n * GWEI,
        tip: 3n * GWEI,
        coinbase: undefined,
        randomness: undefined,
        balance: 10n ** 18n
      })
    })
  )

  it.effect("is known from what others read, and asked for when that is older than a block", () =>
    Effect.gen(function* () {
      const { asked, next } = scene()
      yield* settingOf(next)
      assert.deepStrictEqual(asked.splice(0).toSorted(), ["balance lane", "block"])
      yield* TestClock.adjust(Duration.seconds(2))
      yield* settingOf(next)
      assert.deepStrictEqual(asked.splice(0), [])
      yield* TestClock.adjust(Duration.seconds(2))
      yield* next.reads.block("latest")
      yield* settingOf(next)
      assert.deepStrictEqual(asked.splice(0), ["block"])
      yield* TestClock.adjust(Duration.millis(2_001))
      yield* settingOf(next)
      assert.deepStrictEqual(asked.splice(0), ["block"])
    })
  )

  it.effect("is not before that of any node, however old the head is", () =>
    Effect.gen(function* () {
      const { next } = scene()
      yield* next.reads.block("latest")
      yield* TestClock.adjust(Duration.millis(1_900))
      const { number, timestamp } = yield* settingOf(next)
      assert.deepStrictEqual({ number, timestamp }, { number: 102n, timestamp: 5_004n })
    })
  )

  it.effect("is not in the past of a node that is further than the endpoint which limits the head", () =>
    Effect.gen(function* () {
      for (const [behindMillis, blocks, seconds] of [
        [1_900, 1n, 2n],
        [2_000, 2n, 4n],
        [60_000, 31n, 62n],
        // A chain that stands, or a clock that is wrong.
        [2 * HOUR, 301n, 602n]
      ] as const) {
        yield* TestClock.setTime(Number(head.timestamp) * 1_000 + behindMillis)
        const { number, timestamp } = yield* settingOf(scene().next)
        assert.deepStrictEqual({ number, timestamp }, { number: 100n + blocks, timestamp: 5_000n + seconds })
      }
    })
  )

  it.effect("follows a head that is read again after the clock was set back", () =>
    Effect.gen(function* () {
      const { asked, next } = scene()
      yield* TestClock.setTime(2 * HOUR)
      yield* settingOf(next)
      asked.length = 0
      yield* TestClock.setTime(HOUR)
      const { number, timestamp } = yield* settingOf(next)
      assert.deepStrictEqual({ number, timestamp }, { number: 101n, timestamp: 5_002n })
      assert.deepStrictEqual(asked, ["block"])
    })
  )

  it.effect("is not before the head if the clock is set back meanwhile", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(2 * HOUR)
      const next = NextBlock.make(
        { id: 1, blockTimeMillis: 2_000 },
        {
          block: () => Effect.succeedSome(head),
          balance: () => Effect.as(TestClock.setTime(HOUR), 1n),
          feesPerGas: Effect.succeed({ baseFeePerGas: 0n, maxPriorityFeePerGas: 0n, maxFeePerGas: 0n })
        }
      )
      yield* next.reads.block("latest")
      const { number, timestamp } = yield* settingOf(next)
      assert.deepStrictEqual({ number, timestamp }, { number: 101n, timestamp: 5_002n })
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
      assert.strictEqual((yield* settingOf(next)).balance, 1n)
      balance = 2n
      assert.strictEqual((yield* settingOf(next)).balance, 1n)
      yield* next.reads.balance(lane)
      assert.strictEqual((yield* settingOf(next)).balance, 2n)
    })
  )
})

describe("the memory of the next block", () => {
  const only: Endpoint = { name: "liar", request: () => Effect.never, requestAll: () => Effect.never }

  it.effect("keeps no answer of an endpoint that is asked alone", () =>
    Effect.gen(function* () {
      let isLying = false
      const honestOr = <A>(honest: A, lie: A) => Effect.sync(() => (isLying ? lie : honest))
      const next = NextBlock.make(
        { id: 1, blockTimeMillis: 2_000 },
        {
          block: () => honestOr(Option.some(head), Option.some({ ...head, number: 50n, timestamp: 9_000_000n })),
          balance: () => honestOr(5n, 0n),
          feesPerGas: honestOr(
            { baseFeePerGas: 1n, maxPriorityFeePerGas: 3n * GWEI, maxFeePerGas: 2n },
            { baseFeePerGas: 1n, maxPriorityFeePerGas: 900n * GWEI, maxFeePerGas: 2n }
          )
        }
      )
      yield* next.reads.feesPerGas
      const before = yield* settingOf(next)
      isLying = true
      yield* Effect.provideService(
        Effect.all([next.reads.block("latest"), next.reads.balance(lane), next.reads.feesPerGas]),
        Choice.Current,
        { only, answered: new Set<Endpoint>() }
      )
      assert.deepStrictEqual(yield* settingOf(next), before)
    })
  )
})

describe("another block", () => {
  const RANDOMNESS = `0x${"9d".repeat(32)}` as const

  /** Settings of many other blocks after blocks of two proposers. */
  const many = (randomness: Block["randomness"]) =>
    Effect.gen(function* () {
      let latest: Block = { ...head, ...(randomness === undefined ? {} : { randomness }), coinbase: address(0xc1) }
      const next = NextBlock.make(
        { id: 1, blockTimeMillis: 2_000 },
        {
          block: () => Effect.succeedSome(latest),
          balance: () => Effect.succeed(10n ** 18n),
          feesPerGas: Effect.succeed({ baseFeePerGas: 1n, maxPriorityFeePerGas: 4n * GWEI, maxFeePerGas: 2n })
        }
      )
      yield* next.reads.feesPerGas
      yield* next.reads.block("latest")
      latest = { ...latest, coinbase: address(0xc2) }
      yield* next.reads.block("latest")
      return yield* Effect.replicateEffect(settingOf(next, "other"), 200)
    })

  it.effect("differs in everything that a contract can read, within what the next block may be", () =>
    Effect.gen(function* () {
      const settings = yield* many(RANDOMNESS)
      for (const { baseFeePerGas, number, randomness, timestamp, tip } of settings) {
        assert.isTrue(baseFeePerGas >= (7n * GWEI * 7n) / 8n && baseFeePerGas <= (7n * GWEI * 9n) / 8n)
        assert.isTrue(tip >= 4n * GWEI && tip <= 5n * GWEI)
        assert.isTrue(number === undefined || (number >= 102n && number <= 104n))
        assert.strictEqual(timestamp === undefined, number === undefined)
        assert.isTrue(timestamp === undefined || (timestamp > 5_002n && timestamp <= 5_010n))
        assert.match(randomness ?? "", /^0x[0-9a-f]{64}$/)
      }
      const distinct = <A>(of: (setting: NextBlock.Setting) => A) => new Set(settings.map(of)).size
      assert.isAbove(
        distinct(({ baseFeePerGas }) => baseFeePerGas),
        100
      )
      assert.isAbove(
        distinct(({ tip }) => tip),
        100
      )
      assert.strictEqual(
        distinct(({ number }) => number),
        4
      )
      assert.strictEqual(
        distinct(({ coinbase }) => coinbase),
        2
      )
      assert.strictEqual(
        distinct(({ randomness }) => randomness),
        200
      )
    })
  )

  it.effect("keeps the constant that a rollup has for randomness", () =>
    Effect.gen(function* () {
      const settings = yield* many(numberToHex(1, { size: 32 }))
      assert.isTrue(settings.every(({ randomness }) => randomness === undefined))
    })
  )
})
