import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import * as RouteClaim from "../../../src/adapters/swap/RouteClaim.ts"
import { lessBps } from "../../../src/domain/Amount.ts"
import { address } from "../../support/FakeChain.ts"
import { AMOUNT_OUT, request } from "./serviceAnswers.ts"

const ROUTER = address(0x61)

const claim: RouteClaim.Claim = {
  target: ROUTER,
  calldata: "0x12345678",
  value: 0n,
  spender: ROUTER,
  tokenIn: request.tokenIn,
  tokenOut: request.tokenOut,
  amountIn: request.amountIn,
  recipient: request.recipient,
  amountOut: AMOUNT_OUT,
  minAmountOut: 1_980_000n,
  gas: 200_000n,
  repeated: [["chain", 1, 1]]
}

const objectionTo = (change: Partial<RouteClaim.Claim>, asked = request) =>
  RouteClaim.objection(asked, [ROUTER], { ...claim, ...change })

const isDishonest = (change: Partial<RouteClaim.Claim>, detail: string) =>
  assert.deepStrictEqual(objectionTo(change), { kind: "dishonest", detail })

const isUnsuited = (change: Partial<RouteClaim.Claim>, detail: string) =>
  assert.deepStrictEqual(objectionTo(change), { kind: "unsuited", detail })

const Amount = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2 ** 50 }))
const Bps = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10_000 }))

describe("RouteClaim", () => {
  it("names a contradiction of the request, for which the service answers", () => {
    const other = address(0x99)
    assert.isUndefined(objectionTo({}))
    isDishonest({ target: other }, `calls ${other}, which is not its router`)
    isDishonest({ spender: other }, `wants an allowance for ${other} and calls ${ROUTER}`)
    isDishonest({ tokenIn: other }, `sells ${other}`)
    isDishonest({ tokenOut: other }, `buys ${other}`)
    isDishonest({ amountIn: 1n }, "sells 1 in place of 1000000")
    isDishonest({ recipient: other }, `pays to ${other}`)
    isDishonest({ repeated: [["chain", 1, 2]] }, "has another chain than the request")
    assert.isDefined(RouteClaim.objection(request, [], claim))
    // A contradiction counts, whatever else is wrong.
    isDishonest({ recipient: other, gas: 15_000_001n, amountOut: 0n, minAmountOut: 0n }, `pays to ${other}`)
  })

  it("names terms that odd requests can bring about", () => {
    isUnsuited({ value: 1n }, "needs 1 wei of native currency")
    isUnsuited({ amountOut: 0n, minAmountOut: 0n }, "pays nothing")
    isUnsuited({ amountOut: 1_979_999n }, "has a minimum above the expected output")
    isUnsuited({ minAmountOut: 1_979_799n }, "has a minimum of 1979799 for 2000000 at 100 basis points")
    assert.isUndefined(objectionTo({ minAmountOut: 1_979_800n }))
    isUnsuited({ gas: 15_000_001n }, "needs 15000001 gas")
    isUnsuited({ calldata: `0x${"00".repeat(24_577)}` }, "has 24577 bytes of calldata")
  })

  it.prop(
    "promises what the order can hold, and never less than the call",
    [Amount, Bps, Bps],
    ([amount, slippageBps, lossBps]) => {
      const amountOut = BigInt(amount)
      const minAmountOut = lessBps(amountOut, lossBps)
      const asked = { ...request, slippageBps }
      const made = RouteClaim.route("x", asked, [ROUTER], { ...claim, amountOut, minAmountOut, gas: 1n })
      if (Result.isFailure(made)) return assert.isTrue(lossBps > slippageBps)
      const route = made.success
      assert.isTrue(route.minAmountOut >= 1n && route.minAmountOut >= minAmountOut)
      assert.isTrue(route.minAmountOut >= lessBps(amountOut, slippageBps))
      assert.isTrue(route.minAmountOut <= amountOut)
      assert.strictEqual(route.gas, 60_000n)
    }
  )
})
