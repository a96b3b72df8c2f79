import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Schema } from "effect"
import { decodeFunctionData, encodeFunctionResult, multicall3Abi, toHex } from "viem"
import * as Multicall3 from "../../../../src/adapters/evm/codec/Multicall3.ts"
import type { Hex } from "../../../../src/domain/Hex.ts"
import { Account, address } from "../../../domain/Arbitraries.ts"

const Bytes = Schema.Array(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 })))
const hexOf = (bytes: ReadonlyArray<number>): Hex => toHex(Uint8Array.from(bytes))

describe("Multicall3", () => {
  it.effect.prop(
    "asks each target, and lets each of them fail",
    [Schema.Array(Schema.Struct({ to: Account, data: Bytes }))],
    ([calls]) =>
      Effect.sync(() => {
        const reads = calls.map(({ data, to }) => ({ to: address(to), data: hexOf(data) }))
        const { args } = decodeFunctionData({ abi: multicall3Abi, data: Multicall3.encode(reads) })
        assert.deepStrictEqual(args, [
          reads.map(({ data, to }) => ({ target: to, allowFailure: true, callData: data }))
        ])
      })
  )

  const Answers = Schema.Array(Schema.Struct({ success: Schema.Boolean, bytes: Bytes }))
  const result = (answers: typeof Answers.Type): Hex =>
    encodeFunctionResult({
      abi: multicall3Abi,
      functionName: "aggregate3",
      result: answers.map(({ bytes, success }) => ({ success, returnData: hexOf(bytes) }))
    })

  it.effect.prop("reads the bytes of every call that succeeded", [Answers], ([answers]) =>
    Effect.sync(() =>
      assert.deepStrictEqual(
        Option.getOrThrow(Multicall3.decode(result(answers))),
        answers.map(({ bytes, success }) => (success ? Option.some(hexOf(bytes)) : Option.none()))
      )
    )
  )

  it.effect.prop("reads nothing in an answer that was cut", [Answers, Schema.Int], ([answers, seed]) =>
    Effect.sync(() => {
      const whole = result([...answers, { success: true, bytes: [1, 2, 3] }])
      // Padding may be missing; anything before it may not.
      const words = (whole.length - 2) / 64 - 1
      const kept = Math.abs(seed) % words
      assert.isTrue(Option.isNone(Multicall3.decode(whole.slice(0, 2 + 64 * kept) as Hex)))
    })
  )

  it("reads nothing in other bytes", () => {
    for (const bytes of ["0x", "0x00", `0x${"ff".repeat(64)}`, `0x${"00".repeat(31)}20${"ff".repeat(32)}`] as const) {
      assert.isTrue(Option.isNone(Multicall3.decode(bytes)), bytes)
    }
  })
})
