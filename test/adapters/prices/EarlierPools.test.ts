/** Pools without a mean, by a node that tells their earlier states or does not. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { encodeFunctionResult } from "viem"
import { roundTrips } from "../../../src/adapters/evm/abi/simulation.generated.ts"
import * as EarlierPools from "../../../src/adapters/prices/EarlierPools.ts"
import type { Journey, PoolTrip } from "../../../src/adapters/prices/RoundTrip.ts"
import { Hash } from "../../../src/domain/Hex.ts"
import { type Block, type ChainClient, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import * as FakeChain from "../../support/FakeChain.ts"

const [TOKEN, MONEY] = [FakeChain.address(0xb1), FakeChain.address(0xd1)]
const HASH = Hash.make(`0x${"11".repeat(32)}`)

/** UNIX seconds, and the number of the block of that second. */
const NOW = 1_000_000

const blockAt = (number: number): Block => ({
  number: BigInt(number),
  hash: HASH,
  parentHash: HASH,
  timestamp: BigInt(number),
  baseFeePerGas: 1n,
  gasLimit: 30_000_000n
})

const journey: Journey = {
  quoter: FakeChain.address(0xc1),
  stable: { token: MONEY, amount: 1n },
  native: { token: FakeChain.chain.wrappedNative, amount: 1n },
  stables: [],
  tokens: [TOKEN]
}

const tripWith = (changes: Partial<PoolTrip> = {}): PoolTrip => ({
  pool: FakeChain.address(0xe5),
  money: MONEY,
  fee: 3_000,
  bought: 1n,
  returned: 1n,
  depth: 1n,
  tick: 500,
  meanTick: 500,
  liquidity: 50n,
  meanLiquidity: 50n,
  hasMean: false,
  oldest: NOW,
  ...changes
})

const failing = Effect.fail(new ChainUnavailable({ chainId: 31337, method: "any", detail: "no old states" }))

/** The contract's answer of that time, with one pool of the token. */
const answerAt = (time: number, tick: number, liquidity: bigint) =>
  encodeFunctionResult({
    abi: roundTrips.abi,
    functionName: "run",
    result: [BigInt(time), 1n, [], [], [[tripWith({ tick, liquidity })]]]
  })

/** A node, and the blocks whose state it was asked for. */
const nodeOf = (call: ChainClient["call"], minPoolAgeSeconds?: number) => {
  const asked: Array<bigint> = []
  const client: ChainClient = {
    ...FakeChain.client({
      block: (which) => Effect.succeed(Option.some(blockAt(which === "latest" ? NOW : Number(which)))),
      call: (request) => {
        if (typeof request.block === "bigint") asked.push(request.block)
        return call(request)
      }
    }),
    chain: minPoolAgeSeconds === undefined ? FakeChain.chain : { ...FakeChain.chain, minPoolAgeSeconds }
  }
  return { asked, client }
}

/** The tick and liquidity that count as the means of the pool; undefined if it does not count. */
const meansOf = Effect.fnUntraced(function* (
  steadying: Effect.Success<typeof EarlierPools.make>,
  client: ChainClient,
  time: number,
  trip: PoolTrip
) {
  const steadied = yield* steadying(client, journey, time, [trip])
  const found = Option.getOrUndefined(steadied(trip))
  return found === undefined ? undefined : ([found.meanTick, found.meanLiquidity] as const)
})

