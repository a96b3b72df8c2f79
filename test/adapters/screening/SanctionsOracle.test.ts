import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Fiber, Layer, Queue, Ref } from "effect"
import { TestClock } from "effect/testing"
import { decodeFunctionData, encodeFunctionResult, multicall3Abi, numberToHex } from "viem"
import * as Chains from "../../../src/adapters/memory/shared/Chains.ts"
import * as SanctionsOracle from "../../../src/adapters/screening/SanctionsOracle.ts"
import type * as Address from "../../../src/domain/Address.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import { Screening } from "../../../src/ports/shared/Screening.ts"
import * as ScreeningSuite from "../../ports/shared/Screening.suite.ts"
import * as FakeChain from "../../support/FakeChain.ts"
import { address, chain } from "../../support/FakeChain.ts"
import { chains, chainsWith, OneChain } from "../../support/OneChain.ts"
import { fixture, outcome } from "./fixture.ts"
import { knowing, serving } from "./oracleNodes.ts"

ScreeningSuite.suite("the oracle of a real chain", SanctionsOracle.layer().pipe(Layer.provideMerge(chains)), fixture)

const clear = (...addresses: ReadonlyArray<Address.Address>) =>
  Screening.use((screening) => screening.clear(31337, addresses))

layer(OneChain.layer)("SanctionsOracle on a real chain", (it) => {
  it.effect("blocks everything where no oracle is deployed", () =>
    clear(FakeChain.address(1)).pipe(
      outcome,
      Effect.map((reason) => assert.strictEqual(reason, "unavailable")),
      Effect.provide(
        SanctionsOracle.layer().pipe(
          Layer.provide(chainsWith((chain) => ({ ...chain, sanctionsOracle: FakeChain.address(0x77) })))
        )
      )
    )
  )

  it.effect("blocks everything where no Multicall3 is deployed", () =>
    clear(FakeChain.address(1)).pipe(
      outcome,
      Effect.map((reason) => assert.strictEqual(reason, "unavailable")),
      Effect.provide(
        SanctionsOracle.layer().pipe(
          Layer.provide(chainsWith((chain) => ({ ...chain, multicall3: FakeChain.address(0x77) })))
        )
      )
    )
  )
})

const TRUE: Hex = `0x${"1".padStart(64, "0")}`
const FALSE: Hex = `0x${"0".repeat(64)}`

const answering = (...results: ReadonlyArray<{ readonly success: boolean; readonly returnData: Hex }>) =>
  FakeChain.layer({
    call: () =>
      Effect.succeed(encodeFunctionResult({ abi: multicall3Abi, functionName: "aggregate3", result: results }))
  })

