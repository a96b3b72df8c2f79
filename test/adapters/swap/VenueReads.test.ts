/** Requests of a quote to the nodes of the built-in chains, if their guards list every exchange. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Schema } from "effect"
import { TestClock } from "effect/testing"
import { decodeFunctionData, encodeFunctionResult, getAbiItem, multicall3Abi } from "viem"
import * as Curves from "../../../src/adapters/swap/Curves.ts"
import { before, KnownPools } from "../../../src/adapters/swap/KnownPools.ts"
import { LIFETIME_MILLIS } from "../../../src/adapters/swap/PoolMemory.ts"
import * as Venues from "../../../src/adapters/swap/Venues.ts"
import { KNOWN_CHAINS } from "../../../src/catalog/KnownChains.ts"
import * as Address from "../../../src/domain/Address.ts"
import * as Chain from "../../../src/domain/Chain.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import { Chains } from "../../../src/ports/shared/Chains.ts"
import { address, chain as template, client } from "../../support/FakeChain.ts"

const aggregateAbi = [getAbiItem({ abi: multicall3Abi, name: "aggregate3" })]

/** The most calls that the reference of the chains file names for one exchange. */
const MOST_CALLS = 4

const chains = Object.values(KNOWN_CHAINS).map(({ wsUrl: _wsUrl, ...facts }) => {
  const { builderVault, contracts, feeRecipient } = Schema.encodeSync(Chain.Chain)(template)
  return Schema.decodeSync(Chain.Chain)({ ...facts, builderVault, contracts, feeRecipient })
})

/** Number of calls of each exchange for the first quote of a token that trades nowhere. */
const callsOf = Effect.fnUntraced(function* (chain: Chain.Chain, tokenOut: Address.Address) {
  let calls = 0
  const counting = {
    ...client({
      call: ({ data }) =>
        Effect.sync(() => {
          calls++
          const { args } = decodeFunctionData({ abi: aggregateAbi, data: data ?? "0x" })
          const result = args[0].map(() => ({ success: false, returnData: "0x" as const }))
          return encodeFunctionResult({ abi: aggregateAbi, functionName: "aggregate3", result })
        })
    }),
    chain
  }
  const sources = yield* Effect.provideService(
    Effect.provide(Venues.make, KnownPools.layer),
    Chains,
    Chains.of({ all: [counting], get: () => Effect.succeed(counting) })
  )
  return yield* Effect.forEach(sources, ({ name, prepare }) =>
    Effect.gen(function* () {
      calls = 0
      yield* prepare({ chainId: chain.id, tokenIn: address(0x7e), tokenOut, amountIn: 10n ** 18n })
      return [name, calls] as const
    })
  )
})

describe("the tokens that a path may lead through", () => {
  it.effect.each(chains)("are the wrapped native currency and every stable, at most five, on $name", (chain) =>
    Effect.sync(() => {
      const pair = { tokenIn: address(0x7e), tokenOut: address(0x7f) }
      assert.deepStrictEqual(Curves.hopsOf({ chain }, pair), [chain.wrappedNative, ...chain.stables])
      const many = { ...chain, stables: [1, 2, 3, 4, 5, 6].map((byte) => address(byte)) }
      assert.lengthOf(Curves.hopsOf({ chain: many }, pair), 5)
    })
  )
})

describe("a quote on a chain whose guard lists every exchange", () => {
  it.effect.each(chains)("makes a few calls for each of them, on $name", (chain) =>
    Effect.gen(function* () {
      for (const tokenOut of [NATIVE, chain.stables[0] ?? NATIVE]) {
        const counts = yield* callsOf(chain, tokenOut)
        assert.strictEqual(counts.length, 1 + (chain.venues ?? []).length)
        for (const [name, calls] of counts) assert.isTrue(calls >= 1 && calls <= MOST_CALLS, `${name}: ${calls}`)
        const all = counts.reduce((sum, [, calls]) => sum + calls, 0)
        assert.isAtMost(all, 20, JSON.stringify(counts))
      }
    })
  )
})

