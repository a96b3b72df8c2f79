/** The part of an intent that its owner signs. */
import type { Authorization } from "../../domain/Delegation.ts"
import type { Hex } from "../../domain/Hex.ts"
import type { SignedBatch } from "./Sweeps.ts"

/** Signatures of the owner. */
export interface Submission {
  /** Of the order, or of the batch. */
  readonly signature: Hex
  /** Absent in a leg of a batch whose account ran the delegate when it was submitted. */
  readonly authorization?: Authorization
  /** The batch of which the order is a leg. Absent if the order is signed alone. */
  readonly batch?: SignedBatch
}

/** Signatures of an order that is signed alone. */
export interface OrderSubmission extends Submission {
  readonly authorization: Authorization
}
