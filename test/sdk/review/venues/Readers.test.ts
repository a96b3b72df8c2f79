/** The readers of routers' calls: each reads one swap of an exact amount, and nothing else. */
import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { createRequire } from "node:module"
import { type AbiFunction, concatHex, getAddress, type Hex, pad, toFunctionSelector, zeroAddress } from "viem"
import {
  readKyberSwapCall,
  readLiFiCall,
  readSlipstreamCall,
  readSolidlyCall,
  readSwapRouter02,
  readUniswapV2Call,
  readUniswapV3Call,
  readVenueCall,
  readZeroExCall,
  type SwapReader
} from "../../../../src/sdk/venues.ts"
import { OTHER, request, ROUTER, routed, swapOf } from "../../Offers.ts"
import {
  AMOUNT,
  DESTINATION,
  exchange,
  hop,
  kyber,
  liFi,
  MINIMUM,
  SETTLER,
  settled,
  several,
  slipstream,
  solidly,
  swept,
  theft,
  unsafeSolidly,
  unwrapped,
  v2,
  v3,
  v3Path,
  zeroEx
} from "../../VenueCalls.ts"

const NATIVE = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE"
const { tokenIn, tokenOut } = request

const swap = { tokenIn, amountIn: AMOUNT, tokenOut, minAmountOut: MINIMUM, recipient: DESTINATION, unwraps: false }

/** Of each reader: swaps that it reads as {@link swap}, or as one into native currency, and calls that it does not read. */
const READERS: Readonly<
  Record<
    string,
    {
      readonly read: SwapReader
      readonly reads: ReadonlyArray<Hex>
      readonly unwraps: ReadonlyArray<Hex>
      readonly refuses: Readonly<Record<string, Hex>>
    }
  >
> = {
  "Uniswap v2": {
    read: readUniswapV2Call,
    reads: [
      v2(),
      v2({}, "swapExactTokensForTokensSupportingFeeOnTransferTokens"),
      v2({}, "swapExactTokensForTokens", [tokenIn, OTHER, tokenOut])
    ],
    unwraps: [v2({}, "swapExactTokensForETH"), v2({}, "swapExactTokensForETHSupportingFeeOnTransferTokens")],
    refuses: {
      "an exact output": v2({}, "swapTokensForExactTokens"),
      "a path of one token": v2({}, "swapExactTokensForTokens", [tokenIn]),
      "no path": v2({}, "swapExactTokensForTokens", []),
      "another family's call": solidly()
    }
  },
  Solidly: {
    read: readSolidlyCall,
    reads: [
      solidly(),
      solidly({}, "swapExactTokensForTokensSupportingFeeOnTransferTokens"),
      solidly({}, "swapExactTokensForTokens", [hop(tokenIn, OTHER), hop(OTHER, tokenOut)])
    ],
    unwraps: [solidly({}, "swapExactTokensForETH"), solidly({}, "swapExactTokensForETHSupportingFeeOnTransferTokens")],
    refuses: {
      "hops that do not join": solidly({}, "swapExactTokensForTokens", [hop(tokenIn, OTHER), hop(tokenIn, tokenOut)]),
      "no hops": solidly({}, "swapExactTokensForTokens", []),
      "amounts for each pool": unsafeSolidly(),
      "another family's call": v2()
    }
  },
  "Uniswap v3 with deadlines": {
    read: readUniswapV3Call,
    reads: [v3(), v3Path(), v3Path({}, [OTHER]), several(v3()), several(v3Path({}, [OTHER]))],
    unwraps: [
      several(v3({ recipient: zeroAddress }), unwrapped()),
      several(v3Path({ recipient: zeroAddress }), unwrapped())
    ],
    refuses: {
      "a limit of the price": v3({}, 1n),
      "an output that stays in the router": v3({ recipient: zeroAddress }),
      "an output that stays in the router, in a multicall": several(v3({ recipient: zeroAddress })),
      "unwrapping what it does not hold": several(v3(), unwrapped()),
      "a transfer out of the router": several(v3({ recipient: zeroAddress }), swept()),
      "two swaps": several(v3(), v3({ tokenIn: OTHER })),
      "three calls": several(v3({ recipient: zeroAddress }), unwrapped(), v3()),
      "unwrapping alone": several(unwrapped()),
      "no calls": several(),
      "a multicall in a multicall": several(several(v3())),
      "surplus bytes inside": several(concatHex([v3(), "0x00"])),
      "a path of one token": v3Path({}, [], tokenIn),
      "a path with half a hop": v3Path({}, [], concatHex([tokenIn, "0x0001f4"])),
      "another family's call": slipstream(),
      "a call without deadline": swapOf()
    }
  },
  Slipstream: {
    read: readSlipstreamCall,
    reads: [slipstream(), v3Path({}, [OTHER]), several(slipstream())],
    unwraps: [several(slipstream({ recipient: zeroAddress }), unwrapped())],
    refuses: {
      "a limit of the price": slipstream({}, 1n),
      "an output that stays in the router": slipstream({ recipient: zeroAddress }),
      "two swaps": several(slipstream(), slipstream({ tokenIn: OTHER })),
      "another family's call": v3()
    }
  }
}

