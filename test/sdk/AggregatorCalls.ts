/** Calls of aggregators' contracts, by ABIs of their own. */
import { encodeAbiParameters, encodeFunctionData, type Hex, pad, parseAbi, parseAbiParameters, zeroAddress } from "viem"
import { owner } from "./Offers.ts"
import { type Terms, terms } from "./VenueCalls.ts"

const zeroExAbi = parseAbi([
  "struct AllowedSlippage { address recipient; address buyToken; uint256 minAmountOut; }",
  "function exec(address operator, address token, uint256 amount, address target, bytes data) payable returns (bytes result)",
  "function execute(AllowedSlippage slippage, bytes[] actions, bytes32 zid) payable returns (bool)",
  "function transferFrom(address from, address to, uint256 amount) returns (bool)"
])

export const SETTLER: Hex = "0x00000000000000000000000000000000005e771e"

export const settled = (other: Partial<Terms> = {}): Hex => {
  const { minAmountOut, recipient, tokenOut: buyToken } = terms(other)
  const args = [{ recipient, buyToken, minAmountOut }, ["0x38c9c147"], pad("0x01")] as const
  return encodeFunctionData({ abi: zeroExAbi, functionName: "execute", args })
}

export const theft = (): Hex =>
  encodeFunctionData({ abi: zeroExAbi, functionName: "transferFrom", args: [owner.address, SETTLER, 10n ** 24n] })

/** 0x: the call of the contract that swaps, within that of the AllowanceHolder. */
export const zeroEx = (other: Partial<Terms> = {}, data = settled(other), operator: Hex = SETTLER): Hex => {
  const { amountIn, tokenIn } = terms(other)
  return encodeFunctionData({
    abi: zeroExAbi,
    functionName: "exec",
    args: [operator, tokenIn, amountIn, SETTLER, data]
  })
}

const kyberAbi = parseAbi([
  "struct SwapDescriptionV2 { address srcToken; address dstToken; address[] srcReceivers; uint256[] srcAmounts; address[] feeReceivers; uint256[] feeAmounts; address dstReceiver; uint256 amount; uint256 minReturnAmount; uint256 flags; bytes permit; }",
  "struct SwapExecutionParams { address callTarget; address approveTarget; bytes targetData; SwapDescriptionV2 desc; bytes clientData; }",
  "function swap(SwapExecutionParams execution) payable returns (uint256 returnAmount, uint256 gasUsed)",
  "function swapSimpleMode(address caller, SwapDescriptionV2 desc, bytes executorData, bytes clientData) returns (uint256 returnAmount, uint256 gasUsed)"
])

type Description = Parameters<typeof encodeFunctionData<typeof kyberAbi, "swap">>[0]["args"][0]["desc"]

const description = (other: Partial<Terms>, more: Partial<Description>): Description => {
  const { amountIn, minAmountOut, recipient, tokenIn, tokenOut } = terms(other)
  return {
    srcToken: tokenIn,
    dstToken: tokenOut,
    srcReceivers: [SETTLER],
    srcAmounts: [amountIn],
    feeReceivers: [],
    feeAmounts: [],
    dstReceiver: recipient,
    amount: amountIn,
    minReturnAmount: minAmountOut,
    flags: 0n,
    permit: "0x",
    ...more
  }
}

const simpleAbi = parseAbiParameters(
  "(address[] firstPools, uint256[] firstSwapAmounts, bytes[] swapDatas, uint256 deadline, bytes destTokenFeeData)"
)

/** Data of the executor of a swap in simple mode, which takes these amounts. */
export const simpleData = (amounts: ReadonlyArray<bigint>, pools = amounts.map((): Hex => SETTLER)): Hex =>
  encodeAbiParameters(simpleAbi, [
    {
      firstPools: pools,
      firstSwapAmounts: amounts,
      swapDatas: amounts.map((): Hex => "0xabcd"),
      deadline: 1n,
      destTokenFeeData: "0x"
    }
  ])

