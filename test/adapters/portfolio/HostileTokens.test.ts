/** Tokens that anybody sent to the owner, to keep its other tokens out of the portfolio. */
import { assert, describe, it } from "@effect/vitest"
import { Array, Effect, Fiber, Option } from "effect"
import { TestClock } from "effect/testing"
import { pad, toHex } from "viem"
import * as Multicall3 from "../../../src/adapters/evm/codec/Multicall3.ts"
import * as AdaptiveReads from "../../../src/adapters/portfolio/AdaptiveReads.ts"
import * as MulticallBalances from "../../../src/adapters/portfolio/MulticallBalances.ts"
import type { Found, TokenFinder } from "../../../src/adapters/portfolio/TokenFinder.ts"
import * as Address from "../../../src/domain/Address.ts"
import { Chains } from "../../../src/ports/shared/Chains.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import * as MulticallNode from "./multicallNode.ts"

const OWNER = FakeChain.address(0x51)
const OWN = FakeChain.address(0xb1)

const addressAt = (index: number) => Address.of(pad(toHex(index + 1), { size: 20 }))
const told = { balance: 5n, symbol: "TOLD", name: "Told", decimals: 18 }

const finding = (name: string, found: ReadonlyArray<Found>, afterMillis = 0): TokenFinder => ({
  name,
  find: () => Effect.delay(Effect.succeed(found), afterMillis)
})

const foundAt = (from: number, count: number): ReadonlyArray<Found> =>
  Array.makeBy(count, (index) => ({ address: addressAt(from + index), isSpam: false }))

/** Tokens at the first addresses, of which some burn the gas of every call. */
const tokens = (count: number, burns: (index: number) => boolean = () => false) =>
  new Map<string, MulticallNode.FakeToken>([
    [OWN, { balance: 1n, decimals: 18n }],
    ...Array.makeBy(count, (index): [string, MulticallNode.FakeToken] => [
      addressAt(index),
      { balance: 7n, decimals: 18n, burnsGas: burns(index) }
    ])
  ])

const portfolio = Effect.fnUntraced(function* (node: MulticallNode.Node, finders: ReadonlyArray<TokenFinder>) {
  const { on } = yield* MulticallBalances.make({ finders }).pipe(
    Effect.provideService(Chains, { all: [node.client], get: () => Effect.succeed(node.client) })
  )
  return (yield* on(FakeChain.chain.id, OWNER)).map(({ token }) => token.address)
})

describe("a token that burns the gas of every call", () => {
  it.effect.each([0, 77, 249])("keeps few others out, at place %d of 250", (place) =>
    Effect.gen(function* () {
      const node = MulticallNode.make({ tokens: tokens(250, (index) => index === place), delayMillis: 45 })
      const reading = yield* Effect.forkChild(portfolio(node, [finding("one", foundAt(0, 250))]))
      yield* TestClock.adjust("450 millis")
      const held = yield* Fiber.join(reading)
      assert.isTrue(held.includes(OWN))
      assert.isAtLeast(held.length, 245)
    })
  )

  it.effect("keeps no listed token out when the node is slow and the sources are too", () =>
    Effect.gen(function* () {
      const node = MulticallNode.make({ tokens: tokens(250, (index) => index === 77), delayMillis: 250 })
      const reading = yield* Effect.forkChild(portfolio(node, [finding("one", foundAt(0, 250), 690)]))
      yield* TestClock.adjust("1100 millis")
      assert.include(yield* Fiber.join(reading), OWN)
    })
  )

  it.effect("has later calls smaller if it kept one until the limit, so that it hides ever fewer others", () =>
    Effect.gen(function* () {
      const { client } = MulticallNode.make({ tokens: tokens(512, (index) => index === 77), delayMillis: 300 })
      const reads = Array.makeBy(512, (index) => ({ to: addressAt(index), data: "0x70a08231" as const }))
      const read = AdaptiveReads.make(client)
      const answered: Array<number> = []
      for (const _ of [1, 2, 3, 4, 5]) {
        const reading = yield* Effect.forkChild(Effect.option(read(reads, { limitMillis: 400 })))
        yield* TestClock.adjust("500 millis")
        const answers = Option.getOrElse(yield* Fiber.join(reading), () => [])
        answered.push(answers.filter(Option.isSome).length)
      }
      assert.isAtLeast(answered.at(-1) ?? 0, 448, answered.join(", "))
    })
  )

  it.effect("costs few requests in a crowd, and the rest is still answered", () =>
    Effect.gen(function* () {
      const { client, requests } = MulticallNode.make({
        tokens: tokens(1_000, (index) => index < 400 && index % 2 === 0),
        delayMillis: 10
      })
      const reads = Array.makeBy(1_000, (index) => ({ to: addressAt(index), data: "0x70a08231" as const }))
      const reading = yield* Effect.forkChild(
        Effect.all([
          Effect.flip(AdaptiveReads.make(client)(reads)),
          Effect.sync(() => requests.splice(0)),
          AdaptiveReads.make(client)(reads, { limitMillis: 400 })
        ])
      )
      yield* TestClock.adjust("1 second")
      const [error, , answers] = yield* Fiber.join(reading)
      assert.strictEqual(error._tag, "ChainUnavailable")
      assert.strictEqual(answers.length, 1_000)
      const amounts = answers.map((answer) => Option.getOrUndefined(Multicall3.word(answer)))
      assert.isTrue(amounts.slice(512).every((amount) => amount === 7n))
      assert.isAtMost(requests.length, 60)
    })
  )

  it.effect("is unavailable within the limit if the node answers nothing", () =>
    Effect.gen(function* () {
      const { client } = MulticallNode.make({ tokens: tokens(10), delayMillis: 1_000 })
      const reading = yield* Effect.forkChild(
        Effect.flip(AdaptiveReads.make(client)([{ to: addressAt(0), data: "0x70a08231" }], { limitMillis: 400 }))
      )
      yield* TestClock.adjust("400 millis")
      assert.include((yield* Fiber.join(reading)).message, "400 ms")
    })
  )
})

describe("spam that one source finds", () => {
  it.effect("crowds out nothing that other sources find", () =>
    Effect.gen(function* () {
      const node = MulticallNode.make({ tokens: tokens(700) })
      const spam = foundAt(100, 300).map((token) => ({ ...token, isSpam: true }))
      const held = yield* portfolio(node, [
        finding("logs", foundAt(400, 300)),
        finding("one", [...spam.slice(0, 290), ...foundAt(0, 10)]),
        finding("two", [...spam, ...foundAt(10, 20).map((token) => ({ ...token, told }))])
      ])
      assert.strictEqual(held.length, 251)
      for (const { address } of foundAt(0, 30)) assert.include(held, address)
      assert.strictEqual(held[1], addressAt(10))
      for (const { address } of spam) assert.notInclude(held, address)
    })
  )
})
