/** Calldata of quotes, which is written by hand. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { encodeFunctionData } from "viem"
import { quoteCall } from "../../../src/adapters/swap/UniswapV3Market.ts"
import * as Path from "../../../src/adapters/swap/UniswapV3Path.ts"
import { quoterV2Abi } from "../../../src/adapters/swap/uniswapV3Abi.ts"
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
