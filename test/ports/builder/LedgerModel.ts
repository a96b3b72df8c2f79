/**
 * Model of the ledger and its payouts: maps, and sums over them. Commands run on the model and on a store; results and
 * balances must agree after each.
 */
import type * as Address from "../../../src/domain/Address.ts"
import type { Hash } from "../../../src/domain/Hex.ts"
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
  readonly withUnknownChain: boolean
}

interface Entry {
  readonly booking: Booking
  readonly sign: 1n | -1n
  batch?: string
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

  private find(sweepId: string, sign: 1n | -1n): Entry | undefined {
    return this.entries.find((entry) => entry.booking.sweepId === sweepId && entry.sign === sign)
  }

  accrue(booking: Booking): string {
    const booked = this.find(booking.sweepId, 1n)
    if (booked !== undefined) {
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
        (booking.chainId === opening.chainId || (opening.withUnknownChain && booking.chainId === undefined))
    )
    const lines = new Map<string, bigint>()
    for (const builderId of BUILDERS) {
      const amount = claimable
        .filter(({ booking }) => booking.builderId === builderId)
        .reduce((sum, { booking, sign }) => sum + sign * booking.amount, 0n)
      if (amount > 0n && amount >= opening.minAmount && amount < 2n ** 256n) lines.set(builderId, amount)
    }
    if (lines.size === 0) return "NothingOwed"
    for (const entry of claimable) if (lines.has(entry.booking.builderId)) entry.batch = opening.id
    this.batches.set(opening.id, { ...opening, status: "open", lines })
    return [...lines].map(([builderId, amount]) => `${builderId}=${amount}`).join()
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

  /** `token:chain` → earned and paid, of what a builder has any entry in that changes something. */
  totals(builderId: string): ReadonlyMap<string, readonly [earned: bigint, paid: bigint]> {
    const sums = new Map<string, readonly [bigint, bigint]>()
    for (const { batch, booking, sign } of this.entries) {
      if (booking.builderId !== builderId) continue
      const key = `${booking.token}:${booking.chainId}`
      const [earned, paid] = sums.get(key) ?? [0n, 0n]
      const isPaid =
        booking.paidTxHash !== undefined || (batch !== undefined && this.batches.get(batch)?.status === "paid")
      const amount = sign * booking.amount
      sums.set(key, [earned + amount, paid + (isPaid ? amount : 0n)])
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
