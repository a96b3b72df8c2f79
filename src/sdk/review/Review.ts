/** Compares an offer with its request, and derives the data to sign. Pure. */
import type { AuthorizationRequest, Offer, SweepRequest } from "../model/Sweep.ts"
import { type OrderTypedData, orderTypedData, withDomainType } from "../model/TypedData.ts"
import { collector } from "./Mismatches.ts"
import type { ReviewOptions } from "./ReviewOptions.ts"
import { type ReviewedTerms, reviewTerms, signedFields } from "./TermsReview.ts"

/** A reviewed order: the facts that the user must see, and the data to sign. */
export interface SweepReview extends ReviewedTerms {
  /** Typed data to sign, built from the reviewed order (EIP-712). */
  readonly typedData: OrderTypedData
  /** Authorization to sign (EIP-7702). */
  readonly authorization: AuthorizationRequest
}

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
  const check = collector("", options.unconfirmed)
  const terms = reviewTerms(check, offer, request, options)
  const typedData = orderTypedData(signedFields(order), quote.sourceChainId, options.domainName)
  const { address, chainId, nonce } = signing.authorization
  check.members("signing.authorization", signing.authorization, {
    address: quote.settlementAddress,
    chainId: quote.sourceChainId
  })
  check.equal("signing.typedData", signing.typedData, { ...typedData, types: withDomainType(typedData) })
  check.refuse()
  return { ...terms, typedData, authorization: { address, chainId, nonce } }
}
