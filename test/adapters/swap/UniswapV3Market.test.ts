/** Calldata and answers of quotes, which are written and read by hand. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option } from "effect"
import { encodeFunctionData, encodeFunctionResult } from "viem"
import { asking, poolReads, quoteCall } from "../../../src/adapters/swap/UniswapV3Market.ts"
import * as Path from "../../../src/adapters/swap/UniswapV3Path.ts"
import { quoterV2Abi } from "../../../src/adapters/swap/uniswapV3Abi.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { address as fakeAddress } from "../../support/FakeChain.ts"
import { Account, address, Uint256 } from "../../domain/Arbitraries.ts"

describe("a quote", () => {
  it.effect.prop("is asked for as viem asks, along every path", [Account, Account, Account, Uint256], (given) =>
    Effect.sync(() => {
      const [tokenIn, tokenOut, hop] = [address(given[0]), address(given[1]), address(given[2])]
      const amountIn = given[3]
      for (const path of Path.candidates(tokenIn, tokenOut, [hop])) {
        assert.strictEqual(
          quoteCall(path, { tokenIn, tokenOut })(amountIn),
          path._tag === "Direct"
            ? encodeFunctionData({
                abi: quoterV2Abi,
                functionName: "quoteExactInputSingle",
                args: [{ tokenIn, tokenOut, amountIn, fee: path.fee, sqrtPriceLimitX96: 0n }]
              })
            : encodeFunctionData({
                abi: quoterV2Abi,
                functionName: "quoteExactInput",
                args: [Path.encode(tokenIn, path, tokenOut), amountIn]
              }),
          JSON.stringify(path)
        )
      }
    })
  )
})

describe("an answer", () => {
  const pair = { tokenIn: fakeAddress(0x11), tokenOut: fakeAddress(0x12) }
  const direct: Path.Path = { _tag: "Direct", fee: 500 }
  const hops: Path.Path = { _tag: "Via", token: fakeAddress(0x13), fees: [500, 3_000] }

  /** Square roots of prices at which a pool has nothing left in one direction. */
  const ends = [4_295_128_740n, 1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_341n]
  const usual = 2n ** 96n

  const single = (after: bigint) =>
    encodeFunctionResult({ abi: quoterV2Abi, functionName: "quoteExactInputSingle", result: [70n, after, 1, 90_000n] })
  const along = (after: ReadonlyArray<bigint>) =>
    encodeFunctionResult({
      abi: quoterV2Abi,
      functionName: "quoteExactInput",
      result: [70n, after, after.map(() => 1), 180_000n]
    })
  const sampleOf = (path: Path.Path, data: Hex) =>
    Option.getOrUndefined(asking(path, pair, "uint24").sampleOf(100n, data))

  it("tells the output and the gas", () => {
    assert.deepStrictEqual(sampleOf(direct, single(usual)), { amountIn: 100n, amountOut: 70n, gas: 90_000n })
    assert.deepStrictEqual(sampleOf(hops, along([usual, usual])), { amountIn: 100n, amountOut: 70n, gas: 180_000n })
  })

  it("is none for the amount if a pool took a part of it only", () => {
    const [read] = poolReads({ quoter: fakeAddress(0x14) }, pair)
    for (const end of ends) {
      assert.isUndefined(sampleOf(direct, single(end)))
      assert.deepStrictEqual(read?.amountOf(single(end)), Option.none())
      assert.isUndefined(sampleOf(hops, along([end, usual])))
      assert.isUndefined(sampleOf(hops, along([usual, end])))
    }
    assert.deepStrictEqual(read?.amountOf(single(usual)), Option.some(70n))
  })

  it("is none if it is not a quote", () => {
    for (const path of [direct, hops]) {
      for (const data of ["0x", "0x01", `0x${"00".repeat(96)}`] as const) assert.isUndefined(sampleOf(path, data))
    }
    // The list begins or ends behind the answer.
    const words = along([usual, usual])
    assert.isUndefined(sampleOf(hops, words.slice(0, 2 + 64 * 6) as Hex))
    assert.isUndefined(sampleOf(hops, `0x${"ff".repeat(32 * 4)}`))
  })
})
