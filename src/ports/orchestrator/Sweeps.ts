/** Sweeps as they are stored: intents that their owner signed together (domain/SweepBatch). */
import type * as Address from "../../domain/Address.ts"
import type { Authorization } from "../../domain/Delegation.ts"
import type { Hash, Hex } from "../../domain/Hex.ts"
import type { WaitingFor } from "../../domain/Intent.ts"

/** The batch of an intent. */
export interface SignedBatch {
  readonly sweepId: string
  /** Struct hashes of all legs, in signing order. */
  readonly legHashes: ReadonlyArray<Hash>
  /** Index of the intent's leg. */
  readonly leg: number
}

/** A leg that is submitted. */
export interface NewLeg {
  readonly intentId: string
  readonly legHash: Hash
  /** Absent if the account runs the delegate. */
  readonly authorization?: Authorization
  /** Cause for which it waits in the queue. */
  readonly waitingFor?: WaitingFor
}

export interface NewSweep {
  readonly id: string
  readonly owner: Address.Address
  /** Of the batch. */
  readonly signature: Hex
  /** All legs, in signing order. A second leg of the same intent fails with `IllegalTransition`. */
  readonly legs: ReadonlyArray<NewLeg>
  /** Network of the client. */
  readonly network?: string
}

export interface StoredSweep {
  readonly id: string
  /** Increases with each sweep. */
  readonly number: bigint
  readonly owner: Address.Address
  /** In signing order. */
  readonly intentIds: ReadonlyArray<string>
  readonly createdAtMs: number
}

/** The submission of each leg, in signing order. */
export const submissionsOf = ({ id, legs, signature }: NewSweep) => {
  const legHashes = legs.map(({ legHash }) => legHash)
  return legs.map(({ authorization, intentId, waitingFor }, leg) => ({
    id: intentId,
    submission: {
      signature,
      ...(authorization === undefined ? {} : { authorization }),
      batch: { sweepId: id, legHashes, leg } satisfies SignedBatch
    },
    waitingFor
  }))
}
