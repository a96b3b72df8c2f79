/** Decides intents whose own transaction ended without settling them. */
import { Effect } from "effect"
import type { UnsettledCause } from "../../domain/SweepVerdict.ts"
import { type Intent, Intents } from "../../ports/orchestrator/Intents.ts"
import { type RelayTransaction, RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import type { ChainUnavailable } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import * as Envelope from "../relay/Envelope.ts"
import { type Resolution, type Settled, Settlements } from "../settle/Settlements.ts"
import type { ChainView } from "../shared/ChainView.ts"
import { transactionFields } from "../shared/LogFields.ts"
import type { Concluding, Finding } from "./Findings.ts"
import * as SettlementAlerts from "./SettlementAlerts.ts"

/** Makes `decideRest`, for a transaction in a confirmed block, and `decideDisplaced`, for one that can no longer be mined. */
export const make = Effect.gen(function* () {
  const contracts = yield* SweepContracts
  const intents = yield* Intents
  const settlements = yield* Settlements
  const transactions = yield* RelayTransactions
  const { warnOfLate, warnOfLost } = yield* SettlementAlerts.make

  /** Intents whose settlement this process can see. Any other may have settled in the transaction, whatever its status. */
  const judgedOf = (view: ChainView, carried: ReadonlyArray<Intent>) =>
    Effect.filter(carried, (intent) => settlements.knowsGuard(view.client, intent))

  /**
   * Resolves the open intents. Those that the transaction holds no longer are detached at once only if it must wait for another one.
   * Otherwise its end frees them, and books their part of its cost in the same step: a stop in between would lose that part. `waits`: it
   * has intents that this process cannot judge or book yet. They keep the transaction unfinished: its end would book them as unsettled.
   */
  const endUnsettled = Effect.fnUntraced(function* (
    view: ChainView,
    transaction: RelayTransaction,
    { judged, waits }: { readonly judged: ReadonlyArray<Intent>; readonly waits: boolean },
    causeOf: (intent: Intent) => UnsettledCause,
    detail: string
  ) {
    const open = judged.filter((intent) => intent.status === "submitted")
    // At the same time, so that their requests travel together.
    const decided = yield* Effect.forEach(
      open,
      (intent) =>
        Effect.map(settlements.resolve(view, intent, causeOf(intent), detail), (resolution) => ({
          intent,
          resolution
        })),
      { concurrency: "unbounded" }
    )
    const resolutions: ReadonlyArray<Resolution> = [
      ...decided.map(({ resolution }) => resolution),
      ...(waits ? (["undecided"] as const) : [])
    ]
    const freed = decided.flatMap(({ intent, resolution }) =>
      resolution === "retry" || resolution === "given_up" ? [intent.id] : []
    )
    if (freed.length > 0 && resolutions.includes("undecided")) yield* transactions.detach(transaction.id, freed)
    return resolutions
  })

  /**
   * `settled` has the resolutions of intents that an event proved. Decides the others, which it lacks or has `elsewhere`. An undecided one
   * has settled, and waits for a node that tells how to book it.
   */
  const decideRest = Effect.fnUntraced(
    function* (
      view: ChainView,
      { block, receipt, transaction }: Concluding,
      { resolutions: settled, unavailable }: Settled
    ): Effect.fn.Return<Finding, ChainUnavailable | StoreUnavailable> {
      const resolutions = transaction.intentIds.flatMap((id) => settled.get(id) ?? [])
      const others = transaction.intentIds.filter((id) => (settled.get(id) ?? "elsewhere") === "elsewhere")
      const isUndecided = resolutions.includes("undecided")
      const silence = isUndecided ? unavailable : undefined
      if (others.length === 0) return finding(resolutions, silence)
      const { status, transactionHash } = receipt
      const sent = transaction.attempts.find(({ hash }) => hash === transactionHash)
      const isCancel = sent !== undefined && Envelope.isSelfSend(sent.raw, transaction.lane)
      const fresh = yield* intents.findAll(others)
      yield* warnOfLate(view.client, fresh, receipt)
      const unsettled = fresh.filter(({ id }) => !settled.has(id))
      const judged = yield* judgedOf(view, unsettled)
      yield* warnOfLost(view.client, transaction, judged)
      // A smaller version may have been mined than the one that was signed first.
      const carries = sent === undefined ? undefined : Envelope.carrier(sent.raw, contracts)
      const causeOf = ({ order }: Intent): UnsettledCause =>
        carries?.(order) === false
          ? { _tag: "Cancelled" }
          : { _tag: "Ineffective", late: block.timestamp > order.deadline }
      const detail = `${transactionHash} in block ${block.number} ${isCancel ? "took the nonce" : `has status ${status} and no event for the order`}`
      const waits = isUndecided || judged.length < unsettled.length
      const decided = yield* endUnsettled(view, transaction, { judged, waits }, causeOf, detail)
      return finding([...resolutions, ...decided], silence)
    },
    (effect, view, { transaction }) => Effect.annotateLogs(effect, transactionFields(view.client, transaction))
  )

  const decideDisplaced = Effect.fnUntraced(function* (view: ChainView, transaction: RelayTransaction) {
    const carried = yield* intents.findAll(transaction.intentIds)
    const judged = yield* judgedOf(view, carried)
    yield* warnOfLost(view.client, transaction, judged)
    const detail = `another transaction took nonce ${transaction.nonce} of ${transaction.lane}`
    const all = { judged, waits: judged.length < carried.length }
    return finding(yield* endUnsettled(view, transaction, all, () => ({ _tag: "Displaced" }), detail))
  })

  return { decideRest, decideDisplaced }
})

/** A transaction is concluded once none of its intents is undecided. */
const finding = (resolutions: ReadonlyArray<Resolution>, unavailable?: ChainUnavailable): Finding => ({
  action: resolutions.includes("undecided") ? "none" : "concluded",
  resolutions,
  ...(unavailable === undefined ? {} : { unavailable })
})
