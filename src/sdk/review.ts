/**
 * The client's duty before signing (specification, "Client duty"): the returned order is held against the request, field by
 * field, and what the user must see is put together. Pure; nothing is signed that has not passed it.
 */
import { isZeroAddress, sameAddress } from "./address.ts"
import { readBridgeCall } from "./bridge.ts"
import { OrderMismatchError } from "./errors.ts"
import type { KnownBridges } from "./knownBridges.ts"
import { type Collector, collector, same } from "./mismatches.ts"
import { reviewBridgeCall } from "./reviewBridge.ts"
import { DEFAULT_DOMAIN_NAME, DOMAIN_TYPE, ORDER_TYPES, type OrderTypedData, orderTypedData } from "./typedData.ts"
import type { Address, AuthorizationRequest, Offer, SweepOrder, SweepRequest, TypeMember } from "./types.ts"

export interface ReviewOptions {
  /** The deployment's EIP-712 domain name; `Service` unless told. */
  readonly domainName?: string
  /** The delegates that you know, by chain. An order that wants another one is refused: an account obeys its delegate. */
  readonly delegates?: Readonly<Record<number, Address>>
  /** The most that all fees may be, in basis points of the amount. */
  readonly maxFeeBps?: number
  /** The longest that an order may stay valid, in seconds; 3600 unless told. */
  readonly maxLifetimeSeconds?: number
  /** How wrong the user's clock may be, in seconds; 120 unless told. */
  readonly clockSkewSeconds?: number
  /**
   * What you know of the bridge on chains that are not built in (`KNOWN_BRIDGES`), or know better. What contradicts it is refused;
   * a minimum that rests on what is not known is said to be only the service's word.
   */
  readonly bridges?: KnownBridges
  /** Takes an order across chains whose bridge call cannot be read, on the service's word alone. */
  readonly allowUnreadableBridgeCall?: boolean
  /** UNIX milliseconds; the clock's unless told. */
  readonly nowMs?: number
}

/** Who holds the minimum that is received: the order's signature, the bridge's contract, or only the service's word. */
export type Guarantee = "order" | "bridge" | "service"

/** What the user must see before signing. */
export interface SweepReview {
  readonly quoteId: string
  readonly owner: Address
  readonly send: { readonly token: Address; readonly amount: bigint; readonly chainId: number }
  /** In the token that is sent; part of the amount that is sent. */
  readonly fees: {
    readonly protocol: bigint
    readonly builder: bigint
    readonly total: bigint
    /** Who gets the builder's part; undefined without one. */
    readonly builderAddress: Address | undefined
  }
  readonly receive: {
    readonly token: Address
    readonly minAmount: bigint
    readonly estimatedAmount: bigint
    readonly chainId: number
    readonly destination: Address
    readonly guaranteedBy: Guarantee
    /**
     * What is bridged where that is not what is sent, and at least how much of it; absent otherwise. If nobody delivers, this is
     * what comes back to the owner, on this chain.
     */
    readonly via?: { readonly token: Address; readonly minAmount: bigint; readonly chainId: number }
  }
  /** Until when the quote can be submitted. */
  readonly expiresAt: Date
  /** Until when the signed order can settle. */
  readonly deadline: Date
  /** The contract that the owner's account will run from then on. */
  readonly delegate: Address
  /** Worth telling the user, and no reason to refuse. */
  readonly warnings: ReadonlyArray<string>
  /** To sign. Made from the reviewed order. */
  readonly typedData: OrderTypedData
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
  must(!same(order.swapTarget, quote.settlementAddress), "order.swapTarget", "is the delegate itself")
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
  // An authorization of chain 0 would hold on every chain.
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

/** A copy with exactly the signed fields: what is reviewed is what is signed. */
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
 * Holds the offer against the request. Returns what to show the user and what to sign.
 *
 * @throws {OrderMismatchError} with every mismatch, when the order is not what was asked for.
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
    "is a bridge call that cannot be read, so nothing holds what arrives"
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
      ...(unreadable ? ["only the service says what arrives: the bridge call cannot be read"] : doubts)
    ],
    typedData,
    authorization: {
      address: signing.authorization.address,
      chainId: signing.authorization.chainId,
      nonce: signing.authorization.nonce
    }
  }
}
