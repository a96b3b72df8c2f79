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
  const calls: Array<{ readonly data: ReadonlyArray<Hex>; readonly isApart: boolean }> = []
  const simulating: ChainClient = {
    ...client,
    code: () => Effect.succeed(sweepDelegate.runtimeCode),
    simulate: (steps, options) =>
      Effect.suspend(() => {
        calls.push({ data: steps.map(({ data }) => data), isApart: options?.isApart === true })
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
