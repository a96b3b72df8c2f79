/** Calls that each reader of routers' calls reads, and calls that it does not read. */
import { concatHex, type Hex, zeroAddress } from "viem"
import {
  readKyberSwapCall,
  readLiFiCall,
  readSlipstreamCall,
  readSolidlyCall,
  readUniswapV2Call,
  readUniswapV3Call,
  readUniswapV4Call,
  readZeroExCall,
  type SwapReader
} from "../../src/sdk/venues.ts"
import { OTHER, request, swapOf } from "./Offers.ts"
import {
  exchange,
  kyber,
  kyberSimple,
  liFi,
  liFiGeneric,
  SETTLER,
  settled,
  simpleData,
  theft,
  zeroEx
} from "./AggregatorCalls.ts"
import {
  AMOUNT,
  DESTINATION,
  hop,
  MINIMUM,
  several,
  slipstream,
  solidly,
  swept,
  unsafeSolidly,
  unwrapped,
  v2,
  v3,
  v3Path,
  v4
} from "./VenueCalls.ts"

export const NATIVE = "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE"
const { tokenIn, tokenOut } = request

/** Terms that the calls state. */
export const swap = {
  tokenIn,
  amountIn: AMOUNT,
  tokenOut,
  minAmountOut: MINIMUM,
  recipient: DESTINATION,
  unwraps: false
}

/** Of each reader of exchanges: swaps that it reads as {@link swap}, or as one into native currency, and calls that it does not read. */
export const READERS: Readonly<
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
  "Uniswap v4": {
    read: readUniswapV4Call,
    reads: [v4(), v4({}, [OTHER]), v4({}, [zeroAddress])],
    unwraps: [v4({ tokenOut: zeroAddress }), v4({ tokenOut: zeroAddress }, [OTHER])],
    refuses: {
      "no pools": v4({}, [], true),
      "native input": v4({ tokenIn: zeroAddress }),
      "another family's call": v3Path()
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

/** The same of aggregators. */
export const AGGREGATORS: typeof READERS = {
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
    reads: [
      kyber(),
      kyber({}, { srcReceivers: [SETTLER, OTHER], srcAmounts: [AMOUNT - 1n, 1n] }),
      kyberSimple(),
      kyberSimple({}, {}, simpleData([AMOUNT - 1n, 1n]))
    ],
    unwraps: [kyber({ tokenOut: NATIVE }), kyberSimple({ tokenOut: NATIVE })],
    refuses: {
      "a receiver of fees": kyber({}, { feeReceivers: [OTHER] }),
      "an amount of fees": kyber({}, { feeAmounts: [1n] }),
      "a permit": kyber({}, { permit: "0x00" }),
      "a part of the amount": kyber({}, { flags: 0x01n }),
      "native currency beside the token": kyber({}, { flags: 0x02n }),
      "tokens that are burned for gas": kyber({}, { flags: 0x08n }),
      "tokens of the sender that are burned for gas": kyber({}, { flags: 0x10n }),
      "more taken than stated": kyber({}, { srcAmounts: [AMOUNT + 1n] }),
      "less taken than stated": kyber({}, { srcAmounts: [] }),
      "more taken in simple mode": kyberSimple({}, {}, simpleData([AMOUNT, 1n])),
      "less taken in simple mode": kyberSimple({}, {}, simpleData([AMOUNT - 1n])),
      "pools and amounts of other numbers": kyberSimple({}, {}, simpleData([AMOUNT], [SETTLER, OTHER])),
      "unread data in simple mode": kyberSimple({}, {}, "0xabcd"),
      "a receiver of fees in simple mode": kyberSimple({}, { feeReceivers: [OTHER] }),
      "a permit in simple mode": kyberSimple({}, { permit: "0x00" }),
      "a part of the amount in simple mode": kyberSimple({}, { flags: 0x01n })
    }
  },
  "LI.FI": {
    read: readLiFiCall,
    reads: [
      liFi(),
      liFi({}, [exchange(tokenIn, OTHER, AMOUNT, true), exchange(OTHER, tokenOut, 1n, false)]),
      liFi({}, [exchange(tokenIn, tokenOut, AMOUNT, true)]),
      liFiGeneric([exchange(tokenIn, tokenOut, AMOUNT, true)]),
      liFiGeneric([exchange(tokenIn, OTHER, AMOUNT, true), exchange(OTHER, tokenOut, 1n, false)])
    ],
    unwraps: [
      liFi({ tokenOut: zeroAddress }),
      liFi({}, [exchange(tokenIn, zeroAddress, AMOUNT, true)], true),
      liFiGeneric([exchange(tokenIn, zeroAddress, AMOUNT, true)])
    ],
    refuses: {
      "a second deposit": liFi({}, [exchange(tokenIn, OTHER, AMOUNT, true), exchange(OTHER, tokenOut, 1n, true)]),
      "no deposit": liFi({}, [exchange(tokenIn, tokenOut, AMOUNT, false)]),
      "no steps": liFi({}, []),
      "no steps of the generic call": liFiGeneric([]),
      "a second deposit of the generic call": liFiGeneric([
        exchange(tokenIn, OTHER, AMOUNT, true),
        exchange(OTHER, tokenOut, 1n, true)
      ]),
      "no deposit of the generic call": liFiGeneric([exchange(tokenIn, tokenOut, AMOUNT, false)]),
      "native currency by the function for tokens": liFi({ tokenOut: zeroAddress }, undefined, false),
      "a token by the function for native currency": liFi({}, undefined, true)
    }
  }
}
