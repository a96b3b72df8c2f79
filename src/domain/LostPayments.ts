/**
 * Decides what transfers out of the vaults paid, after a restore of the database to an earlier moment. Pure and total: each payment has
 * exactly one finding, no batch has two payments, and no entry is settled twice.
 */
import type * as Address from "./Address.ts"
import type { Hash } from "./Hex.ts"
import { type PayoutBatch, paysExactly, type TransferLog, transferOf, unpaidLines } from "./Payout.ts"
import * as PayoutClaims from "./PayoutClaims.ts"

/** Transfers of one token out of one vault by one transaction. */
export interface VaultPayment {
  readonly vault: Address.Address
  readonly txHash: Hash
  readonly token: Address.Address
  /** Amounts by recipient, in the token's smallest unit. */
  readonly recipients: ReadonlyArray<{ readonly address: Address.Address; readonly amount: bigint }>
  readonly logs: ReadonlyArray<TransferLog>
}

/** An entry of the ledger that is owed and that no batch claims. A reversal has a negative amount. */
export interface OwedEntry {
  readonly id: string
  readonly builderId: string
  readonly token: Address.Address
  readonly amount: bigint
  /** Sweep of an accrual and of its reversal. */
  readonly sweepId?: string
}

export interface Payee {
  readonly builderId: string
  readonly payoutAddress: Address.Address
}

/** The line of a batch that the database forgot, with the entries that it settles. */
export interface LostLine extends Payee {
  readonly amount: bigint
  readonly entries: ReadonlyArray<string>
}

/** A recipient of a payment that is not explained. */
export interface Unexplained {
  readonly address: Address.Address
  readonly amount: bigint
  /** Absent if no builder has the address. */
  readonly builderId?: string
  /** Unclaimed amount that the builder is owed. */
  readonly owed: bigint
}

export type PaymentFinding =
  /** The batch is booked as paid by the transaction, and the payment has all its lines. */
  | { readonly _tag: "Booked"; readonly payment: VaultPayment; readonly batchId: string }
  /** The operator gave a reason for it. */
  | { readonly _tag: "Explained"; readonly payment: VaultPayment }
  /** It moves a balance to another vault of the chain. */
  | { readonly _tag: "Moved"; readonly payment: VaultPayment }
  /** It pays an open batch. */
  | { readonly _tag: "PaysOpen"; readonly payment: VaultPayment; readonly batchId: string }
  /**
   * It pays a batch that the database forgot: each recipient received exactly the sum of the first entries that it is owed, or of the
   * first ones in an order in which a large batch claims them.
   */
  | { readonly _tag: "PaysLost"; readonly payment: VaultPayment; readonly lines: ReadonlyArray<LostLine> }
  | { readonly _tag: "Unknown"; readonly payment: VaultPayment; readonly recipients: ReadonlyArray<Unexplained> }

export interface Books {
  /** The present vault of the chain and its former ones. */
  readonly vaults: ReadonlyArray<Address.Address>
  /** Batches of the chain. */
  readonly batches: ReadonlyArray<PayoutBatch>
  /** In the order in which they were earned. */
  readonly owed: ReadonlyArray<OwedEntry>
  readonly payees: ReadonlyArray<Payee>
  readonly explained: ReadonlyArray<{ readonly txHash: Hash; readonly token: Address.Address }>
}

/** Groups the transfers of the vaults by transaction, token and vault, in the order in which they first appear. */
export const payments = (
  vaults: ReadonlyArray<Address.Address>,
  logs: ReadonlyArray<TransferLog & { readonly transactionHash: Hash }>
): ReadonlyArray<VaultPayment> => {
  const groups = new Map<string, Pick<VaultPayment, "txHash" | "token" | "vault"> & { logs: Array<TransferLog> }>()
  for (const log of logs) {
    const vault = transferOf(log)?.from
    if (vault === undefined || !vaults.includes(vault)) continue
    const key = `${log.transactionHash}:${log.address}:${vault}`
    const group = groups.get(key) ?? { txHash: log.transactionHash, token: log.address, vault, logs: [] }
    group.logs.push(log)
    groups.set(key, group)
  }
  return [...groups.values()].map(({ logs: own, token, txHash, vault }) => {
    const received = new Map<Address.Address, bigint>()
    for (const log of own) {
      const transfer = transferOf(log)
      if (transfer !== undefined) received.set(transfer.to, (received.get(transfer.to) ?? 0n) + transfer.value)
    }
    const recipients = [...received].map(([address, amount]) => ({ address, amount }))
    return { vault, txHash, token, recipients: recipients.filter(({ amount }) => amount > 0n), logs: own }
  })
}

