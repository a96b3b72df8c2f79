/** Carries a token from one chain to another, and proves what arrived. */
import { Context, type Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Hash, Hex } from "../../domain/Hex.ts"
import type { SweepOrder } from "../../domain/SweepOrder.ts"
import type { ChainUnavailable, Receipt } from "../shared/Chains.ts"
import type { NoRoute, RoutingUnavailable } from "./SwapVenue.ts"

export interface BridgeRequest {
  readonly sourceChainId: ChainId
  readonly destChainId: ChainId
  /** An ERC-20 on the source chain: native input is wrapped before the deposit. */
  readonly tokenIn: Address.Address
  /** As the caller named it on the destination chain; may be the native sentinel. */
  readonly tokenOut: Address.Address
  readonly amountIn: bigint
  /** The account that deposits, and gets a refund: the order's owner. */
  readonly depositor: Address.Address
  readonly recipient: Address.Address
  /** How far a swap before the deposit may fall behind its quote, where the bridge does not carry `tokenIn` itself. */
  readonly slippageBps: number
  /** UNIX seconds, after which that swap must not be made. */
  readonly deadline: bigint
}

export interface BridgeRoute {
  readonly provider: string
  readonly target: Address.Address
  readonly calldata: Hex
  /** What the recipient is expected to get. */
  readonly amountOut: bigint
  /** What the recipient gets at least; the same unless there is a swap before the deposit. */
  readonly minAmountOut: bigint
  /** Gas that the deposit itself is expected to use, a swap before it included. */
  readonly gas: bigint
  readonly estimatedSeconds: number
}

/** What the calldata of a cross-chain order really does; see {@link Bridge.decode}. */
export interface BridgeDeposit {
  /** What leaves the depositor. */
  readonly tokenIn: Address.Address
  readonly amountIn: bigint
  /** An ERC-20 on the destination chain; the wrapped native token where the recipient gets native currency. */
  readonly tokenOut: Address.Address
  /** What arrives at least. */
  readonly minAmountOut: bigint
  readonly destChainId: bigint
  readonly depositor: Address.Address
  readonly recipient: Address.Address
}

/** How far a deposit has come. */
export type Delivery =
  | { readonly _tag: "Pending" }
  /** Proved by the destination chain at its configured depth. */
  | { readonly _tag: "Delivered"; readonly txHash: Hash; readonly amountOut: bigint }
  /** Not filled in time; the bridge returns the deposit to the owner, after a swap in the token that was bridged. */
  | { readonly _tag: "Refunded" }

export class Bridge extends Context.Service<
  Bridge,
  {
    readonly route: (request: BridgeRequest) => Effect.Effect<BridgeRoute, NoRoute | RoutingUnavailable>
    /** Reads a deposit back from calldata; fails where the calldata does anything else than one such deposit. */
    readonly decode: (
      sourceChainId: ChainId,
      target: Address.Address,
      calldata: Hex
    ) => Effect.Effect<BridgeDeposit, NoRoute>
    /** Where the deposit in the order's settlement transaction stands. */
    readonly delivery: (options: {
      readonly sourceChainId: ChainId
      readonly order: SweepOrder
      readonly receipt: Receipt
    }) => Effect.Effect<Delivery, ChainUnavailable>
  }
>()("sweep/ports/Bridge") {}
