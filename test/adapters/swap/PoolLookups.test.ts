/** Lookups of pools that share their calls. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { decodeFunctionData, encodeFunctionResult, getAbiItem, multicall3Abi } from "viem"
import type * as Multicall3 from "../../../src/adapters/evm/codec/Multicall3.ts"
import * as PoolLookups from "../../../src/adapters/swap/PoolLookups.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { CallReverted, ChainUnavailable } from "../../../src/ports/shared/Chains.ts"
import * as Priority from "../../../src/ports/shared/Priority.ts"
import { address, client } from "../../support/FakeChain.ts"

const abi = [getAbiItem({ abi: multicall3Abi, name: "aggregate3" })]

const [FIRST, SECOND, BROKEN] = [address(1), address(2), address(3)]

const read = (to: Address.Address, data: Hex): Multicall3.Read => ({ to, data })

/** A chain whose contracts answer with the calldata. A call with a read of {@link BROKEN} runs out of gas. */
const echoing = () => {
  const calls: Array<ReadonlyArray<Hex>> = []
  const chain = client({
    call: ({ data }) =>
      Effect.suspend(() => {
        const [reads] = decodeFunctionData({ abi, data: data ?? "0x" }).args
        calls.push(reads.map(({ callData }) => callData))
        if (reads.some(({ target }) => Address.of(target) === BROKEN)) {
          return Effect.fail(new CallReverted({ chainId: 1, data: "0x", detail: "out of gas" }))
        }
        const result = reads.map(({ callData }) => ({ success: callData !== "0x00", returnData: callData }))
        return Effect.succeed(encodeFunctionResult({ abi, functionName: "aggregate3", result }))
      })
  })
  return { calls, chain }
}

const hexes = (answers: ReadonlyArray<Multicall3.Answer>) =>
  answers.map((answer) => (answer._tag === "Some" ? answer.value : "none"))

