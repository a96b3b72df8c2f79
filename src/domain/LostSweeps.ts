/**
 * Decides how settlements are booked that a restored database may have forgotten. Pure and total. A settlement that is still in the
 * books is booked again with the same content, which changes nothing.
 */
import { type Accrual, outboxMessages, type Revenue, revenueOf, type Settlement } from "./Accrual.ts"
import type * as Address from "./Address.ts"
import type { PayoutMode } from "./Builder.ts"
import type { Hash } from "./Hex.ts"
import type { Payee } from "./LostPayments.ts"

/** A settlement with the fields of its event by which a builder is found. */
export interface SettledSweep extends Settlement {
  readonly orderHash: Hash
  /** Account that received the builder's fee: the vault in the payout mode `ledger`, otherwise the builder. */
  readonly recipient: Address.Address
}

/** A builder's fee whose builder the chain does not show. An operator assigns it. */
export interface UnassignedFee {
  readonly sweepId: string
  readonly chainId: number
  readonly token: Address.Address
  readonly amount: bigint
  readonly recipient: Address.Address
  /** True if the sweep itself paid it, to an account that is not the vault. */
  readonly paid: boolean
  readonly txHash: Hash
  readonly settledAtMs: number
}

export interface SweepBooking {
  readonly sweep: SettledSweep
  /** Absent if it is booked under another transaction. */
  readonly revenue?: Revenue
  /** At most one of both. */
  readonly accrual?: Accrual
  readonly unassigned?: UnassignedFee
}

interface WholeBooking extends SweepBooking {
  readonly revenue: Revenue
}

/** A line of the books, or of a message that is on its way to them. */
export interface BookedLine {
  readonly book: "revenue" | "accrual" | "unassigned"
  readonly sweepId: string
  readonly token: Address.Address
  readonly amount: bigint
  /** Only of an accrual. */
  readonly builderId?: string
}

export interface Attributions {
  readonly vault: Address.Address
  readonly payees: ReadonlyArray<Payee>
  /** Intents that the database still has, by the hash of their orders. Undefined: an intent without a builder. */
  readonly intents: ReadonlyMap<Hash, { readonly builderId: string; readonly payoutMode: PayoutMode } | undefined>
}

const booking = ({ intents, payees, vault }: Attributions, sweep: SettledSweep): WholeBooking => {
  const { builderFee, chainId, feeToken, recipient, settledAtMs, sweepId, txHash } = sweep
  const payee = recipient === vault ? undefined : payees.find(({ payoutAddress }) => payoutAddress === recipient)
  const attributed =
    intents.get(sweep.orderHash) ??
    (payee === undefined ? undefined : { builderId: payee.builderId, payoutMode: "onchain" as const })
  const booked = { sweep, revenue: revenueOf(sweep) }
  const earned = outboxMessages(sweep, attributed).find((message) => message._tag === "Accrual")
  if (earned !== undefined) return { ...booked, accrual: earned.accrual }
  if (builderFee === 0n) return booked
  const fee = { sweepId, chainId, token: feeToken, amount: builderFee, recipient, txHash, settledAtMs }
  return { ...booked, unassigned: { ...fee, paid: recipient !== vault } }
}

/** The bookings of the settlements, in their order. */
export const plan = (attributions: Attributions, sweeps: ReadonlyArray<SettledSweep>): ReadonlyArray<WholeBooking> =>
  sweeps.map((sweep) => booking(attributions, sweep))

/**
 * The bookings without what is booked under an earlier transaction of the same order, which a reorganisation removed: its amounts stay
 * booked when the order settles again. `former` has the earlier transactions of orders, and `lines` what is booked under them. Each line
 * stands for one settlement, so that what the books lost of several equal ones is still booked.
 */
export const withoutBooked = (
  bookings: ReadonlyArray<SweepBooking>,
  former: ReadonlyMap<Hash, ReadonlyArray<Hash>>,
  lines: ReadonlyArray<BookedLine>
): ReadonlyArray<SweepBooking> => {
  const rest = new Map(lines.map((line) => [`${line.book}:${line.sweepId}`, line]))
  return bookings.map(({ accrual, revenue, sweep, unassigned }) => {
    const hashes = former.get(sweep.orderHash) ?? []
    const isBooked = (book: BookedLine["book"], amount: bigint, builderId?: string) => {
      for (const [key, line] of rest) {
        const isOfOrder = hashes.some((hash) => hash !== sweep.txHash && line.sweepId.startsWith(`${hash}_`))
        if (!isOfOrder || line.book !== book || line.token !== sweep.feeToken) continue
        if (line.amount === amount && line.builderId === builderId) return rest.delete(key)
      }
      return false
    }
    return {
      sweep,
      ...(revenue === undefined || isBooked("revenue", revenue.amount) ? {} : { revenue }),
      ...(accrual === undefined || isBooked("accrual", accrual.amount, accrual.builderId) ? {} : { accrual }),
      ...(unassigned === undefined || isBooked("unassigned", unassigned.amount) ? {} : { unassigned })
    }
  })
}