describe("SanctionsOracle", () => {
  const [a, b] = [FakeChain.address(1), FakeChain.address(2)]
  const oracle = SanctionsOracle.layer({ timeout: "3 seconds" })

  it.effect.each<readonly [string, ReadonlyArray<{ readonly success: boolean; readonly returnData: Hex }>]>([
    [
      "a revert",
      [
        { success: false, returnData: FALSE },
        { success: true, returnData: FALSE }
      ]
    ],
    [
      "nothing, as an account without code",
      [
        { success: true, returnData: "0x" },
        { success: true, returnData: FALSE }
      ]
    ],
    [
      "half a word",
      [
        { success: true, returnData: `0x${"00".repeat(16)}` },
        { success: true, returnData: FALSE }
      ]
    ],
    [
      "two words",
      [
        { success: true, returnData: `0x${"00".repeat(64)}` },
        { success: true, returnData: FALSE }
      ]
    ],
    [
      "neither true nor false",
      [
        { success: true, returnData: `0x${"2".padStart(64, "0")}` },
        { success: true, returnData: FALSE }
      ]
    ],
    ["an answer too few", [{ success: true, returnData: FALSE }]],
    ["an answer too many", Array.from({ length: 3 }, () => ({ success: true, returnData: FALSE }))]
  ])("blocks as unavailable on %s", ([, results]) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* outcome(clear(a, b)), "unavailable")
    }).pipe(Effect.provide(oracle.pipe(Layer.provide(answering(...results)))))
  )

  it.effect("blocks as listed even when the other answer is missing", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* outcome(clear(a, b)), "listed")
    }).pipe(Effect.provide(oracle.pipe(Layer.provide(serving(knowing(new Map([[b, TRUE]])))))))
  )

  it.effect("blocks when the node fails, and on a chain that it does not know", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* outcome(clear(a)), "unavailable")
      assert.strictEqual(yield* outcome(Screening.use((screening) => screening.clear(1, [a]))), "unavailable")
    }).pipe(
      Effect.provide(
        oracle.pipe(
          Layer.provide(
            FakeChain.layer({
              call: () => Effect.fail(new ChainUnavailable({ chainId: 31337, method: "eth_call", detail: "down" }))
            })
          )
        )
      )
    )
  )

  it.effect("blocks when the node takes longer than the limit, and not before", () =>
    Effect.gen(function* () {
      const asked = yield* Effect.forkChild(outcome(clear(a)))
      yield* TestClock.adjust("2999 millis")
      assert.isUndefined(asked.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* Fiber.join(asked), "unavailable")
    }).pipe(Effect.provide(oracle.pipe(Layer.provide(FakeChain.layer({ call: () => Effect.never })))))
  )

  it.effect("asks about all addresses in one call", () =>
    Effect.gen(function* () {
      const calls = yield* Ref.make(0)
      const counting = FakeChain.layer({
        call: () =>
          Effect.as(
            Ref.update(calls, (count) => count + 1),
            encodeFunctionResult({
              abi: multicall3Abi,
              functionName: "aggregate3",
              result: Array.from({ length: 3 }, () => ({ success: true, returnData: FALSE }))
            })
          )
      })
      yield* clear(a, b, FakeChain.address(3)).pipe(Effect.provide(oracle.pipe(Layer.provide(counting))))
      assert.strictEqual(yield* Ref.get(calls), 1)
    })
  )
})

const LISTED = 13

const world = SanctionsOracle.layer().pipe(Layer.provideMerge(Chains.layer([chain])))

/** Clears one address for each of many concurrent callers. Results are in the order of the callers. */
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

/** Counts calls and the addresses in them. Each call takes a few turns of the scheduler, like one to a node. */
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

describe("concurrent questions to the SanctionsOracle", () => {
  const other = { ...chain, id: chain.id + 1 }

  it.effect("about one chain do not wait for the silent node of another", () =>
    Effect.gen(function* () {
      const silent = yield* Effect.flatMap(Chains.MemoryChains, (chains) => chains.get(other.id))
      const called = yield* Queue.unbounded<void>()
      yield* silent.onCall(() => Effect.andThen(Queue.offer(called, undefined), Effect.never))
      yield* counting
      const { clear: clearOn } = yield* Screening
      // Each caller's call is under way before the next one asks, so that they are not combined.
      for (const n of [1, 2]) {
        yield* Effect.forkChild(Effect.exit(clearOn(other.id, [address(n)])))
        yield* Queue.take(called)
      }
      yield* clearOn(chain.id, [address(1)])
    }).pipe(Effect.provide(SanctionsOracle.layer().pipe(Layer.provideMerge(Chains.layer([chain, other])))))
  )

  it.effect("are combined, and each gets its own answer", () =>
    Effect.gen(function* () {
      const { sizes } = yield* counting
      const answers = yield* clearMany(50)
      assert.deepStrictEqual(
        answers,
        Array.from({ length: 50 }, (_, index) => (index + 1 === LISTED ? "listed" : "clear"))
      )
      assert.isAtMost(sizes.length, 3)
      // An address that all callers ask about is in each call once.
      assert.strictEqual(
        sizes.reduce((sum, size) => sum + size, 0),
        50 + sizes.length
      )
    }).pipe(Effect.provide(world))
  )

  it.effect("are all blocked if their call fails, and are sent again afterwards", () =>
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