describe("the earlier state of a pool", () => {
  it.effect("is not needed with a mean, or where new pools count", () =>
    Effect.gen(function* () {
      const steadying = yield* EarlierPools.make
      const { asked, client } = nodeOf(() => failing)
      const trip = tripWith({ hasMean: true, meanTick: 7, meanLiquidity: 8n })
      assert.deepStrictEqual(yield* meansOf(steadying, client, NOW, trip), [7, 8n])
      const local = nodeOf(() => failing, 0)
      assert.deepStrictEqual(yield* meansOf(steadying, local.client, NOW, tripWith()), [500, 50n])
      assert.deepStrictEqual([...asked, ...local.asked], [])
    })
  )

  it.effect("is the chain's of ten minutes ago, which is asked for once", () =>
    Effect.gen(function* () {
      const steadying = yield* EarlierPools.make
      const { asked, client } = nodeOf(({ block }) => Effect.succeed(answerAt(Number(block), -3, 4n)))
      // A pool's own tick has the direction of the token with the lower address.
      const direction = BigInt(TOKEN) < BigInt(MONEY) ? 1 : -1
      assert.deepStrictEqual(yield* meansOf(steadying, client, NOW, tripWith()), [-3 * direction, 4n])
      assert.deepStrictEqual(yield* meansOf(steadying, client, NOW + 60, tripWith()), [-3 * direction, 4n])
      assert.deepStrictEqual(asked, [BigInt(NOW - 600)])
    })
  )

  it.effect("is a reading of this process that is ten minutes old, where the node has no old states", () =>
    Effect.gen(function* () {
      const steadying = yield* EarlierPools.make
      const { asked, client } = nodeOf(() => failing)
      const at = (seconds: number, tick: number) =>
        meansOf(steadying, client, NOW + seconds, tripWith({ tick, liquidity: BigInt(tick) }))
      assert.isUndefined(yield* at(0, 1))
      assert.isUndefined(yield* at(599, 2))
      assert.lengthOf(asked, 1)
      assert.deepStrictEqual(yield* at(600, 3), [1, 1n])
      // The reading at 600 is too young until 1200.
      assert.deepStrictEqual(yield* at(1_199, 4), [1, 1n])
      assert.deepStrictEqual(yield* at(1_200, 5), [3, 3n])
      assert.lengthOf(asked, 1)
      // A reading of more than an hour ago tells nothing of the present price.
      yield* TestClock.adjust("2 hours")
      assert.isUndefined(yield* at(8_400, 6))
      assert.lengthOf(asked, 2)
    })
  )

  it.effect("of a pool that had a mean is the mean, which one trade cannot move", () =>
    Effect.gen(function* () {
      const steadying = yield* EarlierPools.make
      const { client } = nodeOf(() => failing)
      const steady = tripWith({ hasMean: true, tick: 9_000, meanTick: 7, liquidity: 900n, meanLiquidity: 8n })
      yield* meansOf(steadying, client, NOW, steady)
      assert.deepStrictEqual(yield* meansOf(steadying, client, NOW + 600, tripWith()), [7, 8n])
    })
  )

  it.effect("is looked for anew once it is twenty minutes old, and counts meanwhile", () =>
    Effect.gen(function* () {
      const steadying = yield* EarlierPools.make
      let isAnswering = false
      const { asked, client } = nodeOf(({ block }) =>
        isAnswering ? Effect.succeed(answerAt(Number(block), 3, 4n)) : failing
      )
      yield* meansOf(steadying, client, NOW - 1_260, tripWith({ tick: 1, liquidity: 1n }))
      yield* TestClock.adjust("20 minutes")
      assert.deepStrictEqual(yield* meansOf(steadying, client, NOW - 60, tripWith()), [1, 1n])
      assert.lengthOf(asked, 1)
      isAnswering = true
      yield* TestClock.adjust("1 minute")
      yield* meansOf(steadying, client, NOW, tripWith())
      // The search does not keep its caller.
      yield* TestClock.adjust("1 second")
      const direction = BigInt(TOKEN) < BigInt(MONEY) ? 1 : -1
      assert.deepStrictEqual(yield* meansOf(steadying, client, NOW, tripWith()), [3 * direction, 4n])
    })
  )

  it.effect("is waited for by all callers, for a second at most", () =>
    Effect.gen(function* () {
      const steadying = yield* EarlierPools.make
      const { asked, client } = nodeOf(({ block }) =>
        Effect.delay(Effect.succeed(answerAt(Number(block), 3, 4n)), "3 seconds")
      )
      const both = yield* Effect.forkChild(
        Effect.all([meansOf(steadying, client, NOW, tripWith()), meansOf(steadying, client, NOW, tripWith())], {
          concurrency: "unbounded"
        })
      )
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(both), [undefined, undefined])
      // The search goes on, and the next caller has its result.
      yield* TestClock.adjust("2 seconds")
      assert.isDefined(yield* meansOf(steadying, client, NOW, tripWith()))
      assert.lengthOf(asked, 1)
    })
  )
})
