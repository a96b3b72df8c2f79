/** Decides which transactions of lanes a restored database forgot, so that their cost is booked. Pure and total. */
import type * as Address from "./Address.ts"
import type { Hash } from "./Hex.ts"

/** A nonce of a lane that the database has. */
export interface KnownNonce {
  readonly nonce: bigint
  /** False if the database does not know yet which transaction used the nonce. */
  readonly isMined: boolean
  /** Block of the transaction, if the database knows it. */
  readonly blockNumber?: bigint
}

export interface LaneView {
  readonly lane: Address.Address
  /** First nonce that the database may have forgotten. */
  readonly first: bigint
  /** Number of transactions of the lane in the newest confirmed block. */
  readonly used: bigint
  /** Number of transactions of the lane with those that are not confirmed. */
  readonly pending: bigint
  /** Nonces from `first` on that the database has. */
  readonly known: ReadonlyArray<KnownNonce>
  /** Earlier nonces of transactions that the database has, but which it did not find on the chain. */
  readonly unseen: ReadonlyArray<bigint>
}

/** A nonce whose transaction is looked for. Transactions of one account are mined in the order of their nonces. */
export interface MissingNonce {
  readonly nonce: bigint
  /** Block of the nearest later transaction that the database knows. Absent: the newest confirmed block. */
  readonly notAfter?: bigint
}

/** Used nonces without a known transaction, highest first, so that each search begins where the one before ended. */
export const missing = ({ first, known, unseen, used }: LaneView): ReadonlyArray<MissingNonce> => {
  const byNonce = new Map(known.map((each) => [each.nonce, each]))
  const wanted: Array<MissingNonce> = []
  let notAfter: bigint | undefined
  for (let nonce = used - 1n; nonce >= first; nonce--) {
    const seen = byNonce.get(nonce)
    if (seen?.isMined !== true) wanted.push({ nonce, ...(notAfter === undefined ? {} : { notAfter }) })
    else notAfter = seen.blockNumber ?? notAfter
  }
  const earlier = [...new Set(unseen)].filter((nonce) => nonce < first && nonce < used)
  for (const nonce of earlier.toSorted((a, b) => (a < b ? 1 : -1))) {
    wanted.push({ nonce, ...(notAfter === undefined ? {} : { notAfter }) })
  }
  return wanted
}

/** Number of nonces that are used by transactions which are not confirmed, and which the database does not know. */
export const unconfirmed = ({ first, known, pending, used }: LaneView): number => {
  const own = new Set(known.map(({ nonce }) => nonce))
  let count = 0
  for (let nonce = used > first ? used : first; nonce < pending; nonce++) if (!own.has(nonce)) count++
  return count
}

/** A transaction that the database forgot, with its cost. */
export interface LostTransaction {
  readonly hash: Hash
  readonly chainId: number
  readonly lane: Address.Address
  readonly nonce: bigint
  /** Fees that the lane paid. */
  readonly wei: bigint
  readonly minedAtMs: number
}