const AGGREGATORS: typeof READERS = {
  "0x": {
    read: readZeroExCall,
    reads: [zeroEx(), zeroEx({}, concatHex([settled(), "0x00"]))],
    unwraps: [zeroEx({ tokenOut: NATIVE })],
    refuses: {
      "an operator that is not the target": zeroEx({}, settled(), OTHER),
      "another function of the target": zeroEx({}, theft()),
      "no call of the target": zeroEx({}, "0x"),
      "a bare call of the contract that swaps": settled()
    }
  },
  KyberSwap: {
    read: readKyberSwapCall,
    reads: [kyber(), kyber({}, { srcReceivers: [SETTLER, OTHER], srcAmounts: [AMOUNT - 1n, 1n] })],
    unwraps: [kyber({ tokenOut: NATIVE })],
    refuses: {
      "a receiver of fees": kyber({}, { feeReceivers: [OTHER] }),
      "an amount of fees": kyber({}, { feeAmounts: [1n] }),
      "a permit": kyber({}, { permit: "0x00" }),
      "more taken than stated": kyber({}, { srcAmounts: [AMOUNT + 1n] }),
      "less taken than stated": kyber({}, { srcAmounts: [] })
    }
  },
  "LI.FI": {
    read: readLiFiCall,
    reads: [
      liFi(),
      liFi({}, [exchange(tokenIn, OTHER, AMOUNT, true), exchange(OTHER, tokenOut, 1n, false)]),
      liFi({}, [exchange(tokenIn, tokenOut, AMOUNT, true)])
    ],
    unwraps: [liFi({ tokenOut: zeroAddress }), liFi({}, [exchange(tokenIn, zeroAddress, AMOUNT, true)], true)],
    refuses: {
      "a second deposit": liFi({}, [exchange(tokenIn, OTHER, AMOUNT, true), exchange(OTHER, tokenOut, 1n, true)]),
      "no steps": liFi({}, []),
      "native currency by the function for tokens": liFi({ tokenOut: zeroAddress }, undefined, false),
      "a token by the function for native currency": liFi({}, undefined, true)
    }
  }
}

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
        assert.deepStrictEqual(found, { ...swap, tokenOut: partly ? NATIVE : tokenOut, unwraps: true })
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
    for (const { reads, unwraps } of Object.values(READERS)) {
      for (const call of reads) assert.deepStrictEqual(readVenueCall(ROUTER, call), swap)
      for (const call of unwraps) assert.deepStrictEqual(readVenueCall(ROUTER, call), { ...swap, unwraps: true })
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
