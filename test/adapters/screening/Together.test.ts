import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { decodeFunctionData, encodeFunctionResult, multicall3Abi, numberToHex } from "viem"
import * as Chains from "../../../src/adapters/memory/shared/Chains.ts"
import * as SanctionsOracle from "../../../src/adapters/screening/SanctionsOracle.ts"
import { Screening } from "../../../src/ports/shared/Screening.ts"
import { address, chain } from "../../support/FakeChain.ts"

const LISTED = 13

const world = SanctionsOracle.layer().pipe(Layer.provideMerge(Chains.layer([chain])))

/** Clears one address for each of many callers at once; the results by the caller's number. */
const clearMany = (count: number) =>
  Effect.flatMap(Screening, (screening) =>
    Effect.forEach(
      Array.from({ length: count }, (_, index) => index + 1),
      (n) =>
        screening.clear(chain.id, [address(n), address(0xff)]).pipe(
          Effect.as("clear"),
          Effect.catchTag("ScreeningBlocked", (blocked) => Effect.succeed(blocked.cause))
        ),
      { concurrency: "unbounded" }
    )
  )

/** Counts calls and the addresses in them; each takes a few turns of the scheduler, as a node does. */
const counting = Effect.gen(function* () {
  const memory = yield* Effect.flatMap(Chains.MemoryChains, (chains) => chains.get(chain.id))
  const sizes: Array<number> = []
  yield* memory.onCall(({ data }) =>
    Effect.gen(function* () {
      const { args } = decodeFunctionData({ abi: multicall3Abi, data })
      const calls = (args?.[0] ?? []) as ReadonlyArray<{ readonly callData: string }>
      sizes.push(calls.length)
      for (let turn = 0; turn < 5; turn++) yield* Effect.yieldNow
      const returned = calls.map(({ callData }) => ({
        success: true,
        returnData: numberToHex(callData.endsWith(address(LISTED).slice(2).toLowerCase()) ? 1 : 0, { size: 32 })
      }))
      return encodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", result: returned })
    })
  )
  return { memory, sizes }
})

describe("questions at the same time", () => {
  it.effect("travel together, and each is answered for itself", () =>
    Effect.gen(function* () {
      const { sizes } = yield* counting
      const answers = yield* clearMany(50)
      assert.deepStrictEqual(
        answers,
        Array.from({ length: 50 }, (_, index) => (index + 1 === LISTED ? "listed" : "clear"))
      )
      assert.isAtMost(sizes.length, 3)
      // The address that all of them ask about is asked once in a call.
      assert.strictEqual(
        sizes.reduce((sum, size) => sum + size, 0),
        50 + sizes.length
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("are all blocked when their call fails, and asked anew afterwards", () =>
    Effect.gen(function* () {
      const { memory, sizes } = yield* counting
      yield* memory.fail("call")
      assert.deepStrictEqual([...new Set(yield* clearMany(20))], ["unavailable"])
      yield* memory.fail()
      assert.deepStrictEqual([...new Set(yield* clearMany(10))], ["clear"])
      const before = sizes.length
      assert.deepStrictEqual(yield* clearMany(1), ["clear"])
      assert.strictEqual(sizes.length, before + 1)
    }).pipe(Effect.provide(world))
  )
})
