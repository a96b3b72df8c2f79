/** Books own transactions whose receipts come after they were taken for displaced, and clears the alerts about strangers. */
import { Clock, Effect, Option, Result } from "effect"
import type { ChainId } from "../../domain/ChainId.ts"
import type { Hash } from "../../domain/Hex.ts"
import { type DisplacedTransaction, RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import type { ChainClient, ChainUnavailable, Receipt } from "../../ports/shared/Chains.ts"
import { Alerts } from "../../ports/shared/Alerts.ts"
import { attestedReceipt, type ChainView, isDeep } from "../shared/ChainView.ts"
import * as Interval from "../shared/Interval.ts"
import * as MoneyPrices from "../shared/MoneyPrices.ts"
import { costOf, foreignNonceKey, inclusionOf } from "./Findings.ts"

/** Interval between looks for the receipts of a chain. */
const LOOK_MILLIS = 10_000

/** Time after its end in which a displaced transaction's receipt is looked for. */
const LATE_MILLIS = 86_400_000

/** The receipt by the endpoint that is asked first, or else by any that answers, since one endpoint may never have it. */
const receiptOf = (client: ChainClient, hash: Hash) =>
  Effect.flatMap(attestedReceipt(client, hash), (first) =>
    Option.isSome(first.answer)
      ? Effect.succeed(first)
      : Effect.orElseSucceed(attestedReceipt(client, hash, "everywhere"), () => first)
  )

/** Makes `recoverLate(view)`. */
export const make = Effect.gen(function* () {
  // Another process may have raised the alert after this one cleared it.
  const alerts = yield* Alerts
  const prices = yield* MoneyPrices.make
  const transactions = yield* RelayTransactions
  const isDue = Interval.make<ChainId>(LOOK_MILLIS)

  /** The receipt of one of its attempts in a confirmed canonical block. Its cost is booked, so a second endpoint has to agree. */
  const findReceipt = Effect.fnUntraced(function* (view: ChainView, { hashes }: DisplacedTransaction) {
    for (const hash of hashes) {
      const { answer: receipt, corroborate } = yield* receiptOf(view.client, hash)
      if (Option.isNone(receipt) || !isDeep(view, receipt.value.blockNumber)) continue
      const block = yield* view.client.block(receipt.value.blockNumber)
      if (Option.exists(block, (canonical) => canonical.hash === receipt.value.blockHash)) return yield* corroborate
    }
    return Option.none<Receipt>()
  })

  return Effect.fn("Watcher.recoverLate")(function* (view: ChainView) {
    const { chain } = view.client
    if (!(yield* isDue(chain.id))) return
    const nowMs = yield* Clock.currentTimeMillis
    const displaced = yield* transactions.displaced(chain.id, nowMs - LATE_MILLIS)
    let unavailable: ChainUnavailable | undefined
    const found = yield* Effect.forEach(displaced, (transaction) =>
      Effect.map(Effect.result(findReceipt(view, transaction)), (outcome) => {
        if (Result.isFailure(outcome)) unavailable ??= outcome.failure
        return { ...transaction, receipt: Result.getOrElse(outcome, () => Option.none<Receipt>()) }
      })
    )
    for (const { id, lane, nonce, receipt } of found) {
      if (Option.isNone(receipt)) continue
      // Cleared before it is booked, since a booked transaction is not looked for again after a crash.
      const isLast = !found.some((other) => other.lane === lane && Option.isNone(other.receipt))
      if (isLast) yield* alerts.clear(foreignNonceKey(chain.id, lane))
      const inclusion = inclusionOf({ receipt: receipt.value })
      const nativeUsd = yield* prices.native(view.client)
      yield* transactions.recover({ id, inclusion, cost: costOf(receipt.value), nativeUsd })
      yield* Effect.logWarning("relay.recovered").pipe(
        Effect.annotateLogs({ chain: chain.name, lane, nonce: nonce.toString(), txHash: inclusion.hash })
      )
    }
    // Last, so that a receipt on which two endpoints differ does not keep the others from their bookings.
    if (unavailable !== undefined) return yield* unavailable
  })
})
