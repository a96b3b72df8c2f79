/**
 * Decides which open batches were paid before the blocks that are compared with the books. A batch may have been executed long before it
 * was marked as paid, and the restored database then has it open. Pure and total.
 */
import * as LostPayments from "../../domain/LostPayments.ts"
import type { PayoutBatch } from "../../domain/Payout.ts"

/** A payment of a batch that is open. */
export type Found = LostPayments.PaymentFinding & { readonly _tag: "PaysOpen" }

export type MinedPayment = LostPayments.VaultPayment & { readonly blockNumber: bigint }

/** The batches after the payments that were found. Each payment pays one batch. */
export const paidBy = (batches: ReadonlyArray<PayoutBatch>, found: ReadonlyArray<Found>): ReadonlyArray<PayoutBatch> =>
  batches.map((batch) => {
    const own = found.find(({ batchId }) => batchId === batch.id)
    return own === undefined ? batch : { ...batch, status: "paid", txHash: own.payment.txHash }
  })

/**
 * Finds those of the payments that pay an open batch. The others are not reported: the books of their time explained them.
 * `openedAt` has the first block since the opening of each open batch, by its id. No payment pays a batch that was opened later.
 */
export const plan = (
  books: LostPayments.Books,
  openedAt: ReadonlyMap<string, bigint>,
  payments: ReadonlyArray<MinedPayment>
): ReadonlyArray<Found> => {
  const found: Array<Found> = []
  for (const payment of payments) {
    const isOpen = ({ id }: PayoutBatch) => (openedAt.get(id) ?? payment.blockNumber + 1n) <= payment.blockNumber
    const batches = paidBy(books.batches, found).map((batch): PayoutBatch =>
      batch.status === "open" && !isOpen(batch) ? { ...batch, status: "failed" } : batch
    )
    // Without entries that are owed, it cannot pay a forgotten batch.
    const [finding] = LostPayments.plan({ ...books, batches, owed: [] }, [payment])
    if (finding?._tag === "PaysOpen") found.push(finding)
  }
  return found
}
