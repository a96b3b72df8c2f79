/**
 * Decides the next step of a batch's payment, as a total function of one observation. No plan can pay twice: Permit2 spends the
 * batch's nonce once, whichever version of the payment is mined. The plan makes sure that one of them is.
 */
import { ageOf } from "../../domain/Age.ts"
import * as FeeBump from "../../domain/FeeBump.ts"
import type { Hash } from "../../domain/Hex.ts"
import * as PayoutPayment from "../../domain/PayoutPayment.ts"

/** A recorded version of the payment, with its receipt. */
export interface Version extends PayoutPayment.SignedPayment {
  readonly recordedAtMs: number
  /** Undefined until it is mined. */
  readonly receipt: { readonly status: "success" | "reverted"; readonly blockNumber: bigint } | undefined
}

/** Everything that one look found out about a batch's payment. */
export interface Observation {
  /** Oldest first. */
  readonly versions: ReadonlyArray<Version>
  /** True when Permit2 has spent the batch's nonce in the newest block. */
  readonly isSpent: boolean
  /** True when Permit2 has spent it in the newest confirmed block. Read only if no recorded version is known to have paid. */
  readonly isSpentConfirmed: boolean
  /** The newest block; its time in UNIX seconds. */
  readonly head: { readonly number: bigint; readonly timestamp: bigint }
  readonly confirmations: number
  /** The vault's transaction count in the newest block, and with pending transactions. */
  readonly accountNonce: { readonly latest: bigint; readonly pending: bigint }
  /** The vault's balance of the token, and Permit2's allowance for it, in the token's smallest unit. */
  readonly balance: bigint
  readonly allowance: bigint
  /** Sum of the batch's lines. */
  readonly total: bigint
  readonly market: FeeBump.GasFees
  readonly nowMs: number
  /** True when the newest version was broadcast recently. */
  readonly isBroadcast: boolean
}

export type PaymentPlan =
  /** The transaction paid and is confirmed. */
  | { readonly _tag: "Book"; readonly txHash: Hash }
  | { readonly _tag: "Wait" }
  /** Send the newest version to a node, again or for the first time. */
  | { readonly _tag: "Broadcast" }
  /** Sign a version with this account nonce, record it, then broadcast it. `replaces` has the same nonce and may still be mined. */
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
  /** The batch's nonce is spent, but by no recorded version. Only its signer knows the transaction. */
  | { readonly _tag: "Stray" }

export interface Timing {
  /** A version that is not mined within this many milliseconds is replaced with higher fees. */
  readonly bumpMillis: number
  /** A version with fewer seconds left than this is replaced. */
  readonly marginSeconds: bigint
}

export const plan = (seen: Observation, timing: Timing): PaymentPlan => {
  const { accountNonce, head, market, versions } = seen
  const paid = versions.find(({ receipt }) => receipt?.status === "success")
  if (paid?.receipt !== undefined) {
    const depth = head.number - paid.receipt.blockNumber + 1n
    return depth >= BigInt(seen.confirmations) ? { _tag: "Book", txHash: paid.txHash } : { _tag: "Wait" }
  }
  // A node may have the block of a recorded version before its receipt. It has both once the block is confirmed.
  if (seen.isSpent) return seen.isSpentConfirmed || versions.length === 0 ? { _tag: "Stray" } : { _tag: "Wait" }

  const newest = versions.at(-1)
  const isPending = newest !== undefined && newest.receipt === undefined && accountNonce.latest <= newest.nonce
  if (isPending && newest.deadline > head.timestamp + timing.marginSeconds) {
    const fees = FeeBump.raise(newest.fees, market)
    const isStuck = accountNonce.latest === newest.nonce && ageOf(seen.nowMs, newest.recordedAtMs) >= timing.bumpMillis
    if (isStuck && FeeBump.isWorthwhile(fees, market))
      return { _tag: "Sign", nonce: newest.nonce, fees, replaces: newest }
    return { _tag: seen.isBroadcast ? "Wait" : "Broadcast" }
  }
  if (seen.balance < seen.total) return { _tag: "Underfunded" }
  const amounts = PayoutPayment.approvals(seen.allowance, seen.total)
  if (amounts.length > 0) return { _tag: "Approve", amounts }
  // A version past its deadline still occupies its account nonce, so the next one replaces it.
  return isPending
    ? { _tag: "Sign", nonce: newest.nonce, fees: FeeBump.raise(newest.fees, market), replaces: newest }
    : { _tag: "Sign", nonce: max(accountNonce.latest, accountNonce.pending), fees: market, replaces: undefined }
}

/**
 * True when another transaction seems to have paid the batch, or to have taken the account nonce of the newest version. Receipts are read
 * first, so a version may have been mined just after its receipt was read. A second look tells.
 */
export const isPassedOver = ({ accountNonce, isSpent, versions }: Observation): boolean => {
  const newest = versions.at(-1)
  if (newest === undefined || versions.some(({ receipt }) => receipt?.status === "success")) return false
  return isSpent || (newest.receipt === undefined && accountNonce.latest > newest.nonce)
}

const max = (a: bigint, b: bigint): bigint => (a > b ? a : b)
