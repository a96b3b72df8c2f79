import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { TestClock } from "effect/testing"
import { numberToHex } from "viem"
import * as PoolAges from "../../../src/adapters/prices/PoolAges.ts"
import { Hash } from "../../../src/domain/Hex.ts"
import { type Block, type ChainClient, ChainUnavailable, type LogFilter } from "../../../src/ports/shared/Chains.ts"
import * as FakeChain from "../../support/FakeChain.ts"

const DAY = 86_400
const POOL = FakeChain.address(0xe5)
const HASH = Hash.make(`0x${"11".repeat(32)}`)

/** The newest block of a chain whose blocks take the configured second. */
const LATEST = 1_000_000

const blockAt = (number: number, secondsPerBlock = 1): Block => ({
  number: BigInt(number),
  hash: HASH,
  parentHash: HASH,
  timestamp: BigInt(Math.floor(number * secondsPerBlock)),
  baseFeePerGas: 1n,
  gasLimit: 30_000_000n
})

const failing = Effect.fail(new ChainUnavailable({ chainId: 31337, method: "any", detail: "not served" }))

/** Requests that a node was sent, and a node that answers what a test says. */
const nodeOf = (
  answers: Pick<Partial<ChainClient>, "call" | "logs">,
  { latest = LATEST, secondsPerBlock = 1 }: { readonly latest?: number; readonly secondsPerBlock?: number } = {}
) => {
  const asked: Array<string> = []
  const searched: Array<LogFilter> = []
  const client = FakeChain.client({
    block: (which) => {
      asked.push(`block ${which}`)
      return Effect.succeed(Option.some(blockAt(which === "latest" ? latest : Number(which), secondsPerBlock)))
    },
    call: (request) => {
      asked.push(`call at ${String(request.block)}`)
      return answers.call?.(request) ?? failing
    },
    logs: (filter) => {
      asked.push("logs")
      searched.push(filter)
      return answers.logs?.(filter) ?? failing
    }
  })
  return { asked, client, searched }
}

const initializedAt = (number: number) => ({
  logs: [
    {
      address: POOL,
      topics: [],
      data: "0x" as const,
      blockNumber: BigInt(number),
      blockHash: HASH,
      transactionHash: HASH,
      logIndex: 0
    }
  ]
})

const isOld = Effect.fnUntraced(function* (
  matured: Effect.Success<typeof PoolAges.make>,
  client: ChainClient,
  time: number,
  oldest: number
) {
  return (yield* matured(client, time, DAY, [{ pool: POOL, oldest }])).has(POOL)
})