describe("reads of a pair", () => {
  const factory = address(0xf0)
  const router = address(0xf1)
  const solidly = { ...template, venues: [{ name: "pairs", family: "solidly", router, factory } as const] }
  const pair = { tokenIn: address(0x7e), tokenOut: address(0x7f) }
  const request = {
    ...pair,
    chainId: solidly.id,
    amountIn: 10n ** 18n,
    sender: address(1),
    recipient: address(1),
    slippageBps: 0,
    deadline: 0n
  }

  /** The exchange, now and at an old block, with the contracts of each of their calls. No pool exists. */
  const make = Effect.gen(function* () {
    const reads: Array<ReadonlyArray<string>> = []
    const recording = {
      ...client({
        call: ({ data }) =>
          Effect.sync(() => {
            const { args } = decodeFunctionData({ abi: aggregateAbi, data: data ?? "0x" })
            reads.push(args[0].map(({ target }) => Address.of(target)))
            const result = args[0].map(({ target }) => ({
              success: true,
              returnData: Address.of(target) === factory ? (`0x${"00".repeat(32)}` as const) : ("0x" as const)
            }))
            return encodeFunctionResult({ abi: aggregateAbi, functionName: "aggregate3", result })
          })
      }),
      chain: solidly
    }
    const pools = yield* KnownPools
    const sourceWith = Effect.fnUntraced(function* (known: typeof pools) {
      const sources = yield* Venues.make.pipe(
        Effect.provideService(Chains, Chains.of({ all: [recording], get: () => Effect.succeed(recording) })),
        Effect.provideService(KnownPools, known)
      )
      const source = sources.find(({ name }) => name === "pairs")
      return source ?? (yield* Effect.die(new Error("the chain declares the venue")))
    })
    /** Contracts of the calls of a route, which is not found. */
    const readsOf = Effect.fnUntraced(function* (source: Venues.ExchangeSource) {
      const before = reads.length
      yield* Effect.flip(source.route(request))
      return reads.slice(before).map((targets) => [...new Set(targets)])
    })
    const [now, old] = [yield* sourceWith(pools), yield* sourceWith(before(pools))]
    return { now, old, readsOf, readsLast: () => reads.at(-1)?.length }
  }).pipe(Effect.provide(KnownPools.layer))

  it.effect("that nobody has quoted ask for its pools first, and at an old block for quotes alone", () =>
    Effect.gen(function* () {
      const first = yield* make
      assert.deepStrictEqual(yield* first.readsOf(first.now), [[factory]])
      const { old, readsOf } = yield* make
      assert.deepStrictEqual(yield* readsOf(old), [[router]])
    })
  )

  it.effect("ask for one amount alone where no other is needed", () =>
    Effect.gen(function* () {
      const { old, readsLast, readsOf } = yield* make
      yield* readsOf(old)
      // Two direct pools, and two pairs of two through each hop.
      const paths = 2 + 4 * Curves.hopsOf({ chain: solidly }, pair).length
      assert.strictEqual(readsLast(), paths)
    })
  )

  it.effect("that has no pool now ask for nothing at an old block, until that is known no longer", () =>
    Effect.gen(function* () {
      const { now, old, readsOf } = yield* make
      const mayTrade = Effect.map(Clock.currentTimeMillis, (millis) =>
        [now, old].map((source) => source.mayTrade(solidly, pair, millis))
      )
      assert.deepStrictEqual(yield* mayTrade, [true, true])
      yield* readsOf(now)
      assert.deepStrictEqual(yield* mayTrade, [false, false])
      assert.deepStrictEqual(yield* readsOf(old), [])
      yield* TestClock.adjust(LIFETIME_MILLIS + 1)
      assert.deepStrictEqual(yield* mayTrade, [true, true])
      assert.deepStrictEqual(yield* readsOf(old), [[router]])
    })
  )

  it.effect("at an old block tell nothing about now", () =>
    Effect.gen(function* () {
      const { now, old, readsOf } = yield* make
      yield* readsOf(old)
      assert.deepStrictEqual(yield* readsOf(now), [[factory]])
    })
  )
})