/** The first entries whose sum is the amount; none if there are no such. */
const settledBy = (entries: ReadonlyArray<OwedEntry>, amount: bigint): ReadonlyArray<OwedEntry> => {
  let sum = 0n
  for (const [index, entry] of entries.entries()) {
    sum += entry.amount
    if (sum === amount) return entries.slice(0, index + 1)
  }
  return []
}

/** Finds out what each payment paid. `payments` are in the order of the chain. */
export const plan = (books: Books, found: ReadonlyArray<VaultPayment>): ReadonlyArray<PaymentFinding> => {
  const { batches, explained, owed, payees, vaults } = books
  const paid = new Set<string>()
  const settled = new Set<string>()
  const open = ({ token, txHash }: VaultPayment) =>
    batches.filter(
      (batch) =>
        batch.status === "open" &&
        batch.token === token &&
        !paid.has(batch.id) &&
        // A recorded payment of another batch pays no other one.
        !batches.some(({ id, payments: own }) => id !== batch.id && own?.some((each) => each.txHash === txHash))
    )
  const entriesOf = ({ token }: VaultPayment, builderId: string) =>
    owed.filter((entry) => entry.builderId === builderId && entry.token === token && !settled.has(entry.id))
  const payeeOf = (address: Address.Address) => payees.find(({ payoutAddress }) => payoutAddress === address)

  // A builder with the address of a vault may be paid by such a transfer.
  const isMove = ({ recipients, vault }: VaultPayment) =>
    recipients.length > 0 &&
    recipients.every(({ address }) => address !== vault && vaults.includes(address) && payeeOf(address) === undefined)

  const lostLines = (payment: VaultPayment): ReadonlyArray<LostLine> | undefined => {
    const lines = payment.recipients.flatMap(({ address, amount }) => {
      const payee = payeeOf(address)
      if (payee === undefined) return []
      const own = entriesOf(payment, payee.builderId)
      // A large batch pays a builder a part of what it is owed.
      const orders = [own, ...PayoutClaims.orders(own)]
      const entries = orders.map((order) => settledBy(order, amount)).find(({ length }) => length > 0) ?? []
      return entries.length === 0 ? [] : [{ ...payee, amount, entries: entries.map(({ id }) => id) }]
    })
    return lines.length > 0 && lines.length === payment.recipients.length ? lines : undefined
  }

  return found.map((payment): PaymentFinding => {
    const { recipients, token, txHash } = payment
    // Another vault may pay the same token in this transaction.
    const booked = batches.find(
      (batch) =>
        batch.txHash === txHash && batch.token === token && unpaidLines(batch, payment.vault, payment.logs).length === 0
    )
    if (booked !== undefined) return { _tag: "Booked", payment, batchId: booked.id }
    if (explained.some((each) => each.txHash === txHash && each.token === token)) return { _tag: "Explained", payment }
    if (isMove(payment)) return { _tag: "Moved", payment }
    const candidates = open(payment).filter((batch) => paysExactly(batch, payment.vault, payment.logs))
    const known = candidates.find(({ payments: own }) => own?.some((each) => each.txHash === txHash)) ?? candidates[0]
    if (known !== undefined) {
      paid.add(known.id)
      return { _tag: "PaysOpen", payment, batchId: known.id }
    }
    const lines = lostLines(payment)
    if (lines !== undefined) {
      for (const id of lines.flatMap(({ entries }) => entries)) settled.add(id)
      return { _tag: "PaysLost", payment, lines }
    }
    return {
      _tag: "Unknown",
      payment,
      recipients: recipients.map(({ address, amount }) => {
        const payee = payeeOf(address)
        const due = payee === undefined ? [] : entriesOf(payment, payee.builderId)
        const isOwed = due.reduce((sum, entry) => sum + entry.amount, 0n)
        return { address, amount, owed: isOwed, ...(payee === undefined ? {} : { builderId: payee.builderId }) }
      })
    }
  })
}
