/** Routes tokens from one chain to another, and proves their delivery. */
import { Context, type Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { ArrivalFacts } from "../../domain/ArrivalFacts.ts"
import type { ExpectedRefund, RefundLine } from "../../domain/BridgeRefund.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Hash, Hex } from "../../domain/Hex.ts"
import type { SweepOrder } from "../../domain/SweepOrder.ts"
import type { ChainUnavailable, Receipt } from "../shared/Chains.ts"
import type { NoRoute, RoutingUnavailable, SwapRoute } from "./SwapVenue.ts"

export interface BridgeRequest {
  readonly sourceChainId: ChainId
  readonly destChainId: ChainId
  /** ERC-20 on the source chain. Native input is wrapped before the deposit. */
  readonly tokenIn: Address.Address
  /** Token on the destination chain as the caller named it; may be the native sentinel. */
  readonly tokenOut: Address.Address
  /** In the smallest unit of `tokenIn`. */
  readonly amountIn: bigint
  /** Account that deposits and receives a refund: the order's owner. */
  readonly depositor: Address.Address
  readonly recipient: Address.Address
  /**
   * Slippage tolerance in basis points of the swap before the deposit, if the bridge does not carry `tokenIn` itself.
   */
  readonly slippageBps: number
  /** Deadline of that swap in UNIX seconds. */
  readonly deadline: bigint
}

/** A call that deposits into the bridge. Its `minAmountOut` equals `amountOut` unless there is a swap before the deposit. */
export interface BridgeRoute extends SwapRoute {
  /** Expected time until delivery. */
  readonly estimatedSeconds: number
  /** Facts about the arrival that the owner should know. Default: the wanted token arrives. */
  readonly arrival?: ArrivalFacts
  /** Routes of other bridges for the same request, best first, for when this one fails. Default: none. */
  readonly alternatives?: ReadonlyArray<BridgeRoute>
}

/** Effect of a cross-chain order's calldata; see {@link Bridge.decode}. */
export interface BridgeDeposit {
  /** Token that leaves the depositor. */
  readonly tokenIn: Address.Address
  readonly amountIn: bigint
  /** ERC-20 on the destination chain. The wrapped native token if the recipient gets native currency. */
  readonly tokenOut: Address.Address
  /** Minimum output in the smallest unit of `tokenOut`. */
  readonly minAmountOut: bigint
  readonly destChainId: bigint
  readonly depositor: Address.Address
  readonly recipient: Address.Address
}

/** A delivery whose transaction is not found yet, as on a node that limits or loses logs. */
export interface Filled {
  readonly _tag: "Filled"
  /** Block from which the next look continues the search, towards older blocks. Default: the newest block. */
  readonly searchFrom?: bigint
  /** Set when something that tells the transaction could not be read: the logs of the node, or a receipt. */
  readonly logsFailed?: ChainUnavailable
  /**
   * True if the state proves only that the swap on arrival was paid. Its transaction tells what the recipient got. Default: false.
   */
  readonly swapsOnArrival?: boolean
}

/** Not proved yet. */
export interface Pending {
  readonly _tag: "Pending"
  /** Block from which the next look continues a search for the fill, towards older blocks. Default: the newest block. */
  readonly searchFrom?: bigint
  /** Set when the newest state shows a fill, and what proves it could not be read: the logs of the node, or a receipt. */
  readonly logsFailed?: ChainUnavailable
}

/** State of a deposit. */
export type Delivery =
  | Pending
  /** Proved on the destination chain at the depth for the sweep's value. */
  | { readonly _tag: "Delivered"; readonly txHash: Hash; readonly amountOut: bigint }
  /** Proved in the same way. The swap on arrival failed, so the bridged token arrived. */
  | {
      readonly _tag: "DeliveredInstead"
      readonly txHash: Hash
      readonly token: Address.Address
      readonly amount: bigint
    }
  /** Proved in the same way, by state. Its transaction is not found yet. */
  | Filled
  /** Not filled in time. The bridge returns the deposit to the owner; after a swap, in the token that was deposited. */
  | {
      readonly _tag: "Refunded"
      /** The payment to look for on the source chain (`BridgeRefunds`). Absent if the bridge's payments cannot be told apart. */
      readonly expected?: ExpectedRefund
      /** The payment, if the bridge has proved it already. Then none is looked for. */
      readonly paid?: RefundLine
    }

export class Bridge extends Context.Service<
  Bridge,
  {
    /**
     * Best route for the request. `NoRoute` if the bridge cannot carry it; `RoutingUnavailable` if the bridge does not
     * answer.
     */
    readonly route: (request: BridgeRequest) => Effect.Effect<BridgeRoute, NoRoute | RoutingUnavailable>
    /**
     * Reads both chains once, for amounts up to the request's. The returned function makes the route of one amount from that
     * reading. A reading that fails fails the routes.
     */
    readonly prepare: (
      request: BridgeRequest
    ) => Effect.Effect<(amountIn: bigint) => Effect.Effect<BridgeRoute, NoRoute | RoutingUnavailable>>
    /** Decodes a deposit from calldata. `NoRoute` if the calldata does anything other than one such deposit. */
    readonly decode: (
      sourceChainId: ChainId,
      target: Address.Address,
      calldata: Hex
    ) => Effect.Effect<BridgeDeposit, NoRoute>
    /** State of the order's deposit. */
    readonly delivery: (options: {
      readonly sourceChainId: ChainId
      readonly order: SweepOrder
      /** Of the settlement transaction, with the logs of this order alone: its owner's other orders may have equal deposits. */
      readonly receipt: Receipt
      /** Blocks after which the destination's state counts, by the value of the sweep. Default: the chain's `confirmations`. */
      readonly confirmations?: number
      /** Blocks after which a refund on the source counts, by the value of the sweep. Default: the chain's `confirmations`. */
      readonly sourceConfirmations?: number
      /** Block of the destination from which an unfinished search for the transaction continues. */
      readonly searchFrom?: bigint | undefined
    }) => Effect.Effect<Delivery, ChainUnavailable>
  }
>()("sweep/ports/Bridge") {}
