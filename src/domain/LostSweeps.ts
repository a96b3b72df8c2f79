/**
 * Decides how settlements are booked that a restored database may have forgotten. Pure and total. A settlement that is still in the
 * books is booked again with the same content, which changes nothing.
 */
import { type Accrual, hashOf, outboxMessages, type Revenue, revenueOf, type Settlement } from "./Accrual.ts"
import type * as Address from "./Address.ts"
import type { PayoutMode } from "./Builder.ts"
import type { Hash } from "./Hex.ts"
import type { Payee } from "./LostPayments.ts"

/** A settlement with the fields of its event by which a builder is found. */
export interface SettledSweep extends Settlement {
  readonly orderHash: Hash
  /** Amount that was swept, with the fees. */
  readonly amountIn: bigint
  /** Account that received the builder's fee: a vault in the payout mode `ledger`, otherwise the builder. */
  readonly recipient: Address.Address
}

/** A builder's fee whose builder the chain does not show. An operator assigns it. */
export interface UnassignedFee {
  readonly sweepId: string
  readonly chainId: number
  readonly token: Address.Address
  readonly amount: bigint
  readonly recipient: Address.Address
  /** True if the sweep itself paid it, to an account that is not a vault. */
  readonly paid: boolean
  readonly txHash: Hash
  readonly settledAtMs: number
}

export interface SweepBooking {
  readonly sweep: SettledSweep
  /** Absent for a sale of the fee recipient, or if it is booked under another id. */
  readonly revenue?: Revenue
  /** At most one of both. */
  readonly accrual?: Accrual
  readonly unassigned?: UnassignedFee
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
  /** The present vault of the chain and its former ones. */
  readonly vaults: ReadonlyArray<Address.Address>
  readonly payees: ReadonlyArray<Payee>
  /** Intents that the database still has, by the hash of their orders. Undefined: an intent without a builder. */
  readonly intents: ReadonlyMap<Hash, { readonly builderId: string; readonly payoutMode: PayoutMode } | undefined>
}

const booking = ({ intents, payees, vaults }: Attributions, sweep: SettledSweep): SweepBooking => {
  const { builderFee, chainId, feeToken, recipient, settledAtMs, sweepId, txHash } = sweep
  const payee = vaults.includes(recipient) ? undefined : payees.find(({ payoutAddress }) => payoutAddress === recipient)
  const attributed =
    intents.get(sweep.orderHash) ??
    (payee === undefined ? undefined : { builderId: payee.builderId, payoutMode: "onchain" as const })
  const booked = { sweep, ...(sweep.isOwnSale === true ? {} : { revenue: revenueOf(sweep) }) }
  const earned = outboxMessages(sweep, attributed).find((message) => message._tag === "Accrual")
  if (earned !== undefined) return { ...booked, accrual: earned.accrual }
  if (builderFee === 0n) return booked
  const fee = { sweepId, chainId, token: feeToken, amount: builderFee, recipient, txHash, settledAtMs }
  return { ...booked, unassigned: { ...fee, paid: !vaults.includes(recipient) } }
}

/** The bookings of the settlements, in their order. */
export const plan = (attributions: Attributions, sweeps: ReadonlyArray<SettledSweep>): ReadonlyArray<SweepBooking> =>
  sweeps.map((sweep) => booking(attributions, sweep))

/**
 * True if the builder's fee went to an account that is no vault and no builder's. The account may be a vault that the settings do not
 * name, so the fee is not booked as paid.
 */
export const isStray = ({ unassigned }: SweepBooking): boolean => unassigned?.paid === true

/** Accounts that orders of the payout mode `ledger` name as the vault, and that are none of the vaults. */
export const unnamedVaults = (
  { intents, vaults }: Attributions,
  sweeps: ReadonlyArray<SettledSweep>
): ReadonlyArray<Address.Address> => [
  ...new Set(
    sweeps.flatMap(({ builderFee, orderHash, recipient }) =>
      builderFee > 0n && intents.get(orderHash)?.payoutMode === "ledger" && !vaults.includes(recipient)
        ? [recipient]
        : []
    )
  )
]

/** Id of the settlement that a line stands for. An operator books the correction of a reversed accrual under an id of its own. */
const settlementOf = ({ sweepId }: BookedLine): string => sweepId.replace(/(?:-corrected)+$/, "")

/** False if the line stands for another settlement, which had the same id before a reorganisation. */
const isOf = ({ accrual, sweep }: SweepBooking, { amount, book, builderId, token }: BookedLine): boolean =>
  token === sweep.feeToken &&
  amount === (book === "revenue" ? sweep.feeAmount : sweep.builderFee) &&
  (book !== "accrual" || accrual === undefined || accrual.builderId === builderId)

type Content = Pick<BookedLine, "book" | "token" | "amount"> & { readonly builderId?: string | undefined }

const contentOf = (hash: Hash, { amount, book, builderId, token }: Content): string =>
  [hash, book, token, amount, builderId].join(":")

/** Lines by the settlements on the chain that they stand for, and the number of equal lines that stand for none. */
const matched = (bookings: ReadonlyArray<SweepBooking>, lines: ReadonlyArray<BookedLine>) => {
  const bySweep = new Map(bookings.map((each) => [each.sweep.sweepId, each]))
  const own = new Set<string>()
  const free = new Map<string, number>()
  for (const line of new Map(lines.map((each) => [`${each.book}:${each.sweepId}`, each])).values()) {
    const settlement = bySweep.get(settlementOf(line))
    const hash = hashOf(line.sweepId)
    if (settlement !== undefined && isOf(settlement, line)) own.add(`${line.book}:${settlement.sweep.sweepId}`)
    else if (hash !== undefined) free.set(contentOf(hash, line), (free.get(contentOf(hash, line)) ?? 0) + 1)
  }
  return { free, own }
}

/**
 * The bookings without what is booked under an earlier id of the same order. A reorganisation removed that settlement, and its amounts
 * stay booked when the order settles again, in another transaction or at another position of the same one. `former` has the
 * transactions in which orders settled first, and `lines` what is booked under them and under the present ones. Each line stands for one
 * settlement, so that what the books lost of several equal ones is still booked.
 */
export const withoutBooked = (
  bookings: ReadonlyArray<SweepBooking>,
  former: ReadonlyMap<Hash, ReadonlyArray<Hash>>,
  lines: ReadonlyArray<BookedLine>
): ReadonlyArray<SweepBooking> => {
  const { free, own } = matched(bookings, lines)
  return bookings.map((booked) => {
    const { accrual, revenue, sweep, unassigned } = booked
    const first = former.get(sweep.orderHash)
    if (first === undefined) return booked
    const isBooked = (book: BookedLine["book"], amount: bigint, builderId?: string) => {
      if (own.has(`${book}:${sweep.sweepId}`)) return false
      for (const hash of [...first, sweep.txHash]) {
        const content = contentOf(hash, { book, token: sweep.feeToken, amount, builderId })
        const count = free.get(content) ?? 0
        if (count === 0) continue
        free.set(content, count - 1)
        return true
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
