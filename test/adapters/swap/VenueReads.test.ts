/** Requests of a quote to the nodes of the built-in chains, if their guards list every exchange. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { decodeFunctionData, encodeFunctionResult, getAbiItem, multicall3Abi } from "viem"
import * as Curves from "../../../src/adapters/swap/Curves.ts"
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
    Venues.make,
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

describe("the first call for a pair that nobody has quoted", () => {
  const factory = address(0xf0)
  const router = address(0xf1)
  const solidly = { ...template, venues: [{ name: "pairs", family: "solidly", router, factory } as const] }

  /** Contracts that it reads. */
  const firstRead = Effect.fnUntraced(function* (make: typeof Venues.make) {
    const reads: Array<ReadonlyArray<string>> = []
    const recording = {
      ...client({
        call: ({ data }) =>
          Effect.sync(() => {
            const { args } = decodeFunctionData({ abi: aggregateAbi, data: data ?? "0x" })
            reads.push([...new Set(args[0].map(({ target }) => Address.of(target)))])
            const result = args[0].map(() => ({ success: false, returnData: "0x" as const }))
            return encodeFunctionResult({ abi: aggregateAbi, functionName: "aggregate3", result })
          })
      }),
      chain: solidly
    }
    const chains = Chains.of({ all: [recording], get: () => Effect.succeed(recording) })
    const sources = yield* Effect.provideService(make, Chains, chains)
    const pair = { chainId: solidly.id, tokenIn: address(0x7e), tokenOut: address(0x7f), amountIn: 10n ** 18n }
    for (const { name, prepare } of sources) if (name === "pairs") yield* prepare(pair)
    return reads[0]
  })

  it.effect("asks for its pools alone, and for quotes too where a round trip takes long", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* firstRead(Venues.make), [factory])
      assert.deepStrictEqual(yield* firstRead(Venues.makeFar), [router, factory])
    })
  )
})
