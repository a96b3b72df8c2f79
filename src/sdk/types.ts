/**
 * What the client takes and gives. Amounts are bigint in the token's smallest unit. This module and everything that the main
 * entry reaches is free of `effect`, so that a wallet bundles only what it needs; a test holds these types to the contract.
 */

export type Address = `0x${string}`
export type Hex = `0x${string}`

export type Tier = "tier1" | "tier2" | "tier3"

/** What to sweep, and where to. */
export interface SweepRequest {
  /** The account that is swept; it signs. */
  readonly owner: Address
  /** `0xEeee…EEeE` stands for a chain's native currency. */
  readonly tokenIn: Address
  /** Smallest unit of `tokenIn`. */
  readonly amountIn: bigint
  readonly tokenOut: Address
  /** The owner unless told. */
  readonly destination?: Address
  readonly destChainId: number
  /** Not sent: the review refuses an order that runs on another chain. */
  readonly sourceChainId?: number
  /** Not sent: the review refuses an order that delivers less, in the smallest unit of `tokenOut`. */
  readonly minAmountOut?: bigint
  /** `<source>-><destination>` by chain names, such as `base->optimism`: where the token is, if that is not plain. */
  readonly route?: string
  /** A hint that the service raises to what it knows; `tier1` unless told. */
  readonly tier?: Tier
  /** `false` unless told. */
  readonly subscriptionActive?: boolean
  /** Whose fee policy applies; the owner's address unless told. */
  readonly userId?: string
  /** A builder's API key, which attributes the sweep; the client's unless told. */
  readonly apiKey?: string
}

/** The EIP-712 message that the owner signs, in signing order. */
export interface SweepOrder {
  readonly owner: Address
  readonly tokenIn: Address
  readonly amountIn: bigint
  readonly feeAmount: bigint
  /** The zero address when no builder is attributed. */
  readonly builder: Address
  readonly builderFee: bigint
  readonly tokenOut: Address
  /** 0 across chains: there the bridge call in `swapCalldata` holds the minimum. */
  readonly minAmountOut: bigint
  readonly destination: Address
  readonly swapTarget: Address
  readonly swapCalldata: Hex
  /** UNIX seconds. */
  readonly deadline: bigint
  readonly nonce: bigint
  readonly destChainId: bigint
}

export interface Quote {
  /** Becomes the intent's id. */
  readonly id: string
  readonly crossChain: boolean
  readonly expiresAtMs: number
  /** feeAmount + builderFee. */
  readonly total: bigint
  readonly builderId?: string
  /** The delegate that the owner's account will run. */
  readonly settlementAddress: Address
  readonly sourceChainId: number
  readonly estimatedAmountOut: bigint
  readonly minAmountOut: bigint
  /** The venue or bridge behind the route. */
  readonly provider: string
  readonly estimatedSeconds: number
}

export interface TypeMember {
  readonly name: string
  readonly type: string
}

/** EIP-712 typed data as the service sent it. */
export interface ServedTypedData {
  readonly domain: {
    readonly name: string
    readonly version: string
    readonly chainId: number
    readonly verifyingContract: Address
  }
  readonly types: Readonly<Record<string, ReadonlyArray<TypeMember>>>
  readonly primaryType: string
  readonly message: SweepOrder
}

/** What an EIP-7702 authorization says. */
export interface AuthorizationRequest {
  /** The contract that the account will run. */
  readonly address: Address
  readonly chainId: number
  /** The account's next transaction nonce. */
  readonly nonce: number
}

/** What `POST /quote` answers. */
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

/** What `POST /intents` takes. */
export interface SignedSweep {
  readonly quoteId: string
  readonly signature: Hex
  readonly authorization: Authorization
}

export type IntentStatus = "quoted" | "submitted" | "settled_source" | "delivered" | "failed"

/** Why an intent failed. Services may know more reasons than these. */
export type FailureReason =
  | "expired"
  | "reverted"
  | "simulation_failed"
  | "insufficient_balance"
  | "delegation_replaced"
  | "stale_authorization"
  | "nonce_used"
  | "screening_blocked"
  | "bridge_refunded"
  | (string & {})

export interface Accepted {
  readonly id: string
  readonly status: IntentStatus
  readonly txHash?: Hex
}

export interface Intent {
  readonly id: string
  readonly status: IntentStatus
  readonly crossChain: boolean
  /** The source transaction; absent before broadcast. */
  readonly txHash?: Hex
  /** The transaction that delivered on the destination chain. */
  readonly deliveryTxHash?: Hex
  readonly failureReason?: FailureReason
}

export interface PortfolioToken {
  readonly chainId: number
  readonly address: Address
  readonly symbol: string
  readonly name: string
  readonly decimals: number
  readonly balance: bigint
  /** US dollars as a decimal string; null for a token without a price. */
  readonly priceUsd: string | null
  readonly valueUsd: string | null
  readonly tier: Tier
}

export interface Portfolio<Token = PortfolioToken> {
  readonly owner: Address
  readonly tokens: ReadonlyArray<Token>
  readonly totalUsd: string
  readonly updatedAtMs: number
}

export interface SweepableToken extends PortfolioToken {
  readonly sweepable: boolean
  /** Why not, when `sweepable` is false. */
  readonly reason: string | null
  /** What the owner's account runs on that chain. */
  readonly delegation: "none" | "ours" | "other" | "contract"
  /** What would be left after fees, in the token's smallest unit, without a builder's markup. */
  readonly estimatedNetAmount: bigint
  readonly estimatedNetUsd: string | null
}

/** A chain that is served. */
export interface ServedChain {
  readonly id: number
  /** As `route` hints name it. */
  readonly name: string
  readonly nativeSymbol: string
  readonly wrappedNative: Address
  readonly contracts: { readonly delegate: Address; readonly guard: Address; readonly entry: Address }
  readonly explorerUrl?: string
  readonly blockTimeMillis: number
  /** Blocks after which a sweep counts as settled. */
  readonly confirmations: number
  readonly features: {
    /** Whether sweeps can start here. */
    readonly source: boolean
    /** Whether one token can be swapped into another one here. */
    readonly swap: boolean
    /** Chains that sweeps from here can end on. */
    readonly bridgeDestinations: ReadonlyArray<number>
    /** Whether sweeps from here can arrive on another chain as another asset: what is sent is swapped here first. */
    readonly swapBeforeBridge: boolean
  }
}

/** A token that is listed on a served chain. */
export interface ListedToken {
  readonly chainId: number
  readonly address: Address
  readonly symbol: string
  readonly name: string
  readonly decimals: number
  readonly logoURI?: string
}

/** What a listed token is worth, as `GET /prices` has it. */
export interface TokenPrice {
  readonly chainId: number
  readonly address: Address
  /** US dollars for a whole token, as a decimal string. */
  readonly priceUsd: string
}

export interface RequestOptions {
  readonly signal?: AbortSignal
}

export interface KeyedRequestOptions extends RequestOptions {
  /**
   * Names the request: whoever sends it again under its key gets the first one's answer, for 24 hours. A random one unless told;
   * tell one that you keep where a request must survive your program.
   */
  readonly idempotencyKey?: string
}
