/** The client for programs that use Effect. It needs `effect` beside `viem`; the main entry needs only `viem`. */
export { OrchestratorApi } from "../api/orchestrator/OrchestratorApi.ts"
export type { RetryOptions } from "./core/Retry.ts"
export {
  Declined,
  NothingToSweep,
  OrderMismatch,
  QuoteExpired,
  SigningFailed,
  SweepFailed,
  SweepUnfinished
} from "./effect/Failures.ts"
export { type KeyedOptions, type Options, SweepApi } from "./effect/SweepApi.ts"
export type { SignedBatch, Sweep, SweepQuotes, SweepQuotesRequest } from "./model/Batch.ts"
export type { SignedSweep, SweepRequest } from "./model/Sweep.ts"
export type { KnownBridge, KnownBridges } from "./review/KnownBridges.ts"
export type { BatchReview } from "./review/BatchReview.ts"
export type { SweepReview } from "./review/Review.ts"
export type { ReviewOptions } from "./review/ReviewOptions.ts"
export type { SweepSigner } from "./sign/Signer.ts"
