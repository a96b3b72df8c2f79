/** Compares the quotes of many tokens with their request, and derives the one message to sign. Pure. */
import { sameAddress } from "../model/Address.ts"
import {
  type BatchLeg,
  isQuoted,
  type RefusedToken,
  type SweepQuotes,
  type SweepQuotesRequest
} from "../model/Batch.ts"
import { type BatchTypedData, batchTypedData } from "../model/BatchTypedData.ts"
import { type Mismatch, NothingToSweepError } from "../model/Errors.ts"
import type { AuthorizationRequest } from "../model/Sweep.ts"
import { collector, type Collector } from "./Mismatches.ts"
import type { ReviewOptions } from "./ReviewOptions.ts"
import { type ReviewedTerms, reviewTerms, signedFields } from "./TermsReview.ts"

/** A reviewed leg: the facts that the user must see, and the order to sign. */
export interface ReviewedLeg extends ReviewedTerms, BatchLeg {}

/** A token that is left out of the batch. */
export interface LeftOutToken extends RefusedToken {
  /** Limits of the review that its order breaks. Empty if the service has no quote of it. */
  readonly mismatches: ReadonlyArray<Mismatch>
}

/** Reviewed quotes: the facts that the user must see, and the data to sign. */
export interface BatchReview {
  /** Orders to sign, in signing order. */
  readonly legs: readonly [ReviewedLeg, ...ReadonlyArray<ReviewedLeg>]
  /** Tokens without a quote, and tokens whose orders break a limit of the review (reason `over_limit`). */
  readonly leftOut: ReadonlyArray<LeftOutToken>
  /** Time until which the quotes can be submitted. */
  readonly expiresAt: Date
  /** Typed data to sign, built from the reviewed orders (EIP-712). */
  readonly typedData: BatchTypedData
  /** Authorizations to sign (EIP-7702), at most one for each chain. */
  readonly authorizations: ReadonlyArray<AuthorizationRequest>
}

/**
 * Requires that an authorization names the delegate of every order of its chain. An order that is left out counts too: otherwise an order
 * that nobody sees could name the delegate that is signed.
 */
const reviewAuthorizations = (
  { equal, must }: Collector,
  authorizations: ReadonlyArray<AuthorizationRequest>,
  legs: ReadonlyArray<ReviewedLeg>
): void => {
  for (const [index, { address, chainId }] of authorizations.entries()) {
    const field = `signing.authorizations.${index}`
    const orders = legs.filter((each) => each.chainId === chainId)
    must(orders.length > 0, `${field}.chainId`, "has no order")
    must(authorizations.findIndex((each) => each.chainId === chainId) === index, `${field}.chainId`, "is there twice")
    const other = orders.find(({ delegate }) => !sameAddress(delegate, address))
    equal(`${field}.address`, address, other?.delegate ?? address)
  }
}

const assembled = (
  legs: ReadonlyArray<ReviewedLeg>,
  leftOut: ReadonlyArray<LeftOutToken>,
  authorizations: ReadonlyArray<AuthorizationRequest>,
  domainName: string | undefined
): BatchReview => {
  const [first, ...others] = legs
  if (first === undefined) throw new NothingToSweepError(leftOut)
  const needed = authorizations.filter((each) => legs.some(({ chainId }) => chainId === each.chainId))
  const check = collector()
  reviewAuthorizations(check, needed, legs)
  check.refuse()
  return {
    legs: [first, ...others],
    leftOut,
    expiresAt: new Date(Math.min(...legs.map(({ expiresAt }) => Number(expiresAt)))),
    typedData: batchTypedData(legs, domainName),
    authorizations: needed
  }
}

/**
 * Leaves legs out of a reviewed batch, as the user chose.
 *
 * @throws {NothingToSweepError} if no leg is left
 * @throws {OrderMismatchError} if an authorization is not for the delegate of every leg that is left
 * @example
 * const chosen = selectLegs(review, ({ quoteId }) => ticked.has(quoteId))
 */
export const selectLegs = (review: BatchReview, keep: (leg: ReviewedLeg) => boolean): BatchReview =>
  assembled(review.legs.filter(keep), review.leftOut, review.authorizations, review.typedData.domain.name)

/**
 * Compares quotes with their request. An order that contradicts the request refuses the whole. An order that only breaks a limit, such
 * as a fee above `maxFeeBps`, is left out.
 *
 * @throws {OrderMismatchError} with every contradiction between orders and request
 * @throws {NothingToSweepError} if no order is left
 * @example
 * const review = reviewSweepQuotes(quotes, request, { delegates: { 8453: delegate } })
 * for (const { receive, send } of review.legs) console.log(`${send.amount} for at least ${receive.minAmount}`)
 */
export const reviewSweepQuotes = (
  offered: SweepQuotes,
  request: SweepQuotesRequest,
  options: ReviewOptions = {}
): BatchReview => {
  const { quotes, signing } = offered
  const all = collector()
  all.equal("quotes", quotes.length, request.tokens.length)
  const quoted: Array<ReviewedLeg> = []
  const kept: Array<ReviewedLeg> = []
  const leftOut: Array<LeftOutToken> = []
  for (const [index, { amount, chainId, token, ...asked }] of request.tokens.entries()) {
    const entry = quotes[index]
    const check = collector(`quotes.${index}.`, options.unconfirmed)
    if (entry === undefined) continue
    if (isQuoted(entry)) {
      const one = { ...request, ...asked, tokenIn: token, amountIn: amount, sourceChainId: chainId }
      const leg = { ...reviewTerms(check, entry, one, options), chainId, order: signedFields(entry.order) }
      quoted.push(leg)
      if (check.found.length === 0) kept.push(leg)
      else leftOut.push({ chainId, token, reason: "over_limit", mismatches: check.found })
    } else {
      check.equal("chainId", entry.chainId, chainId)
      check.equal("token", entry.token, token)
      leftOut.push({ ...entry, mismatches: [] })
    }
    all.found.push(...check.found.filter(({ limit }) => limit !== true))
  }
  all.equal("quotes: ids", new Set(quoted.map(({ quoteId }) => quoteId)).size, quoted.length)
  const authorizations = signing?.authorizations ?? []
  reviewAuthorizations(all, authorizations, quoted)
  all.refuse()
  return assembled(kept, leftOut, authorizations, options.domainName)
}
