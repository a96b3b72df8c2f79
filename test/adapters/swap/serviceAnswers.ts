/** Honest answers of services that offer routes over HTTP, in the shapes of their documentation, and ways to make them wrong. */
import { encodeAbiParameters, encodeFunctionData, parseAbi, parseAbiParameters } from "viem"
import * as Shapes from "../../../src/devnet/market/ServiceShapes.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { NATIVE } from "../../../src/domain/Token.ts"
import type { SwapRequest } from "../../../src/ports/orchestrator/SwapVenue.ts"
import { address } from "../../support/FakeChain.ts"

export const request: SwapRequest = {
  chainId: 8453,
  tokenIn: address(0x11),
  tokenOut: address(0x12),
  amountIn: 1_000_000n,
  sender: address(0x21),
  recipient: address(0x22),
  slippageBps: 100,
  deadline: 1_800_000_000n
}

/** Terms of a call. Each field can be made wrong. */
export interface Terms {
  readonly tokenIn: Address.Address
  readonly tokenOut: Address.Address
  readonly amountIn: bigint
  readonly minAmountOut: bigint
  readonly recipient: Address.Address
}

export const AMOUNT_OUT = 2_000_000n
const MINIMUM = 1_980_000n

export const termsOf = ({ amountIn, recipient, tokenIn, tokenOut }: SwapRequest): Terms => ({
  tokenIn,
  tokenOut,
  amountIn,
  minAmountOut: MINIMUM,
  recipient
})

export const ALLOWANCE_HOLDER = Address.of("0x0000000000001fF3684f28c67538d4D072C22734")
export const KYBER_ROUTER = Address.of("0x6131B5fae19EA4f9D964eAc0408E4408b66337b5")
export const DIAMOND = Address.of("0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE")
const SETTLER = address(0x31)

const zeroXAbi = parseAbi([
  "function exec(address operator,address token,uint256 amount,address target,bytes data)",
  "function execute((address recipient,address buyToken,uint256 minAmountOut) slippage,bytes[] actions,bytes32 zid)"
])

export interface ZeroXCall extends Terms {
  readonly operator: Address.Address
}

export const zeroXCall = ({ amountIn, minAmountOut, operator, recipient, tokenIn, tokenOut }: ZeroXCall): Hex =>
  encodeFunctionData({
    abi: zeroXAbi,
    functionName: "exec",
    args: [
      operator,
      tokenIn,
      amountIn,
      SETTLER,
      encodeFunctionData({
        abi: zeroXAbi,
        functionName: "execute",
        args: [{ recipient, buyToken: tokenOut, minAmountOut }, ["0x1234", "0x"], `0x${"07".repeat(32)}`]
      })
    ]
  })

export const zeroXTerms = (asked: SwapRequest): ZeroXCall => ({ ...termsOf(asked), operator: SETTLER })

/** The facts that an honest answer tells of a call of the contract. */
const toldOf = (asked: SwapRequest, contract: Address.Address, data: Hex): Omit<Shapes.ToldCall, "gas"> => ({
  ...asked,
  amountOut: AMOUNT_OUT,
  minAmountOut: MINIMUM,
  spender: contract,
  target: contract,
  data
})

export const zeroXAnswer = (asked: SwapRequest, call: ZeroXCall = zeroXTerms(asked)) => {
  const answer = Shapes.zeroX({ ...toldOf(asked, ALLOWANCE_HOLDER, zeroXCall(call)), gas: 210_000 })
  const gas: string | null = answer.transaction.gas
  return { ...answer, transaction: { ...answer.transaction, gas } }
}

const kyberAbi = parseAbi([
  "function swapSimpleMode(address,(address,address,address[],uint256[],address[],uint256[],address,uint256,uint256,uint256,bytes),bytes,bytes)",
  "function swap((address,address,bytes,(address,address,address[],uint256[],address[],uint256[],address,uint256,uint256,uint256,bytes),bytes))"
])

export interface KyberCall extends Terms {
  readonly taken: bigint
  readonly feeReceivers: ReadonlyArray<Address.Address>
  readonly flags: bigint
  readonly permit: Hex
}

export const kyberTerms = (asked: SwapRequest): KyberCall => ({
  ...termsOf(asked),
  taken: asked.amountIn,
  feeReceivers: [],
  flags: 0x204n,
  permit: "0x"
})

const simpleAbi = parseAbiParameters("(address[],uint256[],bytes[],uint256,bytes)")

