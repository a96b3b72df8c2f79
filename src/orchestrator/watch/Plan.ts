/**
 * What to do about a relay transaction, as one total function of what was seen of it. Receipts come first: as long as any
 * version of the transaction may be in a block, nothing is concluded from nonces or times.
 */
import * as FeeBump from "../../domain/FeeBump.ts"
import type { Attempt, Inclusion, RelayTransaction } from "../../ports/orchestrator/RelayTransactions.ts"

/** One look at a transaction, all from the same pass. */
export interface Observation {
  readonly transaction: Pick<RelayTransaction, "kind" | "nonce" | "inclusion"> & {
    /** The version that was signed last. */
    readonly newest: Attempt
  }
  /** The canonical block that holds one of its versions. */
  readonly mined: Inclusion | undefined
  /** Whether the block that was noted before is still canonical; of no account where none was noted. */
  readonly inclusionStands: boolean
  /** Number of the newest block. */
  readonly head: bigint
  readonly confirmations: number
  /** The lane's transaction count in the newest block, and in the newest block that is deep enough to count. */
  readonly laneNonce: { readonly latest: bigint; readonly confirmed: bigint }
  /** Whether at least one intent that it carries is still open and can still be settled in time. */
  readonly wanted: boolean
  readonly nowMs: number
  readonly market: FeeBump.GasFees
}

export interface Timing {
  readonly rebroadcastMillis: number
  readonly bumpMillis: number
}

export type RelayPlan =
  | { readonly _tag: "Wait" }
  /** Hand the newest version's bytes to the node, again or for the first time. */
  | { readonly _tag: "Rebroadcast" }
  /** Sign the same content with these fees. */
  | { readonly _tag: "Bump"; readonly fees: FeeBump.GasFees }
  /** Sign a self-send with these fees, so that the nonce is used though the sweep is not wanted any more. */
  | { readonly _tag: "Cancel"; readonly fees: FeeBump.GasFees }
  /** Note the block; it may still be reorganised away. */
  | { readonly _tag: "Include"; readonly inclusion: Inclusion }
  /** The block counts: decide each intent by the receipt's events, then be done. */
  | { readonly _tag: "Conclude"; readonly inclusion: Inclusion }
  /** The noted block is gone: forget it and send again. */
  | { readonly _tag: "Reorged" }
  /** Another transaction took the nonce for good: let the intents go. */
  | { readonly _tag: "Detach" }

/** Blocks that stand on `blockNumber`, itself included; less than 1 where the reads raced each other. */
export const depth = (head: bigint, blockNumber: bigint): bigint => head - blockNumber + 1n

export const plan = (seen: Observation, timing: Timing): RelayPlan => {
  const { laneNonce, market, mined, nowMs, transaction } = seen
  const { inclusion, kind, newest, nonce } = transaction

  if (mined !== undefined) {
    if (depth(seen.head, mined.blockNumber) >= BigInt(seen.confirmations)) return { _tag: "Conclude", inclusion: mined }
    return isSame(inclusion, mined) ? { _tag: "Wait" } : { _tag: "Include", inclusion: mined }
  }
  if (inclusion !== undefined) return { _tag: seen.inclusionStands ? "Wait" : "Reorged" }
  if (laneNonce.confirmed > nonce) return { _tag: "Detach" }
  // Something has the nonce, perhaps one of ours whose receipt is not there yet.
  if (laneNonce.latest > nonce) return { _tag: "Wait" }

  const fees = FeeBump.raise(newest, market)
  if (kind === "sweep" && !seen.wanted) return { _tag: "Cancel", fees }
  if (newest.broadcastAtMs === undefined) return { _tag: "Rebroadcast" }
  // Behind another nonce of its lane it waits for that one, whatever it pays.
  const isNext = laneNonce.latest === nonce
  const isStuck = nowMs - newest.signedAtMs >= timing.bumpMillis
  if (isNext && isStuck && FeeBump.isWorthwhile(fees, market)) return { _tag: "Bump", fees }
  return { _tag: nowMs - newest.broadcastAtMs >= timing.rebroadcastMillis ? "Rebroadcast" : "Wait" }
}

const isSame = (noted: Inclusion | undefined, seen: Inclusion): boolean =>
  noted !== undefined && noted.hash === seen.hash && noted.blockHash === seen.blockHash
