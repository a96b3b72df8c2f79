/**
 * The TypeScript client of the sweep service, for browsers, Node and Bun. Its only dependency is the peer `viem`.
 *
 * @example
 * const client = createSweepClient({
 *   orchestratorUrl: "https://sweep.example",
 *   review: { maxFeeBps: 200 }
 * })
 * const result = await client.sweep(
 *   { owner: account.address, tokenIn, amountIn: 25_000000n, tokenOut, destChainId: 8453, minAmountOut },
 *   account,
 *   { confirm: (review) => askTheUser(review), onProgress: ({ status }) => show(status) }
 * )
 */
export type { Delegation, Node, NodeCall, NodeClient, RevocationSender, RevokeOptions } from "./client/Delegation.ts"
export type { Fetch } from "./client/Http.ts"
export type { KeyedRequestOptions, PageOptions, PortfolioOptions, RequestOptions } from "./client/RequestOptions.ts"
export { createSweepClient, type SweepClient } from "./client/SweepClient.ts"
export type { SweepClientOptions, SweepOptions, SweepResult } from "./client/SweepClientOptions.ts"
export type { SweepAllEvent, SweepAllOptions, SweepAllRequest, SweepAllResult } from "./client/SweepAll.ts"
export type { WaitOptions } from "./client/Waiting.ts"
export type { PollPauses } from "./core/Polling.ts"
export type { RetryOptions } from "./core/Retry.ts"
export type { Address } from "./model/Address.ts"
export {
  type Answer,
  ApiError,
  IdempotencyKeyInUseError,
  IdempotencyKeyReusedError,
  InvalidRequestError,
  NotFoundError,
  QuoteUnavailableError,
  RateLimitedError,
  RetryLaterError,
  ScreeningBlockedError,
  ScreeningUnavailableError,
  ServiceError,
  SubmissionRefusedError,
  SweepPostponedError,
  type SweepPostponement,
  type SweepRefusal,
  SweepRefusedError,
  UnavailableError,
  UnexpectedStatusError
} from "./model/ApiErrors.ts"
export type * from "./model/Batch.ts"
export { isQuoted } from "./model/Batch.ts"
export { BATCH_TYPES, type BatchTypedData, batchTypedData } from "./model/BatchTypedData.ts"
export type * from "./model/Catalog.ts"
export {
  MalformedAnswerError,
  type Mismatch,
  NetworkError,
  NodeError,
  NothingToSweepError,
  OrderMismatchError,
  QuoteExpiredError,
  SigningError,
  SweepFailedError,
  SweepUnfinishedError,
  UsageError,
  WaitTimeoutError
} from "./model/Errors.ts"
export { isSweepError, type KnownSweepError, type SweepErrorCode } from "./model/ErrorCodes.ts"
export type { Hex } from "./model/Hex.ts"
export type { Accepted, FailureReason, Intent, IntentStatus, Refund, WaitingFor } from "./model/Intent.ts"
export type * from "./model/Portfolio.ts"
export type * from "./model/Sweep.ts"
export { SweepError } from "./model/SweepError.ts"
export { DEFAULT_DOMAIN_NAME } from "./model/DomainName.ts"
export { ORDER_TYPES, type OrderTypedData, orderTypedData, type SignableTypedData, toJson } from "./model/TypedData.ts"
export {
  type BatchReview,
  type LeftOutToken,
  type ReviewedLeg,
  reviewSweepQuotes,
  selectLegs
} from "./review/BatchReview.ts"
export { type BridgeCall, readBridgeCall } from "./review/BridgeCall.ts"
export { KNOWN_BRIDGES, KNOWN_ROUTERS, type KnownBridge, type KnownBridges } from "./review/KnownBridges.ts"
export { reviewNonces } from "./review/NonceReview.ts"
export { reviewOrder, type SweepReview } from "./review/Review.ts"
export type { IndependentPrice } from "./review/IndependentPrice.ts"
export type { ReviewOptions } from "./review/ReviewOptions.ts"
export { SHIPPED_DELEGATES } from "./review/ShippedDelegates.ts"
export { SHIPPED_ROUTERS } from "./review/ShippedRouters.ts"
export { readSwapCall, type Routers, type SwapCall, type SwapReader } from "./review/SwapCall.ts"
export type { Guarantee, ReviewedTerms } from "./review/TermsReview.ts"
export { type AuthorizationSignature, fromProvider, type Provider, type SweepSigner } from "./sign/Signer.ts"
export { signBatch, signReviewed } from "./sign/Signing.ts"
export { readSweepQuotes } from "./wire/Batch.ts"
export { readOffer } from "./wire/Offer.ts"
