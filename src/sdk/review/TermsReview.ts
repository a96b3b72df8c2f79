/**
 * Compares one order with its request before anything is signed (specification, "Client duty"), and gathers the facts that the user
 * must see. Pure.
 */
import { zeroAddress } from "../core/Viem.ts"
import { type Address, isZeroAddress, sameAddress } from "../model/Address.ts"
import type { QuotedToken } from "../model/Batch.ts"
import type { SweepOrder } from "../model/Sweep.ts"
import { ORDER_TYPES } from "../model/TypedData.ts"
import { type BridgeCall, readBridgeCall } from "./BridgeCall.ts"
import { reviewBridgeCall } from "./BridgeReview.ts"
import { KNOWN_ROUTERS } from "./KnownBridges.ts"
import type { Collector } from "./Mismatches.ts"
import { reviewFees, reviewOutput } from "./MoneyReview.ts"
import { MAX_LIFETIME_SECONDS, type ReviewOptions } from "./ReviewOptions.ts"
import { SHIPPED_DELEGATES } from "./ShippedDelegates.ts"
import { SHIPPED_ROUTERS } from "./ShippedRouters.ts"
import { readSwapRouter02 } from "./SwapCall.ts"
import { reviewSwapCall } from "./SwapReview.ts"
import type { TermsRequest } from "./TermsRequest.ts"

/** Enforcer of the least amount received: the signed order, the bridge's contract, or nobody but the service. */
export type Guarantee = "order" | "bridge" | "service"

/** A reviewed order: the facts that the user must see. */
export interface ReviewedTerms {
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
    /** Token and least amount that arrive if the swap on arrival fails. Absent if the bridge carries the token itself. */
    readonly insteadIfSwapFails?: { readonly token: Address; readonly minAmount: bigint }
  }
  /** Time until which the quote can be submitted. */
  readonly expiresAt: Date
  /** Time of the review: `nowMs`, else this device's clock, which may differ from the service's. */
  readonly reviewedAt: Date
  /** Time until which the signed order can settle. */
  readonly deadline: Date
  /** Contract that the owner's account will run from then on. */
  readonly delegate: Address
  /** Facts that the user should know and that are no reason to refuse. */
  readonly warnings: ReadonlyArray<string>
}

const reviewRequest = ({ members, must }: Collector, { order, quote }: QuotedToken, request: TermsRequest): void => {
  const { amountIn, destChainId, owner, tokenIn, tokenOut } = request
  members("order", order, {
    owner,
    tokenIn,
    amountIn: amountIn === "max" ? order.amountIn : amountIn,
    tokenOut,
    destination: request.destination ?? owner,
    destChainId
  })
  members("quote", quote, {
    sourceChainId: request.sourceChainId ?? quote.sourceChainId,
    crossChain: quote.sourceChainId !== destChainId
  })
  const forbidden = {
    "the zero address": zeroAddress,
    "the owner's own account": order.owner,
    "the delegate itself": quote.settlementAddress
  }
  for (const [name, address] of Object.entries(forbidden)) {
    must(!sameAddress(order.swapTarget, address), "order.swapTarget", `is ${name}`)
  }
}

const reviewTimes = (
  { must }: Collector,
  { order, quote }: QuotedToken,
  { clockSkewSeconds = 120, maxLifetimeSeconds = MAX_LIFETIME_SECONDS }: ReviewOptions,
  nowMs: number
): void => {
  const times = { "quote.expiresAtMs": quote.expiresAtMs / 1000, "order.deadline": Number(order.deadline) }
  for (const [field, time] of Object.entries(times)) {
    const ahead = time - nowMs / 1000
    must(ahead > -clockSkewSeconds, field, "has passed")
    must(ahead <= maxLifetimeSeconds + clockSkewSeconds, field, `is ${time} s, too far ahead`)
  }
}

/** Reviews the delegate. Returns false if only the service states it, and the caller accepts that with a warning. */
const reviewDelegate = (
  { doubts, equal, must }: Collector,
  { quote }: QuotedToken,
  options: ReviewOptions
): boolean => {
  const { settlementAddress, sourceChainId } = quote
  // An authorization for chain 0 is valid on every chain (EIP-7702).
  must(sourceChainId > 0, "quote.sourceChainId", "is 0")
  must(!isZeroAddress(settlementAddress), "quote.settlementAddress", "is the zero address")
  const known = options.delegates?.[sourceChainId] ?? SHIPPED_DELEGATES[sourceChainId]
  if (known !== undefined) {
    equal("quote.settlementAddress", settlementAddress, known)
    return true
  }
  if (options.unconfirmedDelegates === "warn") {
    doubts.push(
      `only the service says that ${settlementAddress} is the delegate of chain ${sourceChainId}: the account will run its code, which can move everything that it holds`
    )
    return false
  }
  must(
    false,
    "quote.settlementAddress",
    `is ${settlementAddress}: pass the delegate of chain ${sourceChainId} in \`delegates\``
  )
  return true
}

