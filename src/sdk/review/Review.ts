/**
 * Compares an order with its request before anything is signed (specification, "Client duty"), and gathers the facts that the
 * user must see. Pure.
 */
import { type Address, isZeroAddress, sameAddress } from "../model/Address.ts"
import { OrderMismatchError } from "../model/Errors.ts"
import type { AuthorizationRequest, Offer, SweepOrder, SweepRequest, TypeMember } from "../model/Sweep.ts"
import {
  DEFAULT_DOMAIN_NAME,
  DOMAIN_TYPE,
  ORDER_TYPES,
  type OrderTypedData,
  orderTypedData
} from "../model/TypedData.ts"
import { readBridgeCall } from "./BridgeCall.ts"
import { reviewBridgeCall } from "./BridgeReview.ts"
import type { KnownBridges } from "./KnownBridges.ts"
import { type Collector, collector, sameValue } from "./Mismatches.ts"

/** Limits and facts of your own that a review holds an order to. */
export interface ReviewOptions {
  /** EIP-712 domain name of the deployment. Default: `Service`. */
  readonly domainName?: string
  /**
   * Delegates by chain id, from your own configuration. The review refuses any other: the account obeys its delegate.
   * Without it, the delegate is only the service's word. Set it in production.
   */
  readonly delegates?: Readonly<Record<number, Address>>
  /** Upper limit of all fees, in basis points of the amount. Default: no limit. */
  readonly maxFeeBps?: number
  /** Upper limit of the time until the order's deadline, in seconds. Default: 3600. */
  readonly maxLifetimeSeconds?: number
  /** Tolerated error of the user's clock, in seconds. Default: 120. */
  readonly clockSkewSeconds?: number
  /**
   * Facts about the bridge that extend or replace the built-in `KNOWN_BRIDGES`. The review refuses an order that contradicts
   * them, and reports `guaranteedBy: "service"` if they do not cover it.
   */
  readonly bridges?: KnownBridges
  /** True to accept an order across chains whose bridge call cannot be decoded. Default: false. */
  readonly allowUnreadableBridgeCall?: boolean
  /** Current time in UNIX milliseconds. Default: the system clock. */
  readonly nowMs?: number
}

/** Enforcer of the least amount received: the signed order, the bridge's contract, or nobody but the service. */
export type Guarantee = "order" | "bridge" | "service"

/** A reviewed order: the facts that the user must see, and the data to sign. */
export interface SweepReview {
  readonly quoteId: string
  readonly owner: Address
  /** Amount in the smallest unit of the token, fees included. */
  readonly send: { readonly token: Address; readonly amount: bigint; readonly chainId: number }
  /** In the smallest unit of the token that is sent; part of the amount. */
  readonly fees: {
    readonly protocol: bigint
    readonly builder: bigint
    readonly total: bigint
    /** Receiver of the builder's fee. Undefined without a builder. */
    readonly builderAddress: Address | undefined
  }
  /** Amounts in the smallest unit of the token. */
  readonly receive: {
    readonly token: Address
    readonly minAmount: bigint
    readonly estimatedAmount: bigint
    readonly chainId: number
    readonly destination: Address
    readonly guaranteedBy: Guarantee
    /**
     * Token and least amount that cross the bridge, if a swap comes before it. This is the refund to the owner, on this chain,
     * if nobody delivers.
     */
    readonly via?: { readonly token: Address; readonly minAmount: bigint; readonly chainId: number }
  }
  /** Time until which the quote can be submitted. */
  readonly expiresAt: Date
  /** Time until which the signed order can settle. */
  readonly deadline: Date
  /** Contract that the owner's account will run from then on. */
  readonly delegate: Address
  /** Facts that the user should know and that are no reason to refuse. */
  readonly warnings: ReadonlyArray<string>
  /** Typed data to sign, built from the reviewed order (EIP-712). */
  readonly typedData: OrderTypedData
  /** Authorization to sign (EIP-7702). */
  readonly authorization: AuthorizationRequest
}

const BPS = 10_000n
const DEFAULT_LIFETIME_SECONDS = 3_600
const DEFAULT_SKEW_SECONDS = 120

