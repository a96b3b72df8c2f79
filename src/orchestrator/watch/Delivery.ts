/** Follows bridged sweeps from their settlement on the source chain to their delivery or refund. */
import { Clock, Effect, Option } from "effect"
import { deliveryLookMillis } from "../../domain/Backoff.ts"
import type { Hash } from "../../domain/Hex.ts"
import { Bridge } from "../../ports/orchestrator/Bridge.ts"
import { type DueDelivery, type Intent, Intents } from "../../ports/orchestrator/Intents.ts"
import { type ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import * as ConfirmedReceipt from "../../ports/shared/ConfirmedReceipt.ts"
import { LogSources } from "../settle/LogSources.ts"
import { Settlements } from "../settle/Settlements.ts"
import * as SweepLogs from "../settle/SweepLogs.ts"
import { intentFields } from "../shared/LogFields.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import * as DeliveryConclusions from "./DeliveryConclusions.ts"
import * as DeliveryDepth from "./DeliveryDepth.ts"
import { CONCURRENCY, type Finding, isolated, resolved } from "./Findings.ts"

/** Time in which a look must end, in milliseconds. Each request to a node has a shorter timeout. */
const LOOK_MILLIS = 60_000

/** Time after which a round starts no more looks, in milliseconds. The others stay due, and come first in the next round. */
const ROUND_MILLIS = 15_000

/** Pause between the looks of a delivery of which only the transaction lacks for a moment, in milliseconds. */
const SOON_MILLIS = 500

/** True when the look decided the intent. A look that failed did not. */
const decided = ({ resolutions }: Finding): boolean => resolutions.some((resolution) => resolution !== "undecided")

/** No endpoint has the receipt of a settlement, which was confirmed. */
const missingReceipt = ({ chain }: ChainClient, txHash: Hash) =>
  new ChainUnavailable({
    chainId: chain.id,
    method: "eth_getTransactionReceipt",
    detail: `no endpoint of ${chain.name} that answers has the receipt of ${txHash}, which settled the sweep`
  })

/** Logs the first of the looks of a round that failed. Their sweeps are looked at again. */
const logFailed = (
  source: ChainClient,
  destination: ChainClient,
  failures: ReadonlyArray<{ readonly id: string; readonly failure: ChainUnavailable }>
) => {
  const [first] = failures
  return first === undefined
    ? Effect.void
    : Effect.annotateLogs(Effect.logWarning("watch.deliveries_failed"), {
        chain: source.chain.name,
        destination: destination.chain.name,
        looks: failures.length,
        intentId: first.id,
        detail: first.failure.message
      })
}

/**
 * Makes `deliver(source, destination, intent)`, one look at a delivery. `isSoon(id, now)` is true while only its transaction lacks, which
 * should be there in a moment.
 */
const makeDeliver = Effect.gen(function* () {
  const bridge = yield* Bridge
  const { conclude, concludeInstead, concludePending, concludeRefunded, concludeUnseen, isSoon } =
    yield* DeliveryConclusions.make
  const depthOf = yield* DeliveryDepth.make
  const logsOf = yield* SweepLogs.make
  const settlements = yield* Settlements
  const sources = yield* LogSources

  /** Notes the outcome of a search. It also reads blocks and receipts, which tell nothing about the logs. */
  const noteLogs = (destination: ChainClient, failure: ChainUnavailable | undefined) =>
    failure === undefined || failure.method === "eth_getLogs" ? sources.note(destination, failure) : Effect.void

  const deliver = Effect.fn("Watcher.deliver")(
    function* (source: ChainClient, destination: ChainClient, intent: Intent) {
      if (intent.txHash === undefined) {
        return yield* Effect.die(new Error(`the settled intent ${intent.id} has no transaction`))
      }
      if (!(yield* settlements.knowsGuard(source, intent))) return resolved("undecided")
      const receipt = Option.getOrUndefined(yield* ConfirmedReceipt.find(source, intent.txHash))
      if (receipt === undefined) return yield* missingReceipt(source, intent.txHash)
      const logs = Option.getOrUndefined(logsOf(source.chain, intent, receipt.logs))
      if (logs === undefined) return resolved("undecided")
      const delivery = yield* bridge.delivery({
        sourceChainId: source.chain.id,
        order: intent.order,
        receipt: { ...receipt, logs },
        confirmations: yield* depthOf(source, destination, intent),
        sourceConfirmations: yield* depthOf(source, source, intent),
        searchFrom: intent.searches?.fill
      })
      switch (delivery._tag) {
        case "Pending": {
          const { logsFailed, searchFrom } = delivery
          // A look without a search reads no logs.
          if (logsFailed !== undefined || searchFrom !== undefined) yield* noteLogs(destination, logsFailed)
          const pending = yield* concludePending(intent, searchFrom)
          return logsFailed === undefined ? pending : yield* logsFailed
        }
        case "Delivered":
          yield* sources.note(destination, undefined)
          return yield* conclude(intent, delivery.txHash, delivery.amountOut)
        case "DeliveredInstead":
          yield* sources.note(destination, undefined)
          return yield* concludeInstead(intent, delivery.txHash, { token: delivery.token, amount: delivery.amount })
        case "Filled":
          yield* noteLogs(destination, delivery.logsFailed)
          return yield* concludeUnseen(intent, delivery)
        case "Refunded":
          return yield* concludeRefunded(intent, delivery)
      }
    },
    (effect, source, _destination, intent) =>
      effect.pipe(
        // Another process moved the intent first.
        Effect.catchTag("IllegalTransition", () => Effect.succeed(resolved("elsewhere"))),
        Effect.annotateLogs({ ...intentFields(source, intent), txHash: intent.txHash ?? "none" })
      )
  )

  return { deliver, isSoon }
})

/**
 * Makes `deliver(source, destination)`, which asks the bridge about settled intents between two chains whose look is due, and
 * postpones those that wait.
 */
export const make = Effect.gen(function* () {
  const { deliver, isSoon } = yield* makeDeliver
  const intents = yield* Intents
  const settings = yield* OrchestratorSettings

  const look = Effect.fnUntraced(function* (source: ChainClient, destination: ChainClient, due: DueDelivery) {
    const silence = new ChainUnavailable({
      chainId: destination.chain.id,
      method: "Bridge.delivery",
      detail: `no answer within ${LOOK_MILLIS} milliseconds`
    })
    const timely = Effect.timeoutOrElse(deliver(source, destination, due.intent), {
      duration: LOOK_MILLIS,
      orElse: () => Effect.fail(silence)
    })
    const { id } = due.intent
    let failure: ChainUnavailable | undefined
    const noted = Effect.tapErrorTag(timely, "ChainUnavailable", (error) => Effect.sync(() => (failure = error)))
    const finding = yield* isolated(noted)
    return { finding, id, looks: due.looks + 1, failures: failure === undefined ? [] : [{ id, failure }] }
  })

  return Effect.fnUntraced(function* (source: ChainClient, destination: ChainClient) {
    const { batch } = settings.watcher
    const settled = yield* intents.deliveriesDue(source.chain.id, destination.chain.id, batch)
    const due = [...settled, ...(yield* intents.fillsDue(source.chain.id, destination.chain.id, batch))]
    const until = (yield* Clock.currentTimeMillis) + ROUND_MILLIS
    const rounds = yield* Effect.forEach(
      due,
      (each) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          now < until ? Effect.map(look(source, destination, each), (looked) => [looked]) : Effect.succeed([])
        ),
      { concurrency: CONCURRENCY }
    )
    const looked = rounds.flat()
    yield* logFailed(
      source,
      destination,
      looked.flatMap(({ failures }) => failures)
    )
    const now = yield* Clock.currentTimeMillis
    const waiting = looked.filter(({ finding }) => !decided(finding))
    if (waiting.length > 0) {
      yield* intents.postponeDeliveries(
        waiting.map(({ id, looks }) => ({
          id,
          lookAtMs: now + (isSoon(id, now) ? SOON_MILLIS : deliveryLookMillis(looks))
        }))
      )
    }
    return looked.map(({ finding }) => finding)
  })
})
