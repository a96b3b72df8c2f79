/**
 * What to do next about a batch's payment, as one total function of what was seen of it. No plan can pay twice: Permit2
 * spends the batch's nonce once, whichever version of the payment is mined. The plan's part is that one of them is.
 */
import * as FeeBump from "../../domain/FeeBump.ts"
import type { Hash } from "../../domain/Hex.ts"
import * as PayoutPayment from "../../domain/PayoutPayment.ts"

/** A version of the payment that was recorded, with what the chain says of it. */
export interface Version extends PayoutPayment.SignedPayment {
  readonly recordedAtMs: number
  /** Where it was mined. */
  readonly receipt: { readonly status: "success" | "reverted"; readonly blockNumber: bigint } | undefined
}

/** One look at a batch's payment. */
export interface Observation {
  /** Oldest first. */
  readonly versions: ReadonlyArray<Version>
  /** Whether Permit2 has spent the batch's nonce, in the newest block. */
  readonly isSpent: boolean
  /** The newest block; its time in UNIX seconds. */
  readonly head: { readonly number: bigint; readonly timestamp: bigint }
  readonly confirmations: number
  /** The vault's transaction count, in the newest block and with what waits to be mined. */
  readonly accountNonce: { readonly latest: bigint; readonly pending: bigint }
  /** Of the token, in its smallest unit: what the vault holds, and what Permit2 may take of it. */
  readonly balance: bigint
  readonly allowance: bigint
  /** Sum of the batch's lines. */
  readonly total: bigint
  readonly market: FeeBump.GasFees
  readonly nowMs: number
  /** Whether the newest version was handed to a node a moment ago. */
  readonly isBroadcast: boolean
}

export type PaymentPlan =
  /** The transaction paid and is deep enough to be booked. */
  | { readonly _tag: "Book"; readonly txHash: Hash }
  | { readonly _tag: "Wait" }
  /** Hand the newest version to a node, again or for the first time. */
  | { readonly _tag: "Broadcast" }
  /** Sign a version with this account nonce, record it, then broadcast it. `replaces` holds the nonce and may be mined. */
  | {
      readonly _tag: "Sign"
      readonly nonce: bigint
      readonly fees: FeeBump.GasFees
      readonly replaces: Version | undefined
    }
  /** Set Permit2's allowance to these amounts, one after another. */
  | { readonly _tag: "Approve"; readonly amounts: ReadonlyArray<bigint> }
  /** The vault holds less than the batch pays. */
  | { readonly _tag: "Underfunded" }
  /** The batch's nonce is spent, and by no recorded version: whoever signed it knows the transaction. */
  | { readonly _tag: "Stray" }

export interface Timing {
  /** A version that is not mined within this is replaced with higher fees. */
  readonly bumpMillis: number
  /** A version that has less time left than this is replaced, in seconds. */
  readonly marginSeconds: bigint
}

export const plan = (seen: Observation, timing: Timing): PaymentPlan => {
  const { accountNonce, head, market, versions } = seen
  const paid = versions.find(({ receipt }) => receipt?.status === "success")
  if (paid?.receipt !== undefined) {
    const depth = head.number - paid.receipt.blockNumber + 1n
    return depth >= BigInt(seen.confirmations) ? { _tag: "Book", txHash: paid.txHash } : { _tag: "Wait" }
  }
  // With versions, the receipt of the one that spent it was read a moment too early.
  if (seen.isSpent) return { _tag: versions.length === 0 ? "Stray" : "Wait" }

  const newest = versions.at(-1)
  const isPending = newest !== undefined && newest.receipt === undefined && accountNonce.latest <= newest.nonce
  if (isPending && newest.deadline > head.timestamp + timing.marginSeconds) {
    const fees = FeeBump.raise(newest.fees, market)
    const isStuck = accountNonce.latest === newest.nonce && seen.nowMs - newest.recordedAtMs >= timing.bumpMillis
    if (isStuck && FeeBump.isWorthwhile(fees, market))
      return { _tag: "Sign", nonce: newest.nonce, fees, replaces: newest }
    return { _tag: seen.isBroadcast ? "Wait" : "Broadcast" }
  }
  if (seen.balance < seen.total) return { _tag: "Underfunded" }
  const amounts = PayoutPayment.approvals(seen.allowance, seen.total)
  if (amounts.length > 0) return { _tag: "Approve", amounts }
  // One that ran out of time still holds its account nonce; the next takes its place.
  return isPending
    ? { _tag: "Sign", nonce: newest.nonce, fees: FeeBump.raise(newest.fees, market), replaces: newest }
    : { _tag: "Sign", nonce: max(accountNonce.latest, accountNonce.pending), fees: market, replaces: undefined }
}

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b)
