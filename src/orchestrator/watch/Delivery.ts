/** Follows bridged sweeps from their settlement on the source chain to their delivery or refund. */
import { Clock, Effect, Option } from "effect"
import { deliveryLookMillis } from "../../domain/Backoff.ts"
import { Bridge } from "../../ports/orchestrator/Bridge.ts"
import { type DueDelivery, type Intent, Intents } from "../../ports/orchestrator/Intents.ts"
import { type ChainClient, ChainUnavailable } from "../../ports/shared/Chains.ts"
import { intentFields } from "../shared/LogFields.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { CONCURRENCY, type Finding, isolated, resolved } from "./Findings.ts"

/** Time in which a look must end, in milliseconds. Each request to a node has a shorter timeout. */
const LOOK_MILLIS = 60_000

/** Time after which a round starts no more looks, in milliseconds. The others stay due, and come first in the next round. */
const ROUND_MILLIS = 15_000

/** True when the look decided the intent. A look that failed did not. */
const decided = ({ resolutions }: Finding): boolean => resolutions.some((resolution) => resolution !== "undecided")

/**
 * Makes `deliver(source, destination)`, which asks the bridge about settled intents between two chains whose look is due, and
 * postpones those that wait.
 */
export const make = Effect.gen(function* () {
  const bridge = yield* Bridge
  const intents = yield* Intents
  const settings = yield* OrchestratorSettings

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

  const look = Effect.fnUntraced(function* (source: ChainClient, { chain }: ChainClient, due: DueDelivery) {
    const silence = new ChainUnavailable({
      chainId: chain.id,
      method: "Bridge.delivery",
      detail: `no answer within ${LOOK_MILLIS} milliseconds`
    })
    const timely = Effect.timeoutOrElse(deliver(source, due.intent), {
      duration: LOOK_MILLIS,
      orElse: () => Effect.fail(silence)
    })
    return { finding: yield* isolated(timely), id: due.intent.id, looks: due.looks + 1 }
  })

  return Effect.fnUntraced(function* (source: ChainClient, destination: ChainClient) {
    const due = yield* intents.deliveriesDue(source.chain.id, destination.chain.id, settings.watcher.batch)
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
        waiting.map(({ id, looks }) => ({ id, lookAtMs: now + deliveryLookMillis(looks) }))
      )
    }
    return looked.map(({ finding }) => finding)
  })
})
