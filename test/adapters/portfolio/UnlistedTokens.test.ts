import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { encodeFunctionResult, erc20Abi, numberToHex } from "viem"
import type * as Multicall3 from "../../../src/adapters/evm/codec/Multicall3.ts"
import * as UnlistedTokens from "../../../src/adapters/portfolio/UnlistedTokens.ts"
import * as FakeChain from "../../support/FakeChain.ts"

const TOKEN = FakeChain.address(0xa1)
const word = (value: number) => Option.some(numberToHex(value, { size: 32 }))
const text = (value: string) =>
  Option.some(encodeFunctionResult({ abi: erc20Abi, functionName: "symbol", result: value }))

describe("UnlistedTokens", () => {
  it.effect("reads again what a node refused to tell, and remembers the rest", () =>
    Effect.gen(function* () {
      const read = UnlistedTokens.make()
      const ask = (answers: ReadonlyArray<Multicall3.Answer>) =>
        Effect.map(
          read(
            FakeChain.client({}),
            (reads) => Effect.sync(() => (assert.strictEqual(reads.length, answers.length), answers)),
            [TOKEN],
            "0x70a08231"
          ),
          (held) => held.map(({ balance, token: { name, symbol } }) => [balance, symbol, name])
        )
      assert.deepStrictEqual(yield* ask([word(5), word(18), Option.none(), text("Token")]), [[5n, "UNKNOWN", "Token"]])
      assert.deepStrictEqual(yield* ask([word(6), word(18), text("TKN"), text("Token")]), [[6n, "TKN", "Token"]])
      assert.deepStrictEqual(yield* ask([word(7)]), [[7n, "TKN", "Token"]])
    })
  )
})
