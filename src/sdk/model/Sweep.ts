/** A sweep from request to signatures. Amounts are bigint in the token's smallest unit. */
import type { Address } from "./Address.ts"
import type { Hex } from "./Hex.ts"

/** Risk tier of a token: `tier1` for blue chips and stablecoins, `tier2` for listed tokens, `tier3` for others. */
export type Tier = "tier1" | "tier2" | "tier3"

/**
 * A sweep to be quoted. The same request is passed to the review, which holds the returned order against it.
 *
 * @example
 * const request: SweepRequest = {
 *   owner: account.address,
 *   tokenIn: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913", // USDC on Base
 *   amountIn: 25_000000n,
 *   tokenOut: "0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE", // ETH
 *   destChainId: 8453,
 *   sourceChainId: 8453,
 *   minAmountOut: 6_800000000000000n
 * }
 */
export interface SweepRequest {
  /** Account to sweep. Its key signs. */
  readonly owner: Address
  /** Token to send. `0xEeeeeEeeeEeEeeEeEeEeeEEEeeeeEeeeeeeeEEeE` is the chain's native currency. */
  readonly tokenIn: Address
  /** Amount to send, fees included, in the smallest unit of `tokenIn`. */
  readonly amountIn: bigint
  /** Token to receive on the destination chain. */
  readonly tokenOut: Address
  /** Receiver of `tokenOut`. Default: the owner. */
  readonly destination?: Address
  readonly destChainId: number
  /** Source chain. The review refuses an order that starts on another one. Default: the service chooses. */
  readonly sourceChainId?: number
  /** The review refuses an order that delivers less, in the smallest unit of `tokenOut`. Not sent. Default: 1. */
  readonly minAmountOut?: bigint
  /** Slippage tolerance in basis points, 1 to 1000. Default: that of the service. */
  readonly slippageBps?: number
  /** Maximum network fee in the smallest unit of `tokenIn`. The service refuses a quote with a higher one. Default: no maximum. */
  readonly maxNetworkFee?: bigint
  /** Route hint `<source>-><destination>` by chain names or ids, such as `base->optimism`. `sourceChainId` tells the source better. */
  readonly route?: string
  /** Hint that the service may raise. Default: `tier1`. */
  readonly tier?: Tier
  /** True if the user has a subscription, which lowers the fee. Default: false. */
  readonly subscriptionActive?: boolean
  /** User for the fee policy. Default: the owner's address. */
  readonly userId?: string
  /** API key of the builder to whom the sweep is attributed. Default: the client's `apiKey`. */
  readonly apiKey?: string
}

/** EIP-712 message that the owner signs. The fields are in signing order. */
export interface SweepOrder {
  readonly owner: Address
  readonly tokenIn: Address
  readonly amountIn: bigint
  /** Protocol fee in the smallest unit of `tokenIn`; part of `amountIn`. */
  readonly feeAmount: bigint
  /** Receiver of `builderFee`. The zero address if no builder is attributed. */
  readonly builder: Address
  /** Builder's fee in the smallest unit of `tokenIn`; part of `amountIn`. */
  readonly builderFee: bigint
  readonly tokenOut: Address
  /** Least amount of `tokenOut` on the same chain. 0 across chains: there the bridge call in `swapCalldata` holds the minimum. */
  readonly minAmountOut: bigint
  readonly destination: Address
  /** DEX router or bridge. The guard contract accepts listed targets only. */
  readonly swapTarget: Address
  readonly swapCalldata: Hex
  /** UNIX seconds until which the order can settle. */
  readonly deadline: bigint
  readonly nonce: bigint
  readonly destChainId: bigint
}

/** Terms of an order. */
export interface Quote {
  /** Becomes the id of the intent. */
  readonly id: string
  readonly crossChain: boolean
  /** UNIX milliseconds until which the quote can be submitted. */
  readonly expiresAtMs: number
  /** `feeAmount` + `builderFee`, in the smallest unit of `tokenIn`. */
  readonly total: bigint
  readonly builderId?: string
  /** Delegate that the owner's account will run. */
  readonly settlementAddress: Address
  readonly sourceChainId: number
  /** In the smallest unit of `tokenOut`. */
  readonly estimatedAmountOut: bigint
  /** In the smallest unit of `tokenOut`. */
  readonly minAmountOut: bigint
  /** Tolerance of `minAmountOut` in basis points of `estimatedAmountOut`. Absent if the minimum has none. */
  readonly slippageBps?: number
  /** Part of the output that the tokens take as fees on transfer, in basis points. The amounts are what arrives after it. */
  readonly transferFeeBps?: number
  /** Name of the venue or bridge. */
  readonly provider: string
  readonly estimatedSeconds: number
  /** True if `tokenOut` is the wrapped native token, and the bridge delivers native currency. */
  readonly outputUnwraps?: boolean
  /** Token that the bridge carries. It arrives, at least in this amount, if the swap into `tokenOut` on arrival fails. */
  readonly arrivesInsteadIfSwapFails?: { readonly token: Address; readonly minAmount: bigint }
}

/** Member of an EIP-712 type. */
export interface TypeMember {
  readonly name: string
  readonly type: string
}

/** EIP-712 typed data as the service sent it. The client compares it with its own and never signs it. */
export type ServedTypedData = object

/** An EIP-7702 authorization to sign. */
export interface AuthorizationRequest {
  /** Contract that the account will run. */
  readonly address: Address
  readonly chainId: number
  /** Next transaction nonce of the account. */
  readonly nonce: number
}

/** Response of `POST /quote`. */
export interface Offer {
  readonly quote: Quote
  readonly order: SweepOrder
  readonly signing: {
    readonly typedData: ServedTypedData
    readonly authorization: AuthorizationRequest
  }
}

/** A signed EIP-7702 authorization. */
export interface Authorization extends AuthorizationRequest {
  readonly r: Hex
  readonly s: Hex
  readonly yParity: 0 | 1
}

/** Body of `POST /intents`. */
export interface SignedSweep {
  readonly quoteId: string
  /** EIP-712 signature of the order, 65 bytes. */
  readonly signature: Hex
  readonly authorization: Authorization
}
