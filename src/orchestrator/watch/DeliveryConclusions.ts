/** Conclusions of a look at a delivery: delivered, with or without its transaction, refunded, or not proved yet. */
import { Clock, Effect } from "effect"
import type { ArrivedInstead } from "../../domain/BridgeRefund.ts"
import type { Hash } from "../../domain/Hex.ts"
import type { Delivery, Filled } from "../../ports/orchestrator/Bridge.ts"
import { type Intent, Intents } from "../../ports/orchestrator/Intents.ts"
import { Refunds } from "../../ports/orchestrator/Refunds.ts"
import * as AgedMap from "../shared/AgedMap.ts"
import * as StageTimes from "../shared/StageTimes.ts"
import { resolved } from "./Findings.ts"

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

/** Time before which no refund is looked for (UNIX seconds). A payment that is known is stored under it. */
const NEVER_LOOKED_FOR = 0

type Refunded = Extract<Delivery, { readonly _tag: "Refunded" }>

/** A proof by the bridge's state. */
interface Proof {
  /** UNIX milliseconds of the first look that had it. */
  readonly atMs: number
  readonly swapsOnArrival: boolean
}

/**
 * Makes the conclusions, and `isSoon(id, now)`, which is true while only the transaction of a delivery lacks, which should be there in a
 * moment.
 */
export const make = Effect.gen(function* () {
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

  /** Not proved. A search for the fill continues in the next look. */
  const concludePending = Effect.fnUntraced(function* ({ id, searches }: Intent, searchFrom?: bigint) {
    proofs.delete(id)
    if (searchFrom !== searches?.fill) yield* intents.noteSearches(id, { fill: searchFrom })
    return resolved("undecided")
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

  const isSoon = (id: string, now: number): boolean => {
    const proof = proofs.get(id, now)
    // The look that concludes a plain fill comes after the time. One that fails, as while nodes are silent, is repeated at the ordinary pace.
    const millis = proof?.swapsOnArrival === true ? TRANSACTION_MILLIS : 2 * TRANSACTION_MILLIS
    return proof !== undefined && now - proof.atMs < millis
  }

  return { conclude, concludePending, concludeUnseen, concludeInstead, concludeRefunded, isSoon }
})
