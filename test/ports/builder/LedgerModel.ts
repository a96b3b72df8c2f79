/**
 * Model of the ledger and its payouts: maps, and sums over them. Commands run on the model and on a store; results and
 * balances must agree after each.
 */
import type * as Address from "../../../src/domain/Address.ts"
import type { Hash } from "../../../src/domain/Hex.ts"
import * as PayoutClaims from "../../../src/domain/PayoutClaims.ts"
import * as FakeChain from "../../support/FakeChain.ts"

export const BUILDERS = ["alpha", "beta", "gamma"] as const
export const TOKENS = [FakeChain.address(0x11), FakeChain.address(0x22)] as const
export const CHAINS = [1, 2, undefined] as const

export interface Booking {
  readonly builderId: string
  readonly sweepId: string
  readonly token: Address.Address
  readonly amount: bigint
  readonly chainId?: number
  readonly paidTxHash?: Hash
}

export interface Opening {
  readonly id: string
  readonly chainId: number
  readonly token: Address.Address
  readonly minAmount: bigint
  readonly maxEntries: number
}

interface Entry {
  readonly booking: Booking
  readonly sign: 1n | -1n
  batch?: string
}

/** Sums of a builder in one token on one chain. */
export interface Sums {
  readonly earned: bigint
  readonly paid: bigint
  readonly claimed: bigint
}

interface Batch extends Opening {
  status: "open" | "paid" | "failed"
  txHash?: Hash
  readonly lines: ReadonlyMap<string, bigint>
}

export class Model {
  /** Accruals and reversals, in the order in which they were booked. */
  private readonly entries: Array<Entry> = []
  private readonly batches = new Map<string, Batch>()
  /** Chains of sweeps that were booked without one. */
  private readonly assigned = new Map<string, number>()

  private chainOf({ chainId, sweepId }: Booking): number | undefined {
    return chainId ?? this.assigned.get(sweepId)
  }

  private find(sweepId: string, sign: 1n | -1n): Entry | undefined {
    return this.entries.find((entry) => entry.booking.sweepId === sweepId && entry.sign === sign)
  }

  accrue(booking: Booking, defaultChainId?: number): string {
    const outcome = this.book(booking)
    const isBooked = outcome === "added" || outcome === "already_booked"
    if (isBooked && defaultChainId !== undefined && this.chainOf(booking) === undefined) {
      this.assigned.set(booking.sweepId, defaultChainId)
    }
    return outcome
  }

  /** Returns the number of accruals and the sum of what they owe. */
  assign(token: Address.Address, chainId: number): string {
    const found = this.entries.filter(({ booking }) => booking.token === token && this.chainOf(booking) === undefined)
    for (const { booking } of found) this.assigned.set(booking.sweepId, chainId)
    const amount = found.reduce(
      (sum, { booking, sign }) => sum + (booking.paidTxHash === undefined ? sign * booking.amount : 0n),
      0n
    )
    return `${found.filter(({ sign }) => sign === 1n).length}:${amount}`
  }

  private book(booking: Booking): string {
    const booked = this.find(booking.sweepId, 1n)
    if (booked !== undefined) {
      if (this.find(booking.sweepId, -1n) !== undefined) return "AccrualConflict"
      const same = (["builderId", "token", "amount", "chainId", "paidTxHash"] as const).every(
        (key) => booked.booking[key] === booking[key]
      )
      return same ? "already_booked" : "AccrualConflict"
    }
    if (!BUILDERS.some((id) => id === booking.builderId)) return "UnknownBuilder"
    this.entries.push({ booking, sign: 1n })
    return "added"
  }

  reverse(sweepId: string): string {
    const booked = this.find(sweepId, 1n)
    if (booked === undefined) return "AccrualNotFound"
    if (this.find(sweepId, -1n) !== undefined) return "already_booked"
    this.entries.push({ booking: booked.booking, sign: -1n })
    return "added"
  }

  open(opening: Opening): string {
    const claimable = this.entries.filter(
      ({ batch, booking }) =>
        batch === undefined &&
        booking.paidTxHash === undefined &&
        booking.amount !== 0n &&
        booking.token === opening.token &&
        this.chainOf(booking) === opening.chainId
    )
    const sum = (entries: ReadonlyArray<Entry>) =>
      entries.reduce((so, { booking, sign }) => so + sign * booking.amount, 0n)
    const lines = new Map<string, bigint>()
    let room = opening.maxEntries
    let more = false
    for (const builderId of BUILDERS) {
      const own = claimable.filter(({ booking }) => booking.builderId === builderId)
      const owed = sum(own)
      if (owed <= 0n || owed < opening.minAmount || owed >= 2n ** 256n) continue
      const order = PayoutClaims.inOrder(
        own.map((entry) => ({ entry, amount: entry.sign * entry.booking.amount, sweepId: entry.booking.sweepId })),
        opening.maxEntries
      )
      const taken = order.slice(0, room).map(({ entry }) => entry)
      more ||= taken.length < order.length
      room -= taken.length
      const amount = sum(taken)
      if (amount <= 0n) continue
      more ||= amount < owed
      lines.set(builderId, amount)
      for (const entry of taken) entry.batch = opening.id
    }
    if (lines.size === 0) return "NothingOwed"
    this.batches.set(opening.id, { ...opening, status: "open", lines })
    return [...lines].map(([builderId, amount]) => `${builderId}=${amount}`).join() + (more ? "+" : "")
  }

  markPaid(id: string, txHash: Hash): string {
    const batch = this.batches.get(id)
    if (batch === undefined) return "PayoutNotFound"
    if (batch.status === "paid" && batch.txHash === txHash) return "paid"
    if (batch.status !== "open") return "PayoutClosed"
    const taken = [...this.batches.values()].some(
      (other) => other.txHash === txHash && other.token === batch.token && other.chainId === batch.chainId
    )
    if (taken) return "PaymentTaken"
    batch.status = "paid"
    batch.txHash = txHash
    return "paid"
  }

  fail(id: string): string {
    const batch = this.batches.get(id)
    if (batch === undefined) return "PayoutNotFound"
    if (batch.status === "paid") return "PayoutClosed"
    batch.status = "failed"
    for (const entry of this.entries) if (entry.batch === id) delete entry.batch
    return "failed"
  }

  /** `token:chain` → the sums of what a builder has any entry in. */
  totals(builderId: string): ReadonlyMap<string, Sums> {
    const sums = new Map<string, Sums>()
    for (const { batch, booking, sign } of this.entries) {
      if (booking.builderId !== builderId) continue
      const key = `${booking.token}:${this.chainOf(booking)}`
      const { claimed, earned, paid } = sums.get(key) ?? { earned: 0n, paid: 0n, claimed: 0n }
      const status = batch === undefined ? undefined : this.batches.get(batch)?.status
      const isPaid = booking.paidTxHash !== undefined || status === "paid"
      const amount = sign * booking.amount
      sums.set(key, {
        earned: earned + amount,
        paid: paid + (isPaid ? amount : 0n),
        claimed: claimed + (status === "open" ? amount : 0n)
      })
    }
    return sums
  }

  /** Amounts that standing batches promise to each builder. */
  promised(): ReadonlyMap<string, bigint> {
    const sums = new Map<string, bigint>()
    for (const { lines, status, token } of this.batches.values()) {
      if (status === "failed") continue
      for (const [builderId, amount] of lines) {
        const key = `${builderId}:${token}`
        sums.set(key, (sums.get(key) ?? 0n) + amount)
      }
    }
    return sums
  }
}