/** A call that cannot be decoded is a mismatch, unless the caller allows it. */
const reviewUnreadable = ({ doubts, must }: Collector, callee: "router" | "bridge", allowed = false): void => {
  const detail = `is a ${callee} call that cannot be decoded: only the service says what it does`
  if (allowed) doubts.push(`order.swapCalldata ${detail}`)
  else must(false, "order.swapCalldata", detail)
}

const reviewSwap = (check: Collector, offer: QuotedToken, options: ReviewOptions): void => {
  const { swapCalldata, swapTarget } = offer.order
  const { sourceChainId } = offer.quote
  const known = options.routers?.[sourceChainId] ?? SHIPPED_ROUTERS[sourceChainId] ?? KNOWN_ROUTERS[sourceChainId]
  const readers = Object.entries(typeof known === "string" ? { [known]: readSwapRouter02 } : (known ?? {}))
  const [router, read] = readers.find(([address]) => sameAddress(address as Address, swapTarget)) ?? []
  check.confirm(
    "order.swapTarget",
    swapTarget,
    router ?? (known && readers.map(([address]) => address).join(" or ")),
    `that ${swapTarget} is the router: it can spend what you allowed it before`
  )
  const call = (read ?? options.unlistedRouter ?? readSwapRouter02)(swapTarget, swapCalldata)
  if (call === undefined) reviewUnreadable(check, "router", options.allowUnreadableSwapCall)
  else reviewSwapCall(check, offer, call, options.bridges)
}

/** Reviews the call of an order across chains. Returns the call, if it can be decoded. */
const reviewBridge = (
  check: Collector,
  offer: QuotedToken,
  options: ReviewOptions,
  nowMs: number
): BridgeCall | undefined => {
  const { arrivals, bridges } = options
  const call = readBridgeCall(offer.order.swapCalldata, arrivals !== undefined)
  const arrival = call?.message === undefined ? call : arrivals?.(check, offer, call, options)
  if (call === undefined || arrival === undefined) {
    reviewUnreadable(check, "bridge", options.allowUnreadableBridgeCall)
    return undefined
  }
  reviewBridgeCall(check, offer, call, arrival, bridges, nowMs)
  return call
}

/** The delegate holds an order to its minimum, so nothing is guaranteed by an order if only the service states the delegate. */
const guaranteeOf = (crossChain: boolean, isDelegateKnown: boolean, { doubts }: Collector): Guarantee => {
  if (!crossChain) return isDelegateKnown ? "order" : "service"
  return doubts.length === 0 ? "bridge" : "service"
}

/** Compares an order with its request, and returns the facts to show to the user. */
export const reviewTerms = (
  check: Collector,
  offer: QuotedToken,
  request: TermsRequest,
  options: ReviewOptions
): ReviewedTerms => {
  const { order, quote } = offer
  const nowMs = options.nowMs ?? Date.now()
  reviewRequest(check, offer, request)
  reviewFees(check, offer, request.apiKey !== undefined, options)
  reviewOutput(check, offer, request, options)
  reviewTimes(check, offer, options, nowMs)
  const isDelegateKnown = reviewDelegate(check, offer, options)
  const bridged = quote.crossChain ? reviewBridge(check, offer, options, nowMs) : undefined
  const via = bridged?.via
  if (!quote.crossChain) reviewSwap(check, offer, options)
  const { destination } = order
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
      guaranteedBy: guaranteeOf(quote.crossChain, isDelegateKnown, check),
      ...(bridged?.message && {
        insteadIfSwapFails: { token: bridged.outputToken, minAmount: bridged.outputAmount }
      }),
      ...(via && { via: { token: via.token, minAmount: via.minAmount, chainId: quote.sourceChainId } })
    },
    expiresAt: new Date(quote.expiresAtMs),
    reviewedAt: new Date(nowMs),
    deadline: new Date(Number(order.deadline) * 1000),
    delegate: quote.settlementAddress,
    warnings: [
      ...(sameAddress(destination, order.owner) ? [] : [`the tokens go to ${destination}, not to the owner`]),
      ...(quote.total * 10n > order.amountIn ? ["fees are more than a tenth of the amount"] : []),
      ...(quote.outputUnwraps ? ["the bridge unwraps the token: native currency arrives"] : []),
      ...(bridged?.message === undefined
        ? []
        : [`if the swap on arrival fails, ${bridged.outputToken} arrives instead`]),
      ...check.doubts
    ]
  }
}

/** Copies the signed fields, so that the data to sign holds nothing else. */
export const signedFields = (order: SweepOrder): SweepOrder =>
  ORDER_TYPES.SweepOrder.reduce((signed, { name }) => Object.assign(signed, { [name]: order[name] }), {} as SweepOrder)
