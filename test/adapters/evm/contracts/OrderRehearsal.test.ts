/** Orders that share a call, and calls that fail. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Result } from "effect"
import { sweepDelegate } from "../../../../src/adapters/evm/abi/contracts.generated.ts"
import * as OrderRehearsal from "../../../../src/adapters/evm/contracts/OrderRehearsal.ts"
import * as MemoryRelayerKeys from "../../../../src/adapters/memory/orchestrator/RelayerKeys.ts"
import * as MemoryChains from "../../../../src/adapters/memory/shared/Chains.ts"
import type { Hex } from "../../../../src/domain/Hex.ts"
import { type ChainClient, Chains, ChainUnavailable } from "../../../../src/ports/shared/Chains.ts"
import { address, chain } from "../../../support/FakeChain.ts"

const layer = Layer.mergeAll(MemoryRelayerKeys.layer([address(0x1a)]), MemoryChains.layer([chain]))

type Simulated = Parameters<ChainClient["simulate"]>

/** Rehearses orders of these owners with this calldata at once. Each call succeeds, unless it `fails`. */
const rehearseAll = Effect.fnUntraced(function* (
  orders: ReadonlyArray<{ readonly owner?: number; readonly data: Hex; readonly block?: "next" | "other" }>,
  fails: (steps: Simulated[0]) => boolean = () => false
) {
  const client = yield* (yield* Chains).get(chain.id)
  const calls: Array<{
    readonly data: ReadonlyArray<Hex>
    readonly isApart: boolean
    readonly warm: ReadonlyArray<string> | undefined
  }> = []
  const simulating: ChainClient = {
    ...client,
    code: () => Effect.succeed(sweepDelegate.runtimeCode),
    simulate: (steps, options) =>
      Effect.suspend(() => {
        calls.push({
          data: steps.map(({ data }) => data),
          isApart: options?.isApart === true,
          warm: options?.within?.warm
        })
        return fails(steps)
          ? Effect.fail(new ChainUnavailable({ chainId: chain.id, method: "eth_call", detail: "it fails" }))
          : Effect.succeed(steps.map(({ data }) => ({ success: true, returnData: data, gasUsed: 1n })))
      })
  }
  const chains = Layer.succeed(Chains, { all: [simulating], get: () => Effect.succeed(simulating) } as never)
  const rehearse = yield* Effect.provide(OrderRehearsal.make, chains)
  const outcomes = yield* Effect.forEach(
    orders,
    ({ block, data, owner = 1 }) => Effect.result(rehearse({ client: simulating, owner: address(owner), data, block })),
    { concurrency: "unbounded" }
  )
  return { calls, results: outcomes.map((each) => (Result.isSuccess(each) ? each.success.returnData : "failed")) }
})

/** Results of rehearsals one after another, for answers to reads of the delegate's code in this order. The last one repeats. */
const rehearseByCodes = Effect.fnUntraced(function* (codes: ReadonlyArray<Effect.Effect<Hex, ChainUnavailable>>) {
  const client = yield* (yield* Chains).get(chain.id)
  let reads = 0
  const reading: ChainClient = {
    ...client,
    code: () => Effect.suspend(() => codes[Math.min(reads++, codes.length - 1)] ?? Effect.die("no answer")),
    simulate: (steps) => Effect.succeed(steps.map(({ data }) => ({ success: true, returnData: data, gasUsed: 1n })))
  }
  const chains = Layer.succeed(Chains, { all: [reading], get: () => Effect.succeed(reading) } as never)
  const rehearse = yield* Effect.provide(OrderRehearsal.make, chains)
  const results: Array<string> = []
  for (const data of ["0x01", "0x02", "0x03"] as const) {
    const outcome = yield* Effect.result(rehearse({ client: reading, owner: address(1), data }))
    results.push(Result.isSuccess(outcome) ? outcome.success.returnData : outcome.failure._tag)
  }
  return { reads, results }
})

const DATA: ReadonlyArray<Hex> = Array.from({ length: 25 }, (_, index) => `0x${(16 + index).toString(16)}` as const)

describe("orders of one moment", () => {
  it.effect("share calls of nearly the same size", () =>
    Effect.gen(function* () {
      const { calls, results } = yield* rehearseAll(DATA.map((data) => ({ data })))
      assert.deepStrictEqual(results, [...DATA])
      assert.deepStrictEqual(
        calls.map(({ data, isApart }) => [data.length, isApart]),
        [
          [7, true],
          [7, true],
          [7, true],
          [4, true]
        ]
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("share none with another owner, or another block", () =>
    Effect.gen(function* () {
      const { calls, results } = yield* rehearseAll([
        { data: "0x01" },
        { data: "0x02", owner: 2 },
        { data: "0x03", block: "other" }
      ])
      assert.deepStrictEqual(results, ["0x01", "0x02", "0x03"])
      assert.deepStrictEqual(
        calls.map(({ data, isApart }) => [...data, isApart]),
        [
          ["0x01", false],
          ["0x02", false],
          ["0x03", false]
        ]
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("find the entry warm in the next block, as a transaction through it does, and cold in another one", () =>
    Effect.gen(function* () {
      const { calls } = yield* rehearseAll([{ data: "0x01" }, { data: "0x02", block: "other" }])
      assert.deepStrictEqual(
        calls.map(({ warm }) => warm),
        [[chain.contracts.entry], []]
      )
    }).pipe(Effect.provide(layer))
  )

  it.effect("have calls of their own if the shared one fails", () =>
    Effect.gen(function* () {
      const { calls, results } = yield* rehearseAll([{ data: "0x01" }, { data: "0x02" }, { data: "0x03" }], (steps) =>
        steps.some(({ data }) => data === "0x02")
      )
      assert.deepStrictEqual(results, ["0x01", "failed", "0x03"])
      assert.strictEqual(calls.length, 4)
    }).pipe(Effect.provide(layer))
  )
})

describe("the delegate's code", () => {
  const code = Effect.succeed(sweepDelegate.runtimeCode)

  it.effect("is read once", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* rehearseByCodes([code]), { reads: 1, results: ["0x01", "0x02", "0x03"] })
    }).pipe(Effect.provide(layer))
  )

  it.effect("is read again after a read that failed, or that found another code", () =>
    Effect.gen(function* () {
      const down = new ChainUnavailable({ chainId: chain.id, method: "eth_getCode", detail: "down" })
      for (const first of [Effect.fail(down), Effect.succeed<Hex>("0x"), Effect.succeed<Hex>("0x6000")]) {
        assert.deepStrictEqual(yield* rehearseByCodes([first, code]), {
          reads: 2,
          results: ["ChainUnavailable", "0x02", "0x03"]
        })
      }
    }).pipe(Effect.provide(layer))
  )
})
