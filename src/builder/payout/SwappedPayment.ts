/** Refuses the transaction of another batch. It may pay enough for both, and a batch is booked as paid once. */
import { Effect } from "effect"
import { vaults } from "../../domain/Chain.ts"
import type { Hash } from "../../domain/Hex.ts"
import { type PayoutBatch, paysExactly, type TransferLog } from "../../domain/Payout.ts"
import { PaymentTaken, Payouts } from "../../ports/builder/Payouts.ts"
import { Chains } from "../../ports/shared/Chains.ts"

/**
 * Makes `requireNoSwap(batch, txHash, logs)`. Fails with `PaymentTaken` if the transaction pays another open batch of the token and chain
 * exactly, and this one not exactly.
 */
export const make = Effect.gen(function* () {
  const chains = yield* Chains
  const payouts = yield* Payouts

  return Effect.fnUntraced(function* (batch: PayoutBatch, txHash: Hash, logs: ReadonlyArray<TransferLog>) {
    const { chain } = yield* chains.get(batch.chainId)
    const isPaid = (each: PayoutBatch) => vaults(chain).some((vault) => paysExactly(each, vault, logs))
    if (isPaid(batch)) return
    const other = (yield* payouts.openOf(batch)).find((each) => each.id !== batch.id && isPaid(each))
    if (other !== undefined) return yield* new PaymentTaken({ txHash, batchId: other.id })
  })
})
