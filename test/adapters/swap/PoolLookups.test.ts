/** Lookups of pools that share their calls. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
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