/** In simple mode, the executor's data says which amounts the router takes. */
export const kyberSimpleCall = (call: KyberCall): Hex =>
  encodeFunctionData({
    abi: kyberAbi,
    functionName: "swapSimpleMode",
    args: [
      address(0x41),
      [
        call.tokenIn,
        call.tokenOut,
        [],
        [],
        call.feeReceivers,
        call.feeReceivers.map(() => 1n),
        call.recipient,
        call.amountIn,
        call.minAmountOut,
        call.flags,
        call.permit
      ],
      encodeAbiParameters(simpleAbi, [[[address(0x42)], [call.taken], ["0x1234"], 1_800_000_000n, "0x"]]),
      "0x5678"
    ]
  })

export const kyberCall = (call: KyberCall): Hex =>
  encodeFunctionData({
    abi: kyberAbi,
    functionName: "swap",
    args: [
      [
        address(0x41),
        address(0x41),
        "0x1234",
        [
          call.tokenIn,
          call.tokenOut,
          [address(0x42)],
          [call.taken],
          call.feeReceivers,
          call.feeReceivers.map(() => 1n),
          call.recipient,
          call.amountIn,
          call.minAmountOut,
          call.flags,
          call.permit
        ],
        "0x5678"
      ]
    ]
  })

const KYBER_GAS = 253_000

/** A pool of a route, as text: some numbers have more digits than a double. */
const POOL = '{"poolExtra":{"priceLimit":1461446703485210103287273052203988822378723970341,"fee":1.0}}'

export const kyberRoutes = (asked: SwapRequest, router: string = KYBER_ROUTER): string => {
  const told = { ...toldOf(asked, KYBER_ROUTER, "0x"), target: router, gas: KYBER_GAS }
  return JSON.stringify(Shapes.kyberRoutes(told)).replace('"route":[[]]', `"route":[[${POOL}]]`)
}

export const kyberBuilt = (asked: SwapRequest, call: KyberCall = kyberTerms(asked)) =>
  Shapes.kyberBuilt({ ...toldOf(asked, KYBER_ROUTER, kyberCall(call)), gas: KYBER_GAS })

const liFiAbi = parseAbi([
  "function swapTokensSingleV3ERC20ToERC20(bytes32,string,string,address,uint256,(address,address,address,address,uint256,bytes,bool))",
  "function swapTokensSingleV3ERC20ToNative(bytes32,string,string,address,uint256,(address,address,address,address,uint256,bytes,bool))",
  "function swapTokensMultipleV3ERC20ToERC20(bytes32,string,string,address,uint256,(address,address,address,address,uint256,bytes,bool)[])",
  "function swapTokensMultipleV3ERC20ToNative(bytes32,string,string,address,uint256,(address,address,address,address,uint256,bytes,bool)[])",
  "function swapTokensGeneric(bytes32,string,string,address,uint256,(address,address,address,address,uint256,bytes,bool)[])"
])

export interface LiFiCall extends Terms {
  /** A fee step before the swap. */
  readonly steps: 1 | 2
  readonly deposits: readonly [boolean, boolean]
  /** The function's opinion on native currency. Undefined: the generic function, which has none. */
  readonly paysNative: boolean | undefined
}

export const liFiTerms = (asked: SwapRequest, steps: 1 | 2 = 1): LiFiCall => ({
  ...termsOf(asked),
  steps,
  deposits: [true, false],
  paysNative: asked.tokenOut === NATIVE
})

const VENUE = address(0x51)

export const liFiCall = (call: LiFiCall): Hex => {
  const received = call.tokenOut === NATIVE ? Address.zero : call.tokenOut
  const head = [`0x${"09".repeat(32)}`, "app", "0x0", call.recipient, call.minAmountOut] as const
  const swap = (amount: bigint, deposits: boolean) =>
    [VENUE, VENUE, call.tokenIn, received, amount, "0x12345678", deposits] as const
  const [first, second] = call.deposits
  if (call.steps === 1) {
    const functionName = call.paysNative ? "swapTokensSingleV3ERC20ToNative" : "swapTokensSingleV3ERC20ToERC20"
    return encodeFunctionData({ abi: liFiAbi, functionName, args: [...head, swap(call.amountIn, first)] })
  }
  const named = call.paysNative ? "swapTokensMultipleV3ERC20ToNative" : "swapTokensMultipleV3ERC20ToERC20"
  const functionName = call.paysNative === undefined ? "swapTokensGeneric" : named
  const fee = [VENUE, VENUE, call.tokenIn, call.tokenIn, call.amountIn, "0x12345678", first] as const
  return encodeFunctionData({ abi: liFiAbi, functionName, args: [...head, [fee, swap(call.amountIn - 1n, second)]] })
}

export const liFiAnswer = (asked: SwapRequest, call: LiFiCall = liFiTerms(asked)) =>
  Shapes.liFi({ ...toldOf(asked, DIAMOND, liFiCall(call)), gas: 250_000 })
