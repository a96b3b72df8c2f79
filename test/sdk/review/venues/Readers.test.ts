/** The readers of routers' calls: each reads one swap of an exact amount, and nothing else. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { createRequire } from "node:module"
import { type AbiFunction, getAddress, type Hex, pad, toFunctionSelector } from "viem"
import {
  readKyberSwapCall,
  readLiFiCall,
  readSlipstreamCall,
  readSolidlyCall,
  readSwapRouter02,
  readUniswapV2Call,
  readUniswapV3Call,
  readUniswapV4Call,
  readVenueCall,
  readZeroExCall
} from "../../../../src/sdk/venues.ts"
import { request, ROUTER, routed, swapOf } from "../../Offers.ts"
import { kyber, liFi, settled, zeroEx } from "../../AggregatorCalls.ts"
import { several, slipstream, solidly, unwrapped, v2, v3, v3Path, v4 } from "../../VenueCalls.ts"
import { AGGREGATORS, NATIVE, READERS, swap } from "../../VenueCases.ts"

const { tokenOut } = request

for (const [name, { read, reads, refuses, unwraps }] of Object.entries({ ...READERS, ...AGGREGATORS })) {
  const partly = name in AGGREGATORS
  describe(`the reader of ${name}`, () => {
    it("reads the terms of a swap", () => {
      for (const call of reads) {
        const { warning, ...found } = read(ROUTER, call) ?? assert.fail(call)
        assert.deepStrictEqual(found, swap)
        assert.strictEqual(warning !== undefined, partly)
      }
    })

    it("tells a swap into native currency", () => {
      for (const call of unwraps) {
        const { warning: _, ...found } = read(ROUTER, call) ?? assert.fail(call)
        assert.deepStrictEqual(found, {
          ...swap,
          tokenOut: partly || name === "Uniswap v4" ? NATIVE : tokenOut,
          unwraps: true
        })
      }
    })

    it("accepts an address in any case", () => {
      const [call] = reads
      assert.isDefined(read(ROUTER, `0x${call?.slice(2).toUpperCase()}`))
    })

    for (const [what, call] of Object.entries(refuses)) {
      it(`does not read ${what}`, () => assert.isUndefined(read(ROUTER, call)))
    }

    it("reads no call with other bytes than it needs, and no part of one", () => {
      for (const call of [...reads, ...unwraps]) {
        assert.isUndefined(read(ROUTER, `${call}00`))
        assert.isUndefined(read(ROUTER, `${call}${"00".repeat(32)}`))
        for (let end = 2; end < call.length; end += 2) assert.isUndefined(read(ROUTER, call.slice(0, end) as Hex))
      }
    })

    it.prop("throws for no bytes", [Schema.String], ([text]) => {
      const bytes = Buffer.from(text).toString("hex")
      for (const call of [`0x${bytes}`, `${reads[0]?.slice(0, 10)}${bytes}`]) read(ROUTER, call as Hex)
    })
  })
}

const Account = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 3n, maximum: 2n ** 160n - 1n }))
const Amount = Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: 0n, maximum: 2n ** 256n - 1n }))

const addressOf = (account: bigint): Hex => getAddress(pad(`0x${account.toString(16)}`, { size: 20 }))

describe("a call of each router", () => {
  it.prop("has its terms read as they are", [Account, Account, Account, Amount, Amount], (numbers) => {
    const [one, another, third, amountIn, minAmountOut] = numbers
    const [from, to, recipient] = [addressOf(one), addressOf(another), addressOf(third)]
    const terms = { tokenIn: from, tokenOut: to, recipient, amountIn, minAmountOut }
    for (const [read, call] of [
      [readUniswapV2Call, v2],
      [readSolidlyCall, solidly],
      [readUniswapV3Call, v3],
      [readUniswapV3Call, v3Path],
      [readSlipstreamCall, slipstream],
      [readUniswapV4Call, v4],
      [readZeroExCall, zeroEx],
      [readKyberSwapCall, kyber],
      [readLiFiCall, liFi]
    ] as const) {
      assert.deepInclude(read(ROUTER, call(terms)), { ...terms, unwraps: false })
    }
  })

  it("has the published selectors", () => {
    const require = createRequire(import.meta.url)
    const published = (file: string): ReadonlyArray<Hex> =>
      (require(file).abi as ReadonlyArray<AbiFunction>).flatMap((item) =>
        item.type === "function" ? [toFunctionSelector(item)] : []
      )
    const v2Router = published("@uniswap/v2-periphery/build/IUniswapV2Router02.json")
    const { reads, unwraps } = READERS["Uniswap v2"] ?? assert.fail()
    for (const call of [...reads, ...unwraps]) assert.include(v2Router, call.slice(0, 10))
    const v3Router = published("@uniswap/v3-periphery/artifacts/contracts/SwapRouter.sol/SwapRouter.json")
    for (const call of [v3(), v3Path(), several(v3()), unwrapped()]) assert.include(v3Router, call.slice(0, 10))
    assert.deepStrictEqual(
      [solidly(), slipstream(), zeroEx(), settled(), kyber(), liFi(), liFi({}, [])].map((call) => call.slice(0, 10)),
      ["0xcac88ea9", "0xa026383e", "0x2213bc0b", "0x1fff991f", "0xe21fd0e9", "0x4666fc80", "0x5fd9ae2e"]
    )
  })
})

describe("the reader of any exchange", () => {
  it("reads what each of them reads", () => {
    for (const { read, reads, unwraps } of Object.values(READERS)) {
      for (const call of reads) assert.deepStrictEqual(readVenueCall(ROUTER, call), swap)
      for (const call of unwraps) assert.deepStrictEqual(readVenueCall(ROUTER, call), read(ROUTER, call))
    }
    assert.deepStrictEqual(readVenueCall(ROUTER, routed(swapOf())), readSwapRouter02(ROUTER, routed(swapOf())))
  })

  it("does not read calls of aggregators", () => {
    for (const { reads } of Object.values(AGGREGATORS)) {
      for (const call of reads) assert.isUndefined(readVenueCall(ROUTER, call))
    }
  })

  it("gives each call one meaning", () => {
    const readers = [...Object.values(READERS), ...Object.values(AGGREGATORS)]
    for (const call of readers.flatMap(({ reads, unwraps }) => [...reads, ...unwraps])) {
      const meanings = readers.flatMap(({ read }) => read(ROUTER, call) ?? [])
      for (const meaning of meanings) assert.deepStrictEqual(meaning, meanings[0])
    }
  })
})
