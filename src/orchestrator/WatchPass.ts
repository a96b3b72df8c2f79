/** One pass of the watcher over everything unfinished on every chain. */
import { Cause, Effect, Option, Semaphore } from "effect"
import { isCrossChain } from "../domain/SweepOrder.ts"
import { Bridge } from "../ports/Bridge.ts"
import { type ChainClient, Chains, type ChainUnavailable } from "../ports/Chains.ts"
import { type Intent, Intents } from "../ports/Intents.ts"
import { type RelayTransaction, RelayTransactions } from "../ports/RelayTransactions.ts"
import type { SigningFailed } from "../ports/RelayerKeys.ts"
import type { StoreUnavailable } from "../ports/Store.ts"
import { type ChainView, look } from "./ChainView.ts"
import { OrchestratorSettings } from "./OrchestratorSettings.ts"
import { describe, type Resolution, Settlements } from "./Settlements.ts"
import { StandingAlerts } from "./StandingAlerts.ts"
import * as WatchTransaction from "./WatchTransaction.ts"

/** What a pass moved. */
export interface PassReport {
  /** Relay transactions looked at. */
  readonly transactions: number
  readonly rebroadcast: number
  readonly replaced: number
  readonly settledSource: number
  readonly delivered: number
  readonly failed: number
  /** Chains whose node did not answer; their intents wait for the next pass. */
  readonly unavailableChains: ReadonlyArray<number>
}

/** Looks at this many transactions, or intents, of a chain side by side. */
const CONCURRENCY = 8

/** What was found about one thing that a pass looked at. */
interface Finding extends WatchTransaction.Progress {
  /** A chain that did not answer. */
  readonly unavailable?: ChainUnavailable
}

/** A pass over every chain. Passes of one process run one at a time. */
export const make = Effect.gen(function* () {
  const alerts = yield* StandingAlerts
  const bridge = yield* Bridge
  const chains = yield* Chains
  const intents = yield* Intents
  const settings = yield* OrchestratorSettings
  const settlements = yield* Settlements
  const transactions = yield* RelayTransactions
  const { carriedBy, watch } = yield* WatchTransaction.make

  const watchTransactions = Effect.fnUntraced(function* (
    view: ChainView,
    unfinished: ReadonlyArray<RelayTransaction>,
    open: ReadonlyArray<Intent>
  ) {
    if (unfinished.length === 0) return []
    const { client } = view
    const lanes = [...new Set(unfinished.map(({ lane }) => lane))]
    const nonces = yield* Effect.forEach(lanes, (lane) =>
      Effect.map(client.transactionCount(lane, "latest"), (nonce) => [lane, nonce] as const)
    )
    const pass = { view, market: yield* client.feesPerGas, laneNonces: new Map(nonces) }
    const known = new Map(open.map((intent) => [intent.id, intent]))
    return yield* Effect.forEach(
      unfinished,
      (transaction) =>
        isolated(Effect.flatMap(carriedBy(transaction, known), (carried) => watch(pass, transaction, carried))),
      { concurrency: CONCURRENCY }
    )
  })

  /** Intents that nothing carries and that no block can settle any more. */
  const expire = Effect.fnUntraced(function* (
    view: ChainView,
    unfinished: ReadonlyArray<RelayTransaction>,
    open: ReadonlyArray<Intent>
  ) {
    const carried = new Set(unfinished.flatMap(({ intentIds }) => intentIds))
    const expired = yield* Effect.filter(
      open.filter((intent) => intent.status === "submitted" && !carried.has(intent.id)),
      (intent) => settlements.isExpired(view, intent)
    )
    return yield* Effect.forEach(
      expired,
      (intent) =>
        isolated(
          Effect.map(
            settlements.resolve(view, intent, { _tag: "Unsent" }, "the deadline passed before it was sent"),
            resolved
          )
        ),
      { concurrency: CONCURRENCY }
    )
  })

  const deliver = Effect.fn("Watcher.deliver")(
    function* (client: ChainClient, intent: Intent) {
      if (intent.txHash === undefined) return yield* Effect.die(new Error("a settled intent has no transaction"))
      const receipt = yield* client.receipt(intent.txHash)
      if (Option.isNone(receipt)) return resolved("undecided")
      const delivery = yield* bridge.delivery({
        sourceChainId: client.chain.id,
        order: intent.order,
        receipt: receipt.value
      })
      switch (delivery._tag) {
        case "Pending":
          return resolved("undecided")
        case "Delivered": {
          const { txHash } = delivery
          const event = { _tag: "Delivered", txHash } as const
          yield* intents.apply(intent.id, [event], { detail: `delivered ${delivery.amountOut}` })
          yield* Effect.logInfo("sweep delivered").pipe(Effect.annotateLogs({ deliveryTxHash: txHash }))
          return resolved("delivered")
        }
        case "Refunded":
          yield* intents.apply(intent.id, [{ _tag: "Failed", reason: "bridge_refunded" }], {
            detail: "the bridge did not deliver in time and returns the deposit to the owner"
          })
          yield* Effect.logWarning("sweep refunded by the bridge")
          return resolved("failed")
      }
    },
    (effect, client, intent) =>
      effect.pipe(
        // Another process was faster.
        Effect.catchTag("IllegalTransition", () => Effect.succeed(resolved("elsewhere"))),
        Effect.annotateLogs({ ...describe(client, intent), txHash: intent.txHash ?? "none" })
      )
  )

  const deliveries = (client: ChainClient, open: ReadonlyArray<Intent>) =>
    Effect.forEach(
      open.filter(({ order, status }) => status === "settled_source" && isCrossChain(order, client.chain.id)),
      (intent) => isolated(deliver(client, intent)),
      { concurrency: CONCURRENCY }
    )

  const watchChain = Effect.fn("Watcher.watchChain")(function* (client: ChainClient) {
    const { chain } = client
    const view = yield* look(client)
    const unfinished = yield* transactions.unfinished(chain.id)
    const open = yield* intents.inStatus(chain.id, ["submitted", "settled_source"], settings.watcher.batch)
    const findings = [
      ...(yield* watchTransactions(view, unfinished, open)),
      ...(yield* expire(view, unfinished, open)),
      ...(yield* deliveries(client, open))
    ]
    return { transactions: unfinished.length, findings }
  })

  /** Nothing that a chain's node does keeps the other chains waiting. */
  const tolerant = Effect.fnUntraced(function* (client: ChainClient) {
    const { chain } = client
    const looked = yield* watchChain(client).pipe(
      Effect.catchTag("ChainUnavailable", (unavailable) =>
        Effect.succeed({ transactions: 0, findings: [{ ...nothing, unavailable }] })
      )
    )
    const failures = looked.findings.flatMap(({ unavailable }) => (unavailable === undefined ? [] : [unavailable]))
    const own = failures.find(({ chainId }) => chainId === chain.id)
    const key = `chain_unavailable:${chain.id}`
    if (own === undefined) yield* alerts.clear(key)
    else {
      yield* Effect.logWarning(own.message)
      yield* alerts.raise({
        key,
        severity: "critical",
        kind: "chain_unavailable",
        message: `The node of ${chain.name} does not answer: its sweeps wait, and none is lost.`,
        details: { chainId: chain.id, method: own.method, detail: own.detail }
      })
    }
    return looked
  })

  const oneAtATime = yield* Semaphore.make(1)

  return oneAtATime.withPermit(Effect.map(Effect.forEach(chains.all, tolerant, { concurrency: "unbounded" }), report))
})