/** KyberSwap in simple mode. The amounts of the description do not count. */
export const kyberSimple = (
  other: Partial<Terms> = {},
  more: Partial<Description> = {},
  data = simpleData([terms(other).amountIn])
): Hex =>
  encodeFunctionData({
    abi: kyberAbi,
    functionName: "swapSimpleMode",
    args: [SETTLER, description(other, { srcReceivers: [], srcAmounts: [], ...more }), data, "0x"]
  })

export const kyber = (other: Partial<Terms> = {}, more: Partial<Description> = {}): Hex => {
  const execution = {
    callTarget: SETTLER,
    approveTarget: zeroAddress,
    targetData: "0xabcd",
    desc: description(other, more),
    clientData: "0x"
  } as const
  return encodeFunctionData({ abi: kyberAbi, functionName: "swap", args: [execution] })
}

const liFiAbi = parseAbi([
  "struct SwapData { address callTo; address approveTo; address sendingAssetId; address receivingAssetId; uint256 fromAmount; bytes callData; bool requiresDeposit; }",
  "function swapTokensSingleV3ERC20ToERC20(bytes32 transactionId, string integrator, string referrer, address receiver, uint256 minAmountOut, SwapData swapData)",
  "function swapTokensSingleV3ERC20ToNative(bytes32 transactionId, string integrator, string referrer, address receiver, uint256 minAmountOut, SwapData swapData)",
  "function swapTokensMultipleV3ERC20ToERC20(bytes32 transactionId, string integrator, string referrer, address receiver, uint256 minAmountOut, SwapData[] swapData)",
  "function swapTokensMultipleV3ERC20ToNative(bytes32 transactionId, string integrator, string referrer, address receiver, uint256 minAmountOut, SwapData[] swapData)",
  "function swapTokensGeneric(bytes32 transactionId, string integrator, string referrer, address receiver, uint256 minAmountOut, SwapData[] swapData)"
])

/** One exchange that LI.FI calls. */
export const exchange = (tokenIn: Hex, tokenOut: Hex, amountIn: bigint, requiresDeposit: boolean) => ({
  callTo: SETTLER,
  approveTo: SETTLER,
  sendingAssetId: tokenIn,
  receivingAssetId: tokenOut,
  fromAmount: amountIn,
  callData: "0xabcd" as Hex,
  requiresDeposit
})

/** LI.FI: one exchange, or several, which pay native currency if the token is the zero address. */
export const liFi = (
  other: Partial<Terms> = {},
  steps?: ReadonlyArray<ReturnType<typeof exchange>>,
  toNative = terms(other).tokenOut === zeroAddress
): Hex => {
  const { amountIn, minAmountOut, recipient, tokenIn, tokenOut } = terms(other)
  const head = [pad("0x01"), "sweep", "", recipient, minAmountOut] as const
  const output = toNative ? "Native" : "ERC20"
  return steps === undefined
    ? encodeFunctionData({
        abi: liFiAbi,
        functionName: `swapTokensSingleV3ERC20To${output}`,
        args: [...head, exchange(tokenIn, tokenOut, amountIn, true)]
      })
    : encodeFunctionData({
        abi: liFiAbi,
        functionName: `swapTokensMultipleV3ERC20To${output}`,
        args: [...head, steps]
      })
}

/** LI.FI: any number of exchanges, into native currency or a token. */
export const liFiGeneric = (steps: ReadonlyArray<ReturnType<typeof exchange>>): Hex => {
  const { minAmountOut, recipient } = terms({})
  return encodeFunctionData({
    abi: liFiAbi,
    functionName: "swapTokensGeneric",
    args: [pad("0x01"), "sweep", "", recipient, minAmountOut, steps]
  })
}

export const AGGREGATORS = {
  "0x": { router: "0x0000000000001fF3684f28c67538d4D072C22734", call: zeroEx },
  KyberSwap: { router: "0x6131B5fae19EA4f9D964eAc0408E4408b66337b5", call: kyber },
  "LI.FI": { router: "0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE", call: liFi }
} as const
