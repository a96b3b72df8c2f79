/**
 * Decides the next step for a relay transaction, as a total function of one observation. Receipts come first: while any attempt
 * may be in a block, nothing is concluded from nonces or times.
 */
import { ageOf, CAREFUL_MILLIS } from "../../domain/Age.ts"
import * as FeeBump from "../../domain/FeeBump.ts"
import type { Attempt, Inclusion, RelayTransaction } from "../../ports/orchestrator/RelayTransactions.ts"
import type { Displaced, Observation, TransactionPlan } from "./Findings.ts"

export interface Timing {
  /** Age at which an attempt that is not mined is broadcast again. */
  readonly rebroadcastMillis: number
  /** Age at which an attempt that is not mined is replaced with higher fees. One below the base fee is replaced earlier. */
  readonly bumpMillis: number
}

/** A node's receipts may lag its state, so one look without a receipt does not prove that a foreign transaction used a nonce. */
const DISPLACED_PASSES = 3
const DISPLACED_MILLIS = 60_000

/** Outage of a lane's signer after which its overdue sweeps do not wait for a self-send. A shorter one may be a single lost request. */
const OUTAGE_MILLIS = 60_000

/** Confirmations of a block, itself included. Less than 1 when the block was read after the head. */
export const depth = (head: bigint, blockNumber: bigint): bigint => head - blockNumber + 1n

export const plan = (seen: Observation, timing: Timing): TransactionPlan => {
  const { laneNonce, market, mined, nowMs, transaction } = seen
  const { inclusion, kind, newest, nonce } = transaction

  if (mined !== undefined) {
    const deep = depth(seen.head, mined.blockNumber)
    if (deep >= BigInt(seen.confirmations)) return { _tag: "Conclude" }
    // The head was read before the block. The next pass, which has both, often concludes at once.
    if (deep < 1n) return { _tag: "Wait" }
    return isSame(inclusion, mined) ? { _tag: "Wait" } : { _tag: "Include", inclusion: mined }
  }
  if (inclusion !== undefined) return { _tag: seen.inclusionStands === false ? "Reorged" : "Wait" }
  if (laneNonce.confirmed > nonce) return { _tag: isForGood(seen.displaced, nowMs) ? "Detach" : "Wait" }
  // Some transaction used the nonce, perhaps an attempt whose receipt is not available yet.
  if (laneNonce.latest > nonce) return { _tag: "Wait" }

  // Without a signer nobody frees the nonce, and as long as the sweeps stay, they block their owners.
  if (seen.isOverdue && seen.outageMillis >= OUTAGE_MILLIS) return { _tag: "Release" }
  if (kind === "sweep" && !seen.wanted) return { _tag: "Cancel" }
  if (newest.broadcastAtMs === undefined) return { _tag: "Rebroadcast" }
  // Behind another nonce of its lane it waits for that one, so higher fees would not help.
  const isNext = laneNonce.latest === nonce
  const isQuiet = ageOf(nowMs, newest.broadcastAtMs) >= timing.rebroadcastMillis
  // No block can include it, and the lane's other transactions wait for its nonce.
  const isUnheard = ageOf(nowMs, newest.broadcastAtMs, CAREFUL_MILLIS) >= timing.rebroadcastMillis
  const isOutpriced = isUnheard && market.baseFeePerGas > newest.maxFeePerGas
  const isStuck = isOutpriced || ageOf(nowMs, newest.signedAtMs, CAREFUL_MILLIS) >= timing.bumpMillis
  // Above the limit no sweep is signed, but the nonce can still be freed by a self-send.
  const limit = isOutpriced ? undefined : seen.feeLimit
  const isWorthwhile = FeeBump.isWorthwhile(FeeBump.raise(newest, market), market, limit)
  if (isNext && isStuck && isWorthwhile) return { _tag: "Bump" }
  return { _tag: isQuiet ? "Rebroadcast" : "Wait" }
}

/**
 * The version that is sent next: the newest one. Of a reopened transaction it is the one that was signed last since the block was lost.
 * A version that is signed again keeps its place among the attempts. Without one, it is the version that the block included, as if that
 * had been signed when the block was lost.
 */
export const newestOf = ({
  attempts,
  reopened
}: Pick<RelayTransaction, "attempts" | "reopened">): Attempt | undefined => {
  const newest = attempts.at(-1)
  if (reopened === undefined || newest === undefined) return newest
  const { atMs, hash } = reopened
  const [signedSince] = attempts
    .filter(({ signedAtMs }) => signedAtMs >= atMs)
    .toReversed()
    .toSorted((a, b) => b.signedAtMs - a.signedAtMs)
  if (signedSince !== undefined) return signedSince
  const { broadcastAtMs, ...included } = attempts.find((each) => each.hash === hash) ?? newest
  const isSentAgain = broadcastAtMs !== undefined && broadcastAtMs >= atMs
  return { ...included, signedAtMs: atMs, ...(isSentAgain ? { broadcastAtMs } : {}) }
}

/**
 * True if it carries intents and no block can settle any of them any more: a confirmed block is after the deadline of each that is open.
 * The sweeps of a reopened transaction stay, since they were settled. `confirmedAt`: time of the newest confirmed block in UNIX seconds.
 */
export const isOverdue = (
  { intentIds, reopened, wantedUntil }: Pick<RelayTransaction, "intentIds" | "reopened" | "wantedUntil">,
  confirmedAt: bigint | undefined
): boolean =>
  reopened === undefined &&
  intentIds.length > 0 &&
  confirmedAt !== undefined &&
  (wantedUntil === undefined || wantedUntil < confirmedAt)

/** True when the receipt has been absent for long enough to count, provided that no other endpoint has it. */
export const isForGood = (displaced: Displaced | undefined, nowMs: number): boolean =>
  displaced !== undefined && displaced.passes >= DISPLACED_PASSES && nowMs - displaced.sinceMs >= DISPLACED_MILLIS

/** True if the block that is noted is the one that was seen, with the same version. */
export const isSame = (noted: Inclusion | undefined, seen: Inclusion): boolean =>
  noted !== undefined && noted.hash === seen.hash && noted.blockHash === seen.blockHash