const nothing: Finding = { action: "none", resolutions: [] }

/** One thing that cannot be looked at now must not keep the pass from all others. */
const isolated = (
  looked: Effect.Effect<WatchTransaction.Progress, ChainUnavailable | SigningFailed | StoreUnavailable>
): Effect.Effect<Finding, StoreUnavailable> =>
  looked.pipe(
    Effect.catchTag("ChainUnavailable", (unavailable) => Effect.succeed({ ...nothing, unavailable })),
    Effect.catchTag("SigningFailed", (error) => Effect.as(Effect.logError(error.message), nothing)),
    Effect.catchDefect((defect) => Effect.as(Effect.logError("the watcher failed", Cause.die(defect)), nothing))
  )

const resolved = (resolution: Resolution): WatchTransaction.Progress => ({ action: "none", resolutions: [resolution] })

const report = (
  looked: ReadonlyArray<{ readonly transactions: number; readonly findings: ReadonlyArray<Finding> }>
): PassReport => {
  const findings = looked.flatMap((chain) => chain.findings)
  const resolutions = findings.flatMap((finding) => finding.resolutions)
  const acted = (action: Finding["action"]) => findings.filter((finding) => finding.action === action).length
  const became = (resolution: Resolution) => resolutions.filter((each) => each === resolution).length
  return {
    transactions: looked.reduce((sum, chain) => sum + chain.transactions, 0),
    rebroadcast: acted("rebroadcast"),
    replaced: acted("replaced"),
    settledSource: became("settled_source"),
    delivered: became("delivered"),
    failed: became("failed"),
    unavailableChains: [
      ...new Set(findings.flatMap(({ unavailable }) => (unavailable === undefined ? [] : [unavailable.chainId])))
    ]
  }
}
