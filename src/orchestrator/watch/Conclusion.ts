/** Ends relay transactions: what their events prove is booked together, everything else is decided one by one. */
import { Cause as DefectCause, Effect, type Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { Cause } from "../../domain/SweepVerdict.ts"
import type { Block, ChainUnavailable, Receipt } from "../../ports/shared/Chains.ts"
import { type Intent, Intents } from "../../ports/orchestrator/Intents.ts"
import { type Inclusion, type RelayTransaction, RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import type { SigningFailed } from "../../ports/orchestrator/RelayerKeys.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import type { ChainView } from "../shared/ChainView.ts"
import { RecentIntents } from "../shared/RecentIntents.ts"
import * as RelayEnvelope from "../relay/Envelope.ts"
import type { Observation } from "./Plan.ts"
import { type Resolution, Settlements } from "../settle/Settlements.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"

/** What a pass over one chain shares between its transactions. */
export interface Pass {
  readonly view: ChainView
  readonly market: Observation["market"]
  /** The transaction count of each lane with unfinished transactions, in the newest block. */
  readonly laneNonces: ReadonlyMap<Address.Address, bigint>
  /** The canonical block of a number, asked for once in a pass. */
  readonly block: (number: bigint) => Effect.Effect<Option.Option<Block>, ChainUnavailable>
}

/** A transaction that is to be concluded, with the receipt that says how. */
export interface Concluding {
  readonly transaction: RelayTransaction
  readonly receipt: Receipt
  readonly block: Block
}

/** What happened to a transaction in a pass, and to the intents that it carries. */
export interface Progress {
  readonly action: "none" | "rebroadcast" | "replaced" | "concluded"
  readonly resolutions: ReadonlyArray<Resolution>
}

/** What was found about one thing that a pass looked at. */
export interface Finding extends Progress {
  /** A chain that did not answer. */
  readonly unavailable?: ChainUnavailable
}

/** Looks at this many things of a chain side by side, where each may ask the node several times. */
export const CONCURRENCY = 8

export const NOTHING: Progress = { action: "none", resolutions: [] }

export const make = Effect.gen(function* () {
  const alerts = yield* StandingAlerts
  const intents = yield* Intents
  const recent = yield* RecentIntents
  const settlements = yield* Settlements
  const transactions = yield* RelayTransactions

  /** Ends intents of a transaction that did not settle them, and lets those go that may be sent again. */
  const endUnsettled = Effect.fnUntraced(function* (
    transaction: RelayTransaction,
    unsettled: ReadonlyArray<Intent>,
    decide: (intent: Intent) => Effect.Effect<Resolution, ChainUnavailable | StoreUnavailable>
  ) {
    const open = unsettled.filter((intent) => intent.status === "submitted")
    const decided = yield* Effect.forEach(open, (intent) =>
      Effect.map(decide(intent), (resolution) => ({ intent, resolution }))
    )
    const retried = decided.flatMap(({ intent, resolution }) => (resolution === "retry" ? [intent.id] : []))
    if (retried.length > 0) yield* transactions.detach(transaction.id, retried)
    return decided.map(({ resolution }) => resolution)
  })

  const progress = (resolutions: ReadonlyArray<Resolution>): Progress => ({
    action: resolutions.includes("undecided") ? "none" : "concluded",
    resolutions
  })

  /** Decides what one of the transactions did not settle, or what had ended before. */
  const concludeRest = Effect.fnUntraced(
    function* (
      pass: Pass,
      { block, receipt, transaction }: Concluding,
      settled: ReadonlyMap<string, Resolution>
    ): Effect.fn.Return<Progress, ChainUnavailable | StoreUnavailable> {
      const resolutions = transaction.intentIds.flatMap((id) => settled.get(id) ?? [])
      const others = transaction.intentIds.filter((id) => (settled.get(id) ?? "elsewhere") === "elsewhere")
      if (others.length === 0) return progress(resolutions)
      const { status, transactionHash } = receipt
      const sent = transaction.attempts.find(({ hash }) => hash === transactionHash)
      const isCancel = sent !== undefined && RelayEnvelope.isSelfSend(sent.raw, transaction.lane)
      const detail = `${transactionHash} in block ${block.number} ${isCancel ? "took the nonce" : `has status ${status} and no event for the order`}`
      const fresh = yield* intents.findAll(others)
      yield* warnOfLateSettlements(pass, fresh, receipt)
      const unsettled = fresh.filter(({ id }) => !settled.has(id))
      yield* warnOfLostSettlements(pass, transaction, unsettled)
      const ended = yield* endUnsettled(transaction, unsettled, (intent) => {
        const late = block.timestamp > intent.order.deadline
        const cause: Cause = isCancel ? { _tag: "Cancelled" } : { _tag: "Ineffective", status, late }
        return settlements.resolve(pass.view, intent, cause, detail)
      })
      return progress([...resolutions, ...ended])
    },
    (effect, pass, { transaction }) => Effect.annotateLogs(effect, annotations(pass, transaction))
  )

  /**
   * Ends transactions whose blocks count. What their events prove is booked first and together; each of the others is decided
   * by itself, and one that cannot be decided now keeps no other waiting.
   */
  const conclude = Effect.fn("Watcher.conclude")(function* (
    pass: Pass,
    concluding: ReadonlyArray<Concluding>
  ): Effect.fn.Return<ReadonlyArray<Finding>, StoreUnavailable> {
    if (concluding.length === 0) return []
    const known = yield* recent.get(concluding.flatMap(({ transaction }) => transaction.intentIds))
    const mined = concluding.map(({ block, receipt, transaction }) => ({
      block,
      receipt,
      intents: transaction.intentIds.flatMap((id) => known.get(id) ?? [])
    }))
    const settled = yield* settlements.settleAll(pass.view, mined)
    const findings = yield* Effect.forEach(concluding, (each) => isolated(concludeRest(pass, each, settled)), {
      concurrency: CONCURRENCY
    })
    const isDone = (_: Concluding, index: number) => findings[index]?.action === "concluded"
    const done = concluding.filter(isDone)
    yield* transactions.finalize(
      done.map(({ receipt, transaction }) => ({
        id: transaction.id,
        inclusion: inclusionOf({ receipt }),
        cost: receipt.gasUsed * receipt.effectiveGasPrice + (receipt.dataFee ?? 0n)
      }))
    )
    for (const { receipt, transaction } of concluding.filter((each, index) => !isDone(each, index))) {
      yield* transactions.setInclusion(transaction.id, inclusionOf({ receipt }))
    }
    recent.forget(done.flatMap(({ transaction }) => transaction.intentIds))
    for (const { receipt, transaction } of done) {
      yield* Effect.logInfo("transaction concluded").pipe(
        Effect.annotateLogs({ ...annotations(pass, transaction), block: receipt.blockNumber.toString() })
      )
    }
    return findings
  })

  /** A failed intent never changes, so a settlement that shows up after all is for the operator to book. */
  const warnOfLateSettlements = Effect.fnUntraced(function* (
    { view }: Pass,
    carried: ReadonlyArray<Intent>,
    receipt: Receipt
  ) {
    const { chain } = view.client
    const settled = carried.filter(
      (intent) => intent.status === "failed" && settlements.isSettledBy(view.client, intent, receipt)
    )
    for (const intent of settled) {
      yield* alerts.raise({
        key: `settled_after_failure:${intent.id}`,
        severity: "critical",
        kind: "settled_after_failure",
        message: `Intent ${intent.id} had failed (${intent.failureReason ?? "unknown"}) and was settled on ${chain.name} all the same: book its fees by hand.`,
        details: { chainId: chain.id, intentId: intent.id, txHash: receipt.transactionHash }
      })
    }
  })

  /** What was delivered stays so: that it is on chain no more, and cannot come back by itself, is for the operator. */
  const warnOfLostSettlements = Effect.fnUntraced(function* (
    { view }: Pass,
    { reopened }: RelayTransaction,
    unsettled: ReadonlyArray<Intent>
  ) {
    const { chain } = view.client
    for (const { id, status, txHash } of reopened === true ? unsettled : []) {
      if (status === "submitted" || status === "failed") continue
      yield* alerts.raise({
        key: `settlement_lost:${id}`,
        severity: "critical",
        kind: "settlement_lost",
        message: `Intent ${id} was settled on ${chain.name}, lost its block in a reorganisation, and did not settle again: correct what was booked for it.`,
        details: { chainId: chain.id, intentId: id, txHash: txHash ?? "none" }
      })
    }
  })

  const detach = Effect.fnUntraced(function* (pass: Pass, transaction: RelayTransaction) {
    const { chain } = pass.view.client
    const { lane, nonce } = transaction
    yield* alerts.raise({
      key: `foreign_nonce:${chain.id}:${lane}`,
      severity: "critical",
      kind: "foreign_nonce",
      message: `A transaction that this service did not send took nonce ${nonce} of lane ${lane} on ${chain.name}: its key is used elsewhere.`,
      details: { chainId: chain.id, lane, nonce: nonce.toString() }
    })
    const detail = `another transaction took nonce ${nonce} of ${lane}`
    const carried = yield* intents.findAll(transaction.intentIds)
    yield* warnOfLostSettlements(pass, transaction, carried)
    const ended = progress(
      yield* endUnsettled(transaction, carried, (intent) =>
        settlements.resolve(pass.view, intent, { _tag: "Displaced" }, detail)
      )
    )
    if (ended.action === "concluded") yield* transactions.finalize([{ id: transaction.id }])
    return ended
  })

  return { conclude, detach }
})

/** One thing that cannot be looked at now must not keep the pass from all others. */
export const isolated = <A>(
  looked: Effect.Effect<A, ChainUnavailable | SigningFailed | StoreUnavailable>
): Effect.Effect<A | Finding, StoreUnavailable> =>
  looked.pipe(
    Effect.catchTag("ChainUnavailable", (unavailable) => Effect.succeed({ ...NOTHING, unavailable })),
    Effect.catchTag("SigningFailed", (error) => Effect.as(Effect.logError(error.message), NOTHING)),
    Effect.catchDefect((defect) => Effect.as(Effect.logError("the watcher failed", DefectCause.die(defect)), NOTHING))
  )

export const annotations = ({ view }: Pass, transaction: RelayTransaction) => ({
  chain: view.client.chain.name,
  chainId: view.client.chain.id,
  lane: transaction.lane,
  nonce: transaction.nonce.toString(),
  txHash: transaction.attempts.at(-1)?.hash ?? "none",
  intents: transaction.intentIds.join(",")
})

export const inclusionOf = ({ receipt }: { readonly receipt: Receipt }): Inclusion => ({
  hash: receipt.transactionHash,
  blockNumber: receipt.blockNumber,
  blockHash: receipt.blockHash
})