describe("the age of a pool", () => {
  it.effect("is proved by an old observation, without a request", () =>
    Effect.gen(function* () {
      const { asked, client } = nodeOf({})
      const matured = yield* PoolAges.make
      assert.isTrue(yield* isOld(matured, client, LATEST, LATEST - DAY))
      // The pool overwrote it since.
      assert.isTrue(yield* isOld(matured, client, LATEST, LATEST))
      assert.deepStrictEqual(asked, [])
    })
  )

  it.effect("is proved by what this process saw a day ago", () =>
    Effect.gen(function* () {
      const { client } = nodeOf({})
      const matured = yield* PoolAges.make
      assert.isFalse(yield* isOld(matured, client, LATEST, LATEST))
      assert.isFalse(yield* isOld(matured, client, LATEST + DAY - 1, LATEST + DAY - 1))
      assert.isTrue(yield* isOld(matured, client, LATEST + DAY, LATEST + DAY))
    })
  )

  it.effect("is proved by a price in a block of a day ago", () =>
    Effect.gen(function* () {
      const { client, searched } = nodeOf({ call: () => Effect.succeed(numberToHex(5n, { size: 32 })) })
      assert.isTrue(yield* isOld(yield* PoolAges.make, client, LATEST, LATEST))
      assert.deepStrictEqual(searched, [])
    })
  )

  it.effect("is not proved by a pool that existed without a price, or did not exist", () =>
    Effect.gen(function* () {
      for (const data of [numberToHex(0n, { size: 32 }), "0x"] as const) {
        const { client } = nodeOf({
          call: () => Effect.succeed(data),
          logs: () => Effect.succeed(initializedAt(LATEST - 5))
        })
        assert.isFalse(yield* isOld(yield* PoolAges.make, client, LATEST, LATEST))
      }
    })
  )

  it.effect("is proved by a search of the last day that finds no initialization", () =>
    Effect.gen(function* () {
      const { client, searched } = nodeOf({ logs: () => Effect.succeed({ logs: [] }) })
      assert.isTrue(yield* isOld(yield* PoolAges.make, client, LATEST, LATEST))
      assert.deepStrictEqual(
        searched.map(({ fromBlock, toBlock }) => [fromBlock, toBlock]),
        [[BigInt(LATEST - DAY), BigInt(LATEST)]]
      )
    })
  )

  it.effect("counts from the log of the initialization", () =>
    Effect.gen(function* () {
      const { client, searched } = nodeOf({ logs: () => Effect.succeed(initializedAt(LATEST - 100)) })
      const matured = yield* PoolAges.make
      assert.isFalse(yield* isOld(matured, client, LATEST, LATEST))
      assert.isFalse(yield* isOld(matured, client, LATEST + DAY - 101, LATEST))
      assert.isTrue(yield* isOld(matured, client, LATEST + DAY - 100, LATEST))
      assert.strictEqual(searched.length, 1)
    })
  )

  it.effect("is searched for again after a minute, from where the last search ended", () =>
    Effect.gen(function* () {
      const left = { fromBlock: BigInt(LATEST - DAY), toBlock: BigInt(LATEST - 500) }
      let searches = 0
      const { client, searched } = nodeOf({
        logs: () => Effect.succeed(searches++ === 0 ? { logs: [], unread: left } : { logs: [] })
      })
      const matured = yield* PoolAges.make
      assert.isFalse(yield* isOld(matured, client, LATEST, LATEST))
      yield* TestClock.adjust("59 seconds")
      assert.isFalse(yield* isOld(matured, client, LATEST, LATEST))
      assert.strictEqual(searched.length, 1)
      yield* TestClock.adjust("1 second")
      assert.isTrue(yield* isOld(matured, client, LATEST, LATEST))
      assert.strictEqual(searched.at(-1)?.toBlock, left.toBlock)
    })
  )

  it.effect("is unknown while nodes serve neither old states nor logs, or while the chain has no old blocks", () =>
    Effect.gen(function* () {
      assert.isFalse(yield* isOld(yield* PoolAges.make, nodeOf({}).client, LATEST, LATEST))
      const young = nodeOf({ logs: () => Effect.succeed({ logs: [] }) }, { latest: DAY - 1 })
      assert.isFalse(yield* isOld(yield* PoolAges.make, young.client, DAY - 1, DAY - 1))
    })
  )

  it.effect("finds the block of a day ago where blocks are faster than configured", () =>
    Effect.gen(function* () {
      const { client, searched } = nodeOf({ logs: () => Effect.succeed({ logs: [] }) }, { secondsPerBlock: 0.5 })
      const time = LATEST / 2
      assert.isTrue(yield* isOld(yield* PoolAges.make, client, time, time))
      const from = Number(searched[0]?.fromBlock)
      assert.isTrue(from <= LATEST - 2 * DAY && from > LATEST - 2.2 * DAY, String(from))
    })
  )

  it.effect("does not matter where the operator allows new pools", () =>
    Effect.gen(function* () {
      const matured = yield* PoolAges.make
      const { asked, client } = nodeOf({})
      assert.isTrue((yield* matured(client, LATEST, 0, [{ pool: POOL, oldest: LATEST }])).has(POOL))
      assert.deepStrictEqual(asked, [])
    })
  )
})