const reviewRequest = ({ equal, must }: Collector, { order, quote }: Offer, request: SweepRequest): void => {
  equal("order.owner", order.owner, request.owner)
  equal("order.tokenIn", order.tokenIn, request.tokenIn)
  equal("order.amountIn", order.amountIn, request.amountIn)
  equal("order.tokenOut", order.tokenOut, request.tokenOut)
  equal("order.destination", order.destination, request.destination ?? request.owner)
  equal("order.destChainId", order.destChainId, BigInt(request.destChainId))
  if (request.sourceChainId !== undefined) equal("quote.sourceChainId", quote.sourceChainId, request.sourceChainId)
  equal("quote.crossChain", quote.crossChain, quote.sourceChainId !== request.destChainId)
  must(!isZeroAddress(order.swapTarget), "order.swapTarget", "is the zero address")
  must(!sameAddress(order.swapTarget, order.owner), "order.swapTarget", "is the owner's own account")
  must(!sameValue(order.swapTarget, quote.settlementAddress), "order.swapTarget", "is the delegate itself")
}

const reviewFees = (
  { equal, must }: Collector,
  { order, quote }: Offer,
  attributed: boolean,
  { maxFeeBps }: ReviewOptions
): void => {
  const total = order.feeAmount + order.builderFee
  equal("quote.total", quote.total, total)
  must(total < order.amountIn, "order.feeAmount", `and order.builderFee take ${total} of ${order.amountIn}`)
  if (maxFeeBps !== undefined) {
    const most = (order.amountIn * BigInt(maxFeeBps)) / BPS
    must(total <= most, "quote.total", `is ${total}, more than ${maxFeeBps} basis points`)
  }
  const hasBuilder = !isZeroAddress(order.builder)
  must(hasBuilder || order.builderFee === 0n, "order.builderFee", "goes to nobody")
  must(hasBuilder === (quote.builderId !== undefined), "quote.builderId", "and order.builder disagree")
  must(attributed || !hasBuilder, "order.builder", `is ${order.builder}, and no builder was named`)
}

const reviewMinimum = ({ equal, must }: Collector, { order, quote }: Offer, request: SweepRequest): void => {
  equal("order.minAmountOut", order.minAmountOut, quote.crossChain ? 0n : quote.minAmountOut)
  must(quote.minAmountOut > 0n, "quote.minAmountOut", "is 0")
  must(
    quote.estimatedAmountOut >= quote.minAmountOut,
    "quote.estimatedAmountOut",
    `is ${quote.estimatedAmountOut}, less than the minimum of ${quote.minAmountOut}`
  )
  const least = request.minAmountOut ?? 0n
  must(quote.minAmountOut >= least, "quote.minAmountOut", `is ${quote.minAmountOut}, less than ${least}`)
}

const reviewTimes = ({ must }: Collector, { order, quote }: Offer, options: ReviewOptions, nowMs: number): void => {
  const skewMs = (options.clockSkewSeconds ?? DEFAULT_SKEW_SECONDS) * 1000
  const latestMs = nowMs + (options.maxLifetimeSeconds ?? DEFAULT_LIFETIME_SECONDS) * 1000 + skewMs
  const deadlineMs = order.deadline * 1000n
  must(quote.expiresAtMs > nowMs - skewMs, "quote.expiresAtMs", "has passed")
  must(deadlineMs > BigInt(nowMs - skewMs), "order.deadline", "has passed")
  must(deadlineMs <= BigInt(latestMs), "order.deadline", `is ${order.deadline}, too far ahead`)
  must(quote.expiresAtMs <= latestMs, "quote.expiresAtMs", `is ${quote.expiresAtMs}, too far ahead`)
}

const reviewAuthorization = ({ equal, must }: Collector, { quote, signing }: Offer, options: ReviewOptions): void => {
  const { authorization } = signing
  equal("signing.authorization.address", authorization.address, quote.settlementAddress)
  equal("signing.authorization.chainId", authorization.chainId, quote.sourceChainId)
  // An authorization for chain 0 is valid on every chain (EIP-7702).
  must(quote.sourceChainId > 0, "quote.sourceChainId", "is 0")
  must(!isZeroAddress(quote.settlementAddress), "quote.settlementAddress", "is the zero address")
  if (options.delegates === undefined) return
  const known = options.delegates[quote.sourceChainId]
  must(known !== undefined, "quote.sourceChainId", `is ${quote.sourceChainId}, for which no delegate is known`)
  if (known !== undefined) equal("quote.settlementAddress", quote.settlementAddress, known)
}

const memberList = (members: ReadonlyArray<TypeMember> | undefined): string | undefined =>
  members?.map(({ name, type }) => `${type} ${name}`).join(",")

const ORDER_FIELDS = ORDER_TYPES.SweepOrder.map(({ name }) => name)

