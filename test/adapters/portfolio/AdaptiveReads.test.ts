import { assert, describe, it } from "@effect/vitest"
import { Array, Effect, Fiber, Layer, Option, Schema } from "effect"
import { TestClock } from "effect/testing"
import { pad, toHex } from "viem"
import * as AdaptiveReads from "../../../src/adapters/portfolio/AdaptiveReads.ts"
import * as Multicall3 from "../../../src/adapters/evm/codec/Multicall3.ts"
import * as MulticallBalances from "../../../src/adapters/portfolio/MulticallBalances.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { TokenInfo } from "../../../src/domain/Token.ts"
import { Balances } from "../../../src/ports/orchestrator/Balances.ts"
import { Chains, UnsupportedChain } from "../../../src/ports/shared/Chains.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import * as MulticallNode from "./multicallNode.ts"

const addressAt = (index: number) => Address.of(pad(toHex(index + 1), { size: 20 }))

const held = (count: number, burning: ReadonlyArray<number> = []): ReadonlyMap<string, MulticallNode.FakeToken> =>
  new Map(
    Array.makeBy(count, (index) => [
      addressAt(index),
      { balance: BigInt(index + 1), burnsGas: burning.includes(index) }
    ])
  )

const readsOf = (count: number): ReadonlyArray<Multicall3.Read> =>
  Array.makeBy(count, (index) => ({ to: addressAt(index), data: "0x70a08231" }))

const amounts = (answers: ReadonlyArray<Multicall3.Answer>) =>
  answers.map((answer) => Option.getOrUndefined(Multicall3.word(answer)))

const all = (count: number) => Array.makeBy(count, (index) => BigInt(index + 1))

describe("AdaptiveReads", () => {
  it.effect("asks in few calls", () =>
    Effect.gen(function* () {
      const { client, requests } = MulticallNode.make({ tokens: held(1_200) })
      assert.deepStrictEqual(amounts(yield* AdaptiveReads.make(client)(readsOf(1_200))), all(1_200))
      assert.deepStrictEqual(requests, [512, 512, 176])
    })
  )

  it.effect("halves refused calls, remembers the size, and grows back", () =>
    Effect.gen(function* () {
      let largest = 130
      const { client, requests } = MulticallNode.make({ tokens: held(600), largest: () => largest })
      const read = AdaptiveReads.make(client)
      assert.deepStrictEqual(amounts(yield* read(readsOf(600))), all(600))
      requests.length = 0
      assert.deepStrictEqual(amounts(yield* read(readsOf(600))), all(600))
      assert.isTrue(requests.every((reads) => reads <= 192))
      largest = 512
      for (let times = 0; times < 20; times++) yield* read(readsOf(600))
      requests.length = 0
      yield* read(readsOf(600))
      assert.deepStrictEqual(requests, [512, 88])
    })
  )

  it.effect("finds the one token that no call can have, and reads all others", () =>
    Effect.gen(function* () {
      const { client } = MulticallNode.make({ tokens: held(600, [77]) })
      const expected = all(600).map((amount, index) => (index === 77 ? undefined : amount))
      assert.deepStrictEqual(amounts(yield* AdaptiveReads.make(client)(readsOf(600))), expected)
    })
  )

  it.effect("asks in few calls again after a node's bad moment, and beside a token that no call can have", () =>
    Effect.gen(function* () {
      let isDown = true
      const down = MulticallNode.make({ tokens: held(5_000), isDown: () => isDown })
      const burning = MulticallNode.make({ tokens: held(5_000, [77]) })
      const read = { down: AdaptiveReads.make(down.client), burning: AdaptiveReads.make(burning.client) }
      yield* Effect.flip(read.down(readsOf(5_000)))
      isDown = false
      yield* read.burning(readsOf(5_000))
      down.requests.length = burning.requests.length = 0
      assert.deepStrictEqual(amounts(yield* read.down(readsOf(5_000))), all(5_000))
      yield* read.burning(readsOf(5_000))
      assert.isAtMost(down.requests.length, 80)
      assert.isAtMost(burning.requests.length, 100)
    })
  )

  it.effect.prop(
    "reads everything in order, for any limit of the node",
    [
      Schema.Int.check(Schema.isBetween({ minimum: 8, maximum: 120 })),
      Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 100 }))
    ],
    ([largest, count]) =>
      Effect.gen(function* () {
        const { client } = MulticallNode.make({ tokens: held(count), largest: () => largest })
        assert.deepStrictEqual(amounts(yield* AdaptiveReads.make(client)(readsOf(count))), all(count))
      })
  )

  it.effect("gives up a node that answers nothing after few requests", () =>
    Effect.gen(function* () {
      const { client, requests } = MulticallNode.make({ tokens: held(5_000), isDown: () => true })
      const error = yield* Effect.flip(AdaptiveReads.make(client)(readsOf(5_000)))
      assert.strictEqual(error.detail, "down")
      assert.isAtMost(requests.length, 60)
    })
  )

  it.effect("asks for nothing without reads", () =>
    Effect.gen(function* () {
      const { client, requests } = MulticallNode.make({ tokens: held(0) })
      assert.deepStrictEqual(yield* AdaptiveReads.make(client)([]), [])
      assert.deepStrictEqual(requests, [])
    })
  )
})

describe("5,000 listed tokens on each of six chains, with 50 ms for a request", () => {
  const CHAINS = [1, 10, 56, 137, 8453, 42161]
  const list = (chainId: number): ReadonlyArray<TokenInfo> =>
    Array.makeBy(4_996, (index) => ({
      chainId,
      address: addressAt(index),
      symbol: `T${index}`,
      name: `Token ${index}`,
      decimals: 18
    }))

  it.effect("takes at most 60 requests and 2 seconds", () =>
    Effect.gen(function* () {
      const nodes = CHAINS.map((id) =>
        MulticallNode.make({ chain: { id }, tokens: held(5_000), native: 1n, delayMillis: 50 })
      )
      const clients = nodes.map(({ client }) => client)
      const chains = Layer.succeed(Chains, {
        all: clients,
        get: (chainId) =>
          Effect.fromNullishOr(clients.find(({ chain }) => chain.id === chainId)).pipe(
            Effect.mapError(() => new UnsupportedChain({ chainId }))
          )
      })
      const balances = Balances.of(
        yield* Effect.provide(MulticallBalances.make({ listed: (id) => Effect.succeed(list(id)) }), chains)
      )
      const reading = yield* Effect.forkChild(
        Effect.forEach(CHAINS, (chainId) => balances.on(chainId, FakeChain.address(0x51)), { concurrency: "unbounded" })
      )
      yield* TestClock.adjust("2 seconds")
      const portfolio = yield* Fiber.join(reading)
      assert.deepStrictEqual(
        portfolio.map((tokens) => tokens.length),
        CHAINS.map(() => 4_997)
      )
      assert.isAtMost(nodes.flatMap(({ requests }) => requests).length, 60)
      assert.isAtMost(
        nodes.flatMap(({ requests }) => requests).reduce((sum, reads) => sum + reads, 0),
        6 * 5_000
      )
    })
  )
})
