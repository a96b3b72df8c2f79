import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { decodeFunctionData, encodeAbiParameters, encodeFunctionResult, multicall3Abi, toFunctionSelector } from "viem"
import * as Chainlink from "../../../src/adapters/prices/Chainlink.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { PriceFeed } from "../../../src/domain/PriceFacts.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { type ChainClient, Chains, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { Prices } from "../../../src/ports/orchestrator/Prices.ts"
import * as FakeChain from "../../support/FakeChain.ts"

const USD = 10n ** 18n
const CHAIN = FakeChain.chain.id
const weth = FakeChain.chain.wrappedNative
const listed = FakeChain.address(0xb1)

const [NATIVE_FEED, LISTED_FEED] = [FakeChain.address(0x11), FakeChain.address(0x12)]
const FEEDS: ReadonlyArray<PriceFeed> = [
  { token: NATIVE, feed: NATIVE_FEED, heartbeatSeconds: 3_600 },
  { token: listed, feed: LISTED_FEED, heartbeatSeconds: 86_400 }
]

interface Round {
  readonly answer: bigint
  readonly updatedAt: number
  readonly decimals: number
}

const DECIMALS = toFunctionSelector("function decimals()")

/** A node with feeds at some rounds. A feed without one reverts. */
const feeds = (rounds: ReadonlyMap<Address.Address, Round>): Partial<ChainClient> => ({
  call: ({ data }) =>
    Effect.sync(() => {
      const [calls] = decodeFunctionData({ abi: multicall3Abi, data }).args as readonly [
        ReadonlyArray<{ readonly target: string; readonly callData: string }>
      ]
      return encodeFunctionResult({
        abi: multicall3Abi,
        functionName: "aggregate3",
        result: calls.map(({ callData, target }) => {
          const round = rounds.get(Address.of(target))
          if (round === undefined) return { success: false, returnData: "0x" as const }
          const { answer, decimals, updatedAt } = round
          return {
            success: true,
            returnData:
              callData === DECIMALS
                ? encodeAbiParameters([{ type: "uint8" }], [decimals])
                : encodeAbiParameters(
                    [
                      { type: "uint80" },
                      { type: "int256" },
                      { type: "uint256" },
                      { type: "uint256" },
                      { type: "uint80" }
                    ],
                    [1n, answer, 0n, BigInt(updatedAt), 1n]
                  )
          }
        })
      })
    })
})

const pricesOf = (answers: Partial<ChainClient>, priceFeeds: ReadonlyArray<PriceFeed> | undefined = FEEDS) =>
  Effect.flatMap(
    Prices.use((prices) =>
      prices.usd(CHAIN, [
        { address: NATIVE, decimals: 18 },
        { address: weth, decimals: 18 },
        { address: listed, decimals: 6 },
        { address: FakeChain.address(0xd1), decimals: 6 }
      ])
    ),
    (prices) => Effect.succeed(Object.fromEntries(prices))
  ).pipe(
    Effect.provide(
      Layer.effect(Prices, Chainlink.make()).pipe(
        Layer.provide(
          Layer.succeed(Chains, {
            all: [],
            get: () => {
              const client = FakeChain.client(answers)
              return Effect.succeed({ ...client, chain: { ...client.chain, priceFeeds } })
            }
          })
        )
      )
    )
  )

describe("Chainlink", () => {
  const native: Round = { answer: 3_000n * 10n ** 8n, updatedAt: 0, decimals: 8 }

  it.effect("prices what has a feed, whatever its decimals, and the wrapped native currency as the native one", () =>
    Effect.gen(function* () {
      const prices = yield* pricesOf(
        feeds(
          new Map([
            [NATIVE_FEED, native],
            [LISTED_FEED, { answer: 2n * USD, updatedAt: 0, decimals: 18 }]
          ])
        )
      )
      assert.deepStrictEqual(prices, { [NATIVE]: 3_000n * USD, [weth]: 3_000n * USD, [listed]: 2n * USD })
    })
  )

  it.effect("has no price of a feed that is older than its heartbeat", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime((3_600 + 360) * 1_000)
      const rounds = (updatedAt: number) => feeds(new Map([[NATIVE_FEED, { ...native, updatedAt }]]))
      assert.deepStrictEqual(Object.keys(yield* pricesOf(rounds(0))), [NATIVE, weth])
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* pricesOf(rounds(0)), {})
      assert.deepStrictEqual(Object.keys(yield* pricesOf(rounds(1))), [NATIVE, weth])
    })
  )

  it.effect("has no price that is not positive, of too many decimals, or of a feed that reverts", () =>
    Effect.gen(function* () {
      for (const changed of [{ answer: 0n }, { answer: -1n }, { decimals: 19 }]) {
        assert.deepStrictEqual(yield* pricesOf(feeds(new Map([[NATIVE_FEED, { ...native, ...changed }]]))), {})
      }
      assert.deepStrictEqual(yield* pricesOf(feeds(new Map())), {})
    })
  )

  it.effect("asks nothing on a chain without feeds, and fails while the node does not answer", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* pricesOf({}, []), {})
      const failing = new ChainUnavailable({ chainId: CHAIN, method: "eth_call", detail: "down" })
      const error = yield* Effect.flip(pricesOf({ call: () => Effect.fail(failing) }))
      assert.include(error.detail, "down")
    })
  )
})