describe("lookups that are made at the same moment", () => {
  it.effect("share a call, in which each of them is made once", () =>
    Effect.gen(function* () {
      const { calls, chain } = echoing()
      const lookUp = PoolLookups.make()
      const answers = yield* Effect.all(
        [
          lookUp(chain, [read(FIRST, "0x01"), read(FIRST, "0x00")]),
          lookUp(chain, []),
          lookUp(chain, [read(SECOND, "0x02"), read(FIRST, "0x01"), read(SECOND, "0x01")])
        ],
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(answers.map(hexes), [["0x01", "none"], [], ["0x02", "0x01", "0x01"]])
      assert.deepStrictEqual(calls, [["0x01", "0x00", "0x02", "0x01"]])
    })
  )

  it.effect("are made apart if the call fails, so that one exchange fails no other", () =>
    Effect.gen(function* () {
      const { calls, chain } = echoing()
      const lookUp = PoolLookups.make()
      const [good, broken] = yield* Effect.all(
        [lookUp(chain, [read(FIRST, "0x01")]), lookUp(chain, [read(BROKEN, "0x02")])].map(Effect.result),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(good?._tag === "Success" ? hexes(good.success) : good, ["0x01"])
      assert.strictEqual(broken?._tag, "Failure")
      assert.deepStrictEqual(calls, [["0x01", "0x02"], ["0x01"], ["0x02"]])
    })
  )

  it.effect("all fail with a node that does not answer, which is not asked once more by each", () =>
    Effect.gen(function* () {
      let calls = 0
      const failure = new ChainUnavailable({ chainId: 1, method: "eth_call", detail: "no answer" })
      const chain = client({
        call: () =>
          Effect.suspend(() => {
            calls++
            return Effect.fail(failure)
          })
      })
      const lookUp = PoolLookups.make()
      const results = yield* Effect.all(
        [FIRST, SECOND].map((to) => Effect.flip(lookUp(chain, [read(to, "0x01")]))),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([results, calls], [[failure, failure], 1])
    })
  )

  it.effect("share no call with those of another priority", () =>
    Effect.gen(function* () {
      const { calls, chain } = echoing()
      const lookUp = PoolLookups.make()
      yield* Effect.all(
        [
          Priority.at("quote")(lookUp(chain, [read(FIRST, "0x01")])),
          Priority.at("portfolio")(lookUp(chain, [read(FIRST, "0x02")]))
        ],
        { concurrency: "unbounded" }
      )
      assert.sameDeepMembers(calls, [["0x01"], ["0x02"]])
    })
  )
})

/** As many different reads of a contract, from a number on. */
const many = (to: Address.Address, count: number, from = 0): ReadonlyArray<Multicall3.Read> =>
  Array.from({ length: count }, (_, index) => read(to, `0x${(from + index + 1).toString(16).padStart(8, "0")}`))

/** A chain whose calls with a read of {@link SECOND} wait for `gate`. */
const gated = <E extends CallReverted | ChainUnavailable>(gate: Effect.Effect<void, E>) => {
  const { calls, chain } = echoing()
  let inFlight = 0
  let most = 0
  const call: typeof chain.call = (request) =>
    Effect.gen(function* () {
      most = Math.max(most, ++inFlight)
      const [reads] = decodeFunctionData({ abi, data: request.data ?? "0x" }).args
      if (reads.some(({ target }) => Address.of(target) === SECOND)) yield* gate
      else yield* Effect.yieldNow
      return yield* chain.call(request)
    }).pipe(Effect.ensuring(Effect.sync(() => void inFlight--)))
  return { calls, chain: { ...chain, call }, most: () => most }
}

describe("more lookups than fit into a call", () => {
  it.effect("are answered as soon as their own calls are", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const { chain } = gated(Deferred.await(gate))
      const lookUp = PoolLookups.make()
      const quick = yield* Effect.forkChild(lookUp(chain, many(FIRST, 200)))
      const slow = yield* Effect.forkChild(lookUp(chain, many(SECOND, 200)))
      assert.lengthOf(yield* Fiber.join(quick), 200)
      assert.isUndefined(slow.pollUnsafe())
      yield* Deferred.succeed(gate, undefined)
      assert.lengthOf(yield* Fiber.join(slow), 200)
    })
  )

  it.effect("fail with their own calls alone, and those that share one with them", () =>
    Effect.gen(function* () {
      const failure = new ChainUnavailable({ chainId: 1, method: "eth_call", detail: "no answer" })
      const { calls, chain } = gated(Effect.fail(failure))
      const lookUp = PoolLookups.make()
      const results = yield* Effect.all(
        [
          lookUp(chain, many(FIRST, 200)),
          // Its reads lie in two calls.
          lookUp(chain, [...many(FIRST, 150, 1_000), ...many(SECOND, 100)]),
          lookUp(chain, many(FIRST, 150, 2_000)),
          lookUp(chain, many(FIRST, 200, 3_000))
        ].map(Effect.result),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        results.map(({ _tag }) => _tag),
        ["Success", "Failure", "Failure", "Success"]
      )
      // Nothing is asked again of a node that does not answer.
      assert.lengthOf(calls, 2)
    })
  )

  it.effect("fail without a call of their own once the node does not answer, unless theirs is in flight", () =>
    Effect.gen(function* () {
      const failure = new ChainUnavailable({ chainId: 1, method: "eth_call", detail: "no answer" })
      const { calls, chain, most } = gated(Effect.andThen(Effect.yieldNow, Effect.fail(failure)))
      const lookUp = PoolLookups.make()
      const results = yield* Effect.all(
        [
          lookUp(chain, many(SECOND, 200)),
          ...Array.from({ length: 26 }, (_, index) => lookUp(chain, many(FIRST, 200, (index + 1) * 1_000)))
        ].map(Effect.result),
        { concurrency: "unbounded" }
      )
      const failures = results.flatMap((result) => (result._tag === "Failure" ? [result.failure] : []))
      assert.deepStrictEqual(new Set(failures), new Set([failure]))
      assert.deepStrictEqual([results[0]?._tag, results[1]?._tag, results[15]?._tag], ["Failure", "Success", "Success"])
      // The first call failed, and those beside it are answered.
      assert.deepStrictEqual([most(), calls.length, failures.length], [16, 15, 12])
    })
  )

  it.effect("are made apart if only their own call runs out of gas", () =>
    Effect.gen(function* () {
      const { calls, chain } = echoing()
      const lookUp = PoolLookups.make()
      const results = yield* Effect.all(
        [
          lookUp(chain, many(FIRST, 200)),
          lookUp(chain, many(FIRST, 100, 1_000)),
          lookUp(chain, [read(BROKEN, "0x02")])
        ].map(Effect.result),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(
        results.map(({ _tag }) => _tag),
        ["Success", "Success", "Failure"]
      )
      assert.sameMembers(
        calls.map(({ length }) => length),
        [200, 101, 100, 1]
      )
    })
  )

  it.effect("are made side by side, within a bound", () =>
    Effect.gen(function* () {
      const { calls, chain, most } = gated(Effect.void)
      const lookUp = PoolLookups.make()
      yield* Effect.all(
        Array.from({ length: 27 }, (_, index) => lookUp(chain, many(FIRST, 200, index * 1_000))),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(calls.length, 27)
      assert.strictEqual(most(), 16)
    })
  )
})