const reviewTypedData = ({ equal }: Collector, { signing }: Offer, expected: OrderTypedData): void => {
  const { domain, message, primaryType, types } = signing.typedData
  equal("signing.typedData.domain.name", domain.name, expected.domain.name)
  equal("signing.typedData.domain.version", domain.version, expected.domain.version)
  equal("signing.typedData.domain.chainId", domain.chainId, expected.domain.chainId)
  equal("signing.typedData.domain.verifyingContract", domain.verifyingContract, expected.domain.verifyingContract)
  equal("signing.typedData.primaryType", primaryType, expected.primaryType)
  equal("signing.typedData.types", Object.keys(types).toSorted().join(), "EIP712Domain,SweepOrder")
  equal("signing.typedData.types.SweepOrder", memberList(types["SweepOrder"]), memberList(ORDER_TYPES.SweepOrder))
  equal("signing.typedData.types.EIP712Domain", memberList(types["EIP712Domain"]), memberList(DOMAIN_TYPE))
  for (const field of ORDER_FIELDS) {
    equal(`signing.typedData.message.${field}`, message[field], expected.message[field])
  }
}

/** Copies the signed fields, so that the data to sign holds nothing else. */
const signedFields = (order: SweepOrder): SweepOrder => ({
  owner: order.owner,
  tokenIn: order.tokenIn,
  amountIn: order.amountIn,
  feeAmount: order.feeAmount,
  builder: order.builder,
  builderFee: order.builderFee,
  tokenOut: order.tokenOut,
  minAmountOut: order.minAmountOut,
  destination: order.destination,
  swapTarget: order.swapTarget,
  swapCalldata: order.swapCalldata,
  deadline: order.deadline,
  nonce: order.nonce,
  destChainId: order.destChainId
})

/**
 * Compares an offer with its request. Returns the facts to show to the user and the data to sign.
 *
 * @throws {OrderMismatchError} with every difference between order and request
 * @example
 * const review = reviewOrder(offer, request, { delegates: { 8453: delegate }, maxFeeBps: 200 })
 * console.log(`receive at least ${review.receive.minAmount} until ${review.deadline.toISOString()}`)
 */
export const reviewOrder = (offer: Offer, request: SweepRequest, options: ReviewOptions = {}): SweepReview => {
  const { order, quote, signing } = offer
  const check = collector()
  const bridgeCall = quote.crossChain ? readBridgeCall(order.swapCalldata) : undefined
  const typedData = orderTypedData(signedFields(order), quote.sourceChainId, options.domainName ?? DEFAULT_DOMAIN_NAME)

  reviewRequest(check, offer, request)
  reviewFees(check, offer, request.apiKey !== undefined, options)
  reviewMinimum(check, offer, request)
  reviewTimes(check, offer, options, options.nowMs ?? Date.now())
  reviewAuthorization(check, offer, options)
  reviewTypedData(check, offer, typedData)
  const doubts = bridgeCall === undefined ? [] : reviewBridgeCall(check, offer, bridgeCall, options.bridges)
  const unreadable = quote.crossChain && bridgeCall === undefined
  check.must(
    !unreadable || options.allowUnreadableBridgeCall === true,
    "order.swapCalldata",
    "is a bridge call that cannot be decoded, so nothing guarantees what arrives"
  )
  if (check.found.length > 0) throw new OrderMismatchError(check.found)

  const isHeld = !unreadable && doubts.length === 0
  const guaranteedBy: Guarantee = !quote.crossChain ? "order" : isHeld ? "bridge" : "service"
  const via = bridgeCall?.via
  const destination = order.destination
  return {
    quoteId: quote.id,
    owner: order.owner,
    send: { token: order.tokenIn, amount: order.amountIn, chainId: quote.sourceChainId },
    fees: {
      protocol: order.feeAmount,
      builder: order.builderFee,
      total: quote.total,
      builderAddress: isZeroAddress(order.builder) ? undefined : order.builder
    },
    receive: {
      token: order.tokenOut,
      minAmount: quote.minAmountOut,
      estimatedAmount: quote.estimatedAmountOut,
      chainId: request.destChainId,
      destination,
      guaranteedBy,
      ...(via === undefined
        ? {}
        : { via: { token: via.token, minAmount: via.minAmount, chainId: quote.sourceChainId } })
    },
    expiresAt: new Date(quote.expiresAtMs),
    deadline: new Date(Number(order.deadline) * 1000),
    delegate: quote.settlementAddress,
    warnings: [
      ...(sameAddress(destination, order.owner) ? [] : [`the tokens go to ${destination}, not to the owner`]),
      ...(quote.total * 10n > order.amountIn ? ["fees are more than a tenth of the amount"] : []),
      ...(unreadable ? ["only the service says what arrives: the bridge call cannot be decoded"] : doubts)
    ],
    typedData,
    authorization: {
      address: signing.authorization.address,
      chainId: signing.authorization.chainId,
      nonce: signing.authorization.nonce
    }
  }
}
