/** Alerts about settlements that contradict what was booked, which only an operator can correct. */
import { Effect } from "effect"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import type { RelayTransaction } from "../../ports/orchestrator/RelayTransactions.ts"
import type { ChainClient, Receipt } from "../../ports/shared/Chains.ts"
import { Settlements } from "../settle/Settlements.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"

export const make = Effect.gen(function* () {
  const alerts = yield* StandingAlerts
  const settlements = yield* Settlements

  /** A failed intent is final, so an operator must book a settlement that appears afterwards. */
  const warnOfLate = Effect.fnUntraced(function* (
    client: ChainClient,
    carried: ReadonlyArray<Intent>,
    receipt: Receipt
  ) {
    const { chain } = client
    const settled = carried.filter(
      (intent) => intent.status === "failed" && settlements.isSettledBy(client, intent, receipt)
    )
    for (const intent of settled) {
      yield* alerts.raise({
        key: `settled_after_failure:${intent.id}`,
        severity: "critical",
        kind: "settled_after_failure",
        message: `Intent ${intent.id} settled on ${chain.name} after it had failed (${intent.failureReason ?? "unknown"}). Book its fees by hand.`,
        details: { chainId: chain.id, intentId: intent.id, txHash: receipt.transactionHash }
      })
    }
  })

  /** A settled intent is final, so an operator must correct the books when its settlement is gone for good. */
  const warnOfLost = Effect.fnUntraced(function* (
    { chain }: ChainClient,
    { reopened }: RelayTransaction,
    unsettled: ReadonlyArray<Intent>
  ) {
    for (const { id, status, txHash } of reopened === undefined ? [] : unsettled) {
      if (status === "submitted" || status === "failed") continue
      yield* alerts.raise({
        key: `settlement_lost:${id}`,
        severity: "critical",
        kind: "settlement_lost",
        message: `Intent ${id} settled on ${chain.name}, lost its block in a reorganisation, and did not settle again. Correct what was booked for it.`,
        details: { chainId: chain.id, intentId: id, txHash: txHash ?? "none" }
      })
    }
  })

  return { warnOfLate, warnOfLost }
})
