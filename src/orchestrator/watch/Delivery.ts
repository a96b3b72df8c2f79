/** Follows bridged sweeps from their settlement on the source chain to their delivery or refund. */
import { Clock, Effect, Option } from "effect"
import { deliveryLookMillis } from "../../domain/Backoff.ts"
import { Bridge } from "../../ports/orchestrator/Bridge.ts"
import { type DueDelivery, type Intent, Intents } from "../../ports/orchestrator/Intents.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { intentFields } from "../shared/LogFields.ts"
import { CONCURRENCY, type Finding, isolated, resolved } from "./Findings.ts"

/** True when the look decided the intent. A look that failed did not. */
const decided = ({ resolutions }: Finding): boolean => resolutions.some((resolution) => resolution !== "undecided")

/** Makes `deliver(client, due)`, which asks the bridge about a source chain's settled intents, and postpones those that wait. */
export const make = Effect.gen(function* () {
  const bridge = yield* Bridge
  const intents = yield* Intents

  const deliver = Effect.fn("Watcher.deliver")(
    function* (client: ChainClient, intent: Intent) {
      if (intent.txHash === undefined) {
        return yield* Effect.die(new Error(`the settled intent ${intent.id} has no transaction`))
      }
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
          const { amountOut, txHash } = delivery
          yield* intents.apply(intent.id, [{ _tag: "Delivered", txHash }], { detail: `delivered ${amountOut}` })
          yield* Effect.logInfo("sweep.delivered").pipe(Effect.annotateLogs({ deliveryTxHash: txHash }))
          return resolved("delivered")
        }
        case "Refunded":
          yield* intents.apply(intent.id, [{ _tag: "Failed", reason: "bridge_refunded" }], {
            detail: "the bridge did not deliver in time and returns the deposit to the owner"
          })
          yield* Effect.logWarning("sweep.refunded")
          return resolved("failed")
      }
    },
    (effect, client, intent) =>
      effect.pipe(
        // Another process moved the intent first.
        Effect.catchTag("IllegalTransition", () => Effect.succeed(resolved("elsewhere"))),
        Effect.annotateLogs({ ...intentFields(client, intent), txHash: intent.txHash ?? "none" })
      )
  )

  return Effect.fnUntraced(function* (client: ChainClient, due: ReadonlyArray<DueDelivery>) {
    const looked = yield* Effect.forEach(
      due,
      ({ intent, looks }) =>
        Effect.map(isolated(deliver(client, intent)), (finding) => ({ finding, id: intent.id, looks: looks + 1 })),
      { concurrency: CONCURRENCY }
    )
    const now = yield* Clock.currentTimeMillis
    const waiting = looked.filter(({ finding }) => !decided(finding))
    if (waiting.length > 0) {
      yield* intents.postponeDeliveries(
        waiting.map(({ id, looks }) => ({ id, lookAtMs: now + deliveryLookMillis(looks) }))
      )
    }
    return looked.map(({ finding }) => finding)
  })
})
