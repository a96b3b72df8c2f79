/** Follows bridged sweeps from their settlement on the source chain to their delivery or refund. */
import { Clock, Effect, Option } from "effect"
import type { ArrivedInstead } from "../../domain/BridgeRefund.ts"
import { deliveryLookMillis } from "../../domain/Backoff.ts"
import type { Hash } from "../../domain/Hex.ts"
import { Bridge, type Delivery, type Filled } from "../../ports/orchestrator/Bridge.ts"
import { type DueDelivery, type Intent, Intents } from "../../ports/orchestrator/Intents.ts"
import { Refunds } from "../../ports/orchestrator/Refunds.ts"
import { type ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import { LogSources } from "../settle/LogSources.ts"
import { Settlements } from "../settle/Settlements.ts"
import * as SweepLogs from "../settle/SweepLogs.ts"
import { intentFields } from "../shared/LogFields.ts"
import * as AgedMap from "../shared/AgedMap.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import * as StageTimes from "../shared/StageTimes.ts"
import * as DeliveryDepth from "./DeliveryDepth.ts"
import { CONCURRENCY, type Finding, isolated, resolved } from "./Findings.ts"

/** Time in which a look must end, in milliseconds. Each request to a node has a shorter timeout. */
const LOOK_MILLIS = 60_000

/** Time after which a round starts no more looks, in milliseconds. The others stay due, and come first in the next round. */
const ROUND_MILLIS = 15_000

/**
 * Time in which the transaction of a proved delivery is awaited, in milliseconds. A node's logs may lag its state for a moment,
 * and nobody looks at a sweep again that is delivered.
 */
const TRANSACTION_MILLIS = 2_000

/**
 * Time in which the transaction of a fill with a swap on arrival is awaited, in milliseconds. It is longer, since only the transaction
 * tells if the swap failed.
 */
const SWAP_MILLIS = 600_000

/** Time for which a proof is kept that no look has repeated, in milliseconds. It is much longer than the longest pause between two looks. */
const PROOF_MILLIS = 3_600_000

/** Pause between the looks within `TRANSACTION_MILLIS`, in milliseconds. */
const SOON_MILLIS = 500

/** Time before which no refund is looked for (UNIX seconds). A payment that is known is stored under it. */
const NEVER_LOOKED_FOR = 0

type Refunded = Extract<Delivery, { readonly _tag: "Refunded" }>

/** True when the look decided the intent. A look that failed did not. */
const decided = ({ resolutions }: Finding): boolean => resolutions.some((resolution) => resolution !== "undecided")

/** A proof by the bridge's state. */
interface Proof {
  /** UNIX milliseconds of the first look that had it. */
  readonly atMs: number
  readonly swapsOnArrival: boolean
}

/** Makes the conclusions of a look at a delivery. */
const makeConclusions = Effect.gen(function* () {
  const intents = yield* Intents
  const refunds = yield* Refunds
  /** Proofs without a transaction, by intent. A restart forgets them, which prolongs the wait. Another process may conclude the intent. */
  const proofs = AgedMap.make<string, Proof>(PROOF_MILLIS)

  /** Counted when the settlement is the last change of the intent. */
  const counted = (intent: Intent) =>
    Effect.andThen(StageTimes.delivered(intent), StageTimes.reached("delivered", intent, intent.updatedAtMs))

  const conclude = Effect.fnUntraced(function* (intent: Intent, txHash: Hash, amountOut?: bigint) {
    const { id, status } = intent
    proofs.delete(id)
    if (status === "delivered") {
      yield* intents.noteFill(id, txHash, amountOut)
      yield* Effect.logInfo("sweep.fill_found").pipe(Effect.annotateLogs({ deliveryTxHash: txHash }))
      return resolved("elsewhere")
    }
    const amount = amountOut === undefined ? {} : { amountOut }
    yield* intents.apply(id, [{ _tag: "Delivered", txHash, ...amount }], {
      detail: `delivered ${amountOut ?? "another token, since the swap on arrival failed"}`
    })
    yield* counted(intent)
    yield* Effect.logInfo("sweep.delivered").pipe(Effect.annotateLogs({ deliveryTxHash: txHash }))
    return resolved("delivered")
  })

  /** Delivered by proof of the bridge's state. The search for the transaction continues in later looks. */
  const concludeUnseen = Effect.fnUntraced(function* (intent: Intent, { searchFrom, swapsOnArrival = false }: Filled) {
    const { id, searches, status } = intent
    if (searchFrom !== searches?.fill) yield* intents.noteSearches(id, { fill: searchFrom })
    if (status === "delivered") {
      proofs.delete(id)
      return resolved("undecided")
    }
    const now = yield* Clock.currentTimeMillis
    const { atMs } = proofs.get(id, now) ?? { atMs: now }
    proofs.set(id, { atMs, swapsOnArrival }, now)
    if (now - atMs < (swapsOnArrival ? SWAP_MILLIS : TRANSACTION_MILLIS)) return resolved("undecided")
    proofs.delete(id)
    yield* intents.apply(id, [{ _tag: "Delivered" }], { detail: "delivered by the bridge's state" })
    yield* counted(intent)
    yield* Effect.logInfo("sweep.delivered").pipe(Effect.annotateLogs({ deliveryTxHash: "none" }))
    return resolved("delivered")
  })

  /** The swap on arrival failed. */
  const concludeInstead = Effect.fnUntraced(function* (intent: Intent, txHash: Hash, arrived: ArrivedInstead) {
    // Before the intent is delivered, since nobody looks at a delivered one with a transaction again.
    yield* refunds.noteInstead(intent.id, arrived)
    yield* Effect.logWarning("sweep.swap_on_arrival_failed").pipe(Effect.annotateLogs({ token: arrived.token }))
    return yield* conclude(intent, txHash)
  })

  /** Nobody filled the deposit in time. */
  const concludeRefunded = Effect.fnUntraced(function* (intent: Intent, { expected, paid }: Refunded) {
    const { id, order, quote } = intent
    const { sourceChainId: chainId } = quote
    // Before the intent fails, since nobody looks at a failed one again.
    if (expected !== undefined) yield* refunds.expect({ ...expected, id, chainId, account: order.owner })
    if (paid !== undefined) {
      const { account, amount, token } = paid
      yield* refunds.expect({ id, chainId, account, token, amount, notBefore: NEVER_LOOKED_FOR })
      yield* refunds.note(chainId, { line: paid, ids: [id] })
    }
    yield* intents.apply(id, [{ _tag: "Failed", reason: "bridge_refunded" }], {
      detail: "the bridge did not deliver in time and returns the deposit to the owner"
    })
    yield* StageTimes.failed(intent, "bridge_refunded")
    yield* Effect.logWarning("sweep.refunded")
    return resolved("failed")
  })

  return { conclude, concludeUnseen, concludeInstead, concludeRefunded, proofs }
})

/**
 * Makes `deliver(source, destination, intent)`, one look at a delivery. `isSoon(id, now)` is true while only its transaction lacks, which
 * should be there in a moment.
 */
const makeDeliver = Effect.gen(function* () {
  const bridge = yield* Bridge
  const { conclude, concludeInstead, concludeRefunded, concludeUnseen, proofs } = yield* makeConclusions
  const depthOf = yield* DeliveryDepth.make
  const logsOf = yield* SweepLogs.make
  const settlements = yield* Settlements
  const sources = yield* LogSources

  const deliver = Effect.fn("Watcher.deliver")(
    function* (source: ChainClient, destination: ChainClient, intent: Intent) {
      if (intent.txHash === undefined) {
        return yield* Effect.die(new Error(`the settled intent ${intent.id} has no transaction`))
      }
      if (!(yield* settlements.knowsGuard(source, intent))) return resolved("undecided")
      const receipt = Option.getOrUndefined(yield* source.receipt(intent.txHash))
      const logs = Option.getOrUndefined(logsOf(source.chain, intent, receipt?.logs ?? []))
      if (receipt === undefined || logs === undefined) return resolved("undecided")
      const delivery = yield* bridge.delivery({
        sourceChainId: source.chain.id,
        order: intent.order,
        receipt: { ...receipt, logs },
        confirmations: yield* depthOf(source, destination, intent),
        sourceConfirmations: yield* depthOf(source, source, intent),
        searchFrom: intent.searches?.fill
      })
      switch (delivery._tag) {
        case "Pending":
          proofs.delete(intent.id)
          return resolved("undecided")
        case "Delivered":
          yield* sources.note(destination, undefined)
          return yield* conclude(intent, delivery.txHash, delivery.amountOut)
        case "DeliveredInstead":
          yield* sources.note(destination, undefined)
          return yield* concludeInstead(intent, delivery.txHash, { token: delivery.token, amount: delivery.amount })
        case "Filled":
          // The search also reads blocks and receipts, which tell nothing about the logs.
          if (delivery.logsFailed === undefined || delivery.logsFailed.method === "eth_getLogs") {
            yield* sources.note(destination, delivery.logsFailed)
          }
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

  const isSoon = (id: string, now: number): boolean => {
    const proof = proofs.get(id, now)
    // The look that concludes a plain fill comes after the time. One that fails, as while nodes are silent, is repeated at the ordinary pace.
    const millis = proof?.swapsOnArrival === true ? TRANSACTION_MILLIS : 2 * TRANSACTION_MILLIS
    return proof !== undefined && now - proof.atMs < millis
  }

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
    return { finding: yield* isolated(timely), id: due.intent.id, looks: due.looks + 1 }
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
