/** Requests, and offers as the service would make them. */
import { encodeFunctionData, pad, parseAbi, zeroAddress, type Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import type { ReviewOptions, SweepRequest } from "../../src/sdk/index.ts"
import { DOMAIN_TYPE, ORDER_TYPES } from "../../src/sdk/model/TypedData.ts"

export type Json = string | number | boolean | null | ReadonlyArray<Json> | { readonly [key: string]: Json }
type Members = { readonly [key: string]: Json }

/** A key for tests; its account holds nothing anywhere. */
export const owner = privateKeyToAccount(`0x${"5e".repeat(32)}`)

export const NOW_MS = 1_767_225_600_000
export const DELEGATE = "0x1111111111111111111111111111111111111111"
export const SPOKE_POOL = "0x09aea4b2242abC8bb4BB78D537A67a245A7bEC64"
/** Across's SpokePoolPeriphery on Base. */
export const PERIPHERY = "0x97CCDBea4632140639aD5eA9b944aa034eb15fD4"
export const OTHER = "0x00000000000000000000000000000000C0FfeE00"

/** Facts of the caller that the offers keep. */
export const known: ReviewOptions = { delegates: { 8453: DELEGATE }, nowMs: NOW_MS }

export const request: SweepRequest = {
  owner: owner.address,
  tokenIn: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
  amountIn: 25_000_000n,
  tokenOut: "0x4200000000000000000000000000000000000006",
  destination: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  destChainId: 8453,
  sourceChainId: 8453
}

export const crossRequest: SweepRequest = {
  ...request,
  tokenOut: "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85",
  destChainId: 10
}

export const ROUTER = "0x2626664c2603336E57B271c5C0b26F421741e481"

export const routerAbi = parseAbi([
  "struct ExactInputSingleParams { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }",
  "struct ExactInputParams { bytes path; address recipient; uint256 amountIn; uint256 amountOutMinimum; }",
  "function exactInputSingle(ExactInputSingleParams params) payable returns (uint256 amountOut)",
  "function exactInput(ExactInputParams params) payable returns (uint256 amountOut)",
  "function multicall(uint256 deadline, bytes[] data) payable returns (bytes[] results)",
  "function unwrapWETH9(uint256 amountMinimum, address recipient) payable",
  "function pull(address token, uint256 value) payable",
  "function sweepToken(address token, uint256 amountMinimum, address recipient) payable"
])

/** The router's calls under a deadline. */
export const routed = (...calls: ReadonlyArray<Hex>): Hex =>
  encodeFunctionData({ abi: routerAbi, functionName: "multicall", args: [BigInt(NOW_MS / 1000 + 720), calls] })

/** A swap for {@link request}, with what is given in place of what it asks for. */
export const swapOf = (
  other: Partial<{
    readonly tokenIn: Hex
    readonly tokenOut: Hex
    readonly recipient: Hex
    readonly amountIn: bigint
    readonly amountOutMinimum: bigint
    readonly sqrtPriceLimitX96: bigint
  }> = {}
): Hex =>
  encodeFunctionData({
    abi: routerAbi,
    functionName: "exactInputSingle",
    args: [
      {
        tokenIn: request.tokenIn,
        tokenOut: request.tokenOut,
        fee: 500,
        recipient: request.destination ?? owner.address,
        amountIn: 24_875_000n,
        amountOutMinimum: 6_890_000_000_000_000n,
        sqrtPriceLimitX96: 0n,
        ...other
      }
    ]
  })

const depositAbi = parseAbi([
  "function depositV3(address depositor, address recipient, address inputToken, address outputToken, uint256 inputAmount, uint256 outputAmount, uint256 destinationChainId, address exclusiveRelayer, uint32 quoteTimestamp, uint32 fillDeadline, uint32 exclusivityParameter, bytes message) payable"
])

/** An Across deposit for {@link crossRequest}, with what is given in place of what it asks for. */
export const deposit = (
  other: {
    readonly depositor?: Hex
    readonly recipient?: Hex
    readonly inputToken?: Hex
    readonly outputToken?: Hex
    readonly inputAmount?: bigint
    readonly outputAmount?: bigint
    readonly destChainId?: bigint
    readonly message?: Hex
    readonly exclusiveRelayer?: Hex
    readonly fillDeadline?: number
    readonly exclusivity?: number
  } = {}
): Hex =>
  encodeFunctionData({
    abi: depositAbi,
    functionName: "depositV3",
    args: [
      other.depositor ?? owner.address,
      other.recipient ?? crossRequest.destination ?? owner.address,
      other.inputToken ?? crossRequest.tokenIn,
      other.outputToken ?? crossRequest.tokenOut,
      other.inputAmount ?? 24_850_000n,
      other.outputAmount ?? 24_800_000n,
      other.destChainId ?? 10n,
      other.exclusiveRelayer ?? zeroAddress,
      NOW_MS / 1000,
      other.fillDeadline ?? NOW_MS / 1000 + 7_200,
      other.exclusivity ?? 0,
      other.message ?? "0x"
    ]
  })

/** DAI to the USDC of another chain, by way of the USDC of its own. */
export const swapRequest: SweepRequest = { ...crossRequest, tokenIn: "0x50c5725949A6F0c72E6C4a641F24049A917DB0Cb" }

export const swapAbi = parseAbi([
  "struct Fees { uint256 amount; address recipient; }",
  "struct Deposit { address inputToken; bytes32 outputToken; uint256 outputAmount; address depositor; bytes32 recipient; uint256 destinationChainId; bytes32 exclusiveRelayer; uint32 quoteTimestamp; uint32 fillDeadline; uint32 exclusivityParameter; bytes message; }",
  "struct SwapAndDeposit { Fees submissionFees; Deposit depositData; address swapToken; address exchange; uint8 transferType; uint256 swapTokenAmount; uint256 minExpectedInputTokenAmount; bytes routerCalldata; bool enableProportionalAdjustment; address spokePool; uint256 nonce; }",
  "function swapAndBridge(SwapAndDeposit swapAndDepositData) payable"
])

type SwapAndDeposit = Parameters<typeof encodeFunctionData<typeof swapAbi, "swapAndBridge">>[0]["args"][0]

/** A swap and an Across deposit for {@link swapRequest}, with what is given in place of what it asks for. */
export const swapDeposit = ({
  depositData,
  ...other
}: Partial<Omit<SwapAndDeposit, "depositData">> & {
  readonly depositData?: Partial<SwapAndDeposit["depositData"]>
} = {}): Hex =>
  encodeFunctionData({
    abi: swapAbi,
    functionName: "swapAndBridge",
    args: [
      {
        submissionFees: { amount: 0n, recipient: zeroAddress },
        depositData: {
          inputToken: crossRequest.tokenIn,
          outputToken: pad(swapRequest.tokenOut),
          outputAmount: 24_800_000n,
          depositor: owner.address,
          recipient: pad(swapRequest.destination ?? owner.address),
          destinationChainId: 10n,
          exclusiveRelayer: pad("0x"),
          quoteTimestamp: NOW_MS / 1000,
          fillDeadline: NOW_MS / 1000 + 7_200,
          exclusivityParameter: 0,
          message: "0x",
          ...depositData
        },
        swapToken: swapRequest.tokenIn,
        exchange: "0x2626664c2603336E57B271c5C0b26F421741e481",
        transferType: 0,
        swapTokenAmount: 24_875_000n,
        minExpectedInputTokenAmount: 24_850_000n,
        routerCalldata: "0x04e45aaf",
        enableProportionalAdjustment: true,
        spokePool: SPOKE_POOL,
        nonce: 0n,
        ...other
      }
    ]
  })

/** An offer for a request like {@link swapRequest} that makes this call. */
export const swapOffer = (asked: SweepRequest = swapRequest, swapCalldata: Hex = swapDeposit()): WireOffer =>
  wireOffer(asked, { order: { swapTarget: PERIPHERY, swapCalldata }, quote: { estimatedAmountOut: "24825000" } })

export interface WireOffer extends Members {
  readonly quote: Members
  readonly order: Members
  readonly signing: { readonly typedData: Members; readonly authorization: Members }
}

/** The response of `POST /quote` to a request, with the changes to `order` and `quote` in every place where they appear. */
export const wireOffer = (
  asked: SweepRequest = request,
  changes: { readonly order?: Members; readonly quote?: Members } = {}
): WireOffer => {
  const crossChain = asked.destChainId !== 8453
  const minAmountOut = crossChain ? "24800000" : "6890000000000000"
  const order: Members = {
    owner: asked.owner,
    tokenIn: asked.tokenIn,
    amountIn: asked.amountIn.toString(),
    feeAmount: "125000",
    builder: asked.apiKey === undefined ? "0x0000000000000000000000000000000000000000" : OTHER,
    builderFee: asked.apiKey === undefined ? "0" : "25000",
    tokenOut: asked.tokenOut,
    minAmountOut: crossChain ? "0" : minAmountOut,
    destination: asked.destination ?? asked.owner,
    swapTarget: crossChain ? SPOKE_POOL : ROUTER,
    swapCalldata: crossChain
      ? deposit(asked.apiKey === undefined ? { inputAmount: 24_875_000n } : {})
      : routed(swapOf(asked.apiKey === undefined ? {} : { amountIn: 24_850_000n })),
    deadline: (NOW_MS / 1000 + 720).toString(),
    nonce: "3",
    destChainId: asked.destChainId.toString(),
    ...changes.order
  }
  return {
    quote: {
      id: "6f1e5f6c-8f0e-4d3c-9a5b-2d7c1f0e9b4a",
      crossChain,
      expiresAtMs: NOW_MS + 120_000,
      total: asked.apiKey === undefined ? "125000" : "150000",
      ...(asked.apiKey === undefined ? {} : { builderId: "bld" }),
      settlementAddress: DELEGATE,
      sourceChainId: 8453,
      estimatedAmountOut: crossChain ? "24800000" : "6925000000000000",
      minAmountOut,
      provider: crossChain ? "across" : "uniswap-v3",
      estimatedSeconds: 6,
      slippageBps: 50,
      transferFeeBps: 0,
      ...changes.quote
    },
    order,
    signing: {
      typedData: {
        domain: { name: "Service", version: "1", chainId: 8453, verifyingContract: asked.owner },
        types: { EIP712Domain: [...DOMAIN_TYPE], SweepOrder: [...ORDER_TYPES.SweepOrder] },
        primaryType: "SweepOrder",
        message: order
      },
      authorization: { address: DELEGATE, chainId: 8453, nonce: "7" }
    }
  }
}

/** Every path to a value that is no object or list, such as `["order", "owner"]`. */
export const leaves = (value: Json, path: ReadonlyArray<string> = []): ReadonlyArray<ReadonlyArray<string>> =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([key, member]) => leaves(member, [...path, key]))
    : [path]

/** A copy with the value at the path replaced. */
export const replaced = (value: Json, [key, ...rest]: ReadonlyArray<string>, change: (value: Json) => Json): Json => {
  if (key === undefined) return change(value)
  if (typeof value !== "object" || value === null) throw new Error(`nothing at ${key}`)
  if (Array.isArray(value)) {
    return value.map((member: Json, index) => (String(index) === key ? replaced(member, rest, change) : member))
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, name === key ? replaced(member, rest, change) : member])
  )
}

/** A copy without the member at the path. */
export const without = (value: Json, [key, ...rest]: ReadonlyArray<string>): Json => {
  if (typeof value !== "object" || value === null || key === undefined) throw new Error(`nothing at ${key}`)
  if (Array.isArray(value)) {
    return value.flatMap((member: Json, index) =>
      String(index) !== key ? [member] : rest.length === 0 ? [] : [without(member, rest)]
    )
  }
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) =>
      name !== key ? [[name, member]] : rest.length === 0 ? [] : [[name, without(member, rest)]]
    )
  )
}
