/** Answers of services that offer routes over HTTP, around a call, in the shapes of their documentation. For the market and for tests. */

/** Facts that an answer tells. Addresses and calldata are text, so that an answer can be wrong. */
export interface Told {
  readonly chainId: number
  readonly tokenIn: string
  readonly tokenOut: string
  readonly amountIn: bigint
  readonly amountOut: bigint
  readonly minAmountOut: bigint
  /** Account that swaps. */
  readonly sender: string
  /** Contract that is approved for the input. */
  readonly spender: string
  /** Contract that is called. */
  readonly target: string
  /** Expected gas of the call. */
  readonly gas: number
}

/** A call with its calldata. */
export interface ToldCall extends Told {
  readonly data: string
}

/** `GET /swap/allowance-holder/quote` of 0x. */
export const zeroX = <Data extends string>(told: Told & { readonly data: Data }) => ({
  liquidityAvailable: true as const,
  blockNumber: "1",
  sellToken: told.tokenIn.toLowerCase(),
  buyToken: told.tokenOut.toLowerCase(),
  sellAmount: told.amountIn.toString(),
  buyAmount: told.amountOut.toString(),
  minBuyAmount: told.minAmountOut.toString(),
  allowanceTarget: told.spender,
  fees: { integratorFee: null, zeroExFee: null, gasFee: null },
  issues: { allowance: null, balance: null, simulationIncomplete: true, invalidSourcesPassed: [] },
  route: { fills: [], tokens: [] },
  totalNetworkFee: "1",
  zid: "0x07",
  transaction: { to: told.target, data: told.data, gas: String(told.gas), gasPrice: "1", value: "0" }
})

/** `GET /routes` of KyberSwap. The client returns the summary verbatim to have its call built. */
export const kyberRoutes = (told: Omit<Told, "sender">) => ({
  code: 0,
  message: "successfully",
  data: {
    routeSummary: {
      tokenIn: told.tokenIn.toLowerCase(),
      amountIn: told.amountIn.toString(),
      tokenOut: told.tokenOut.toLowerCase(),
      amountOut: told.amountOut.toString(),
      gas: String(told.gas),
      gasUsd: "0.01",
      route: [[]],
      routeID: "a",
      checksum: "1",
      timestamp: 1_800_000_000
    },
    routerAddress: told.target
  },
  requestId: "b"
})

/** `POST /route/build` of KyberSwap. */
export const kyberBuilt = (told: ToldCall) => ({
  code: 0,
  message: "successfully",
  data: {
    amountIn: told.amountIn.toString(),
    amountOut: told.amountOut.toString(),
    gas: String(told.gas),
    data: told.data,
    routerAddress: told.target,
    transactionValue: "0"
  }
})

/** `GET /quote` of LI.FI. */
export const liFi = (told: ToldCall) => ({
  id: "c",
  type: "lifi",
  tool: "market",
  action: { fromChainId: told.chainId, toChainId: told.chainId },
  estimate: {
    fromAmount: told.amountIn.toString(),
    toAmount: told.amountOut.toString(),
    toAmountMin: told.minAmountOut.toString(),
    approvalAddress: told.spender,
    feeCosts: [],
    gasCosts: [],
    executionDuration: 0
  },
  includedSteps: [],
  transactionRequest: {
    to: told.target,
    from: told.sender.toLowerCase(),
    data: told.data,
    value: "0x0",
    gasLimit: `0x${told.gas.toString(16)}`,
    chainId: told.chainId
  }
})
