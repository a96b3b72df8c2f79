/** Shows operators the stuck sweeps, and lets them retry one. */
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { RetryOutcome, StuckIntent, StuckIntents } from "../../domain/StuckIntent.ts"
import { Alerts } from "../../ports/shared/Alerts.ts"
import { type HeldIntent, HeldIntents } from "../../ports/orchestrator/HeldIntents.ts"
import { LaneBook } from "../../ports/orchestrator/LaneBook.ts"
import { Intents } from "../../ports/orchestrator/Intents.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { HealthCheck } from "./HealthCheck.ts"
import { explain } from "./StuckExplanation.ts"
import type { Circumstances } from "./StuckSituation.ts"

export class IntentDesk extends Context.Service<
  IntentDesk,
  {
    /** Sweeps that were submitted at least `olderThanMillis` ago and have not settled, that are postponed, or whose delivery is late by as much. */
    readonly stuck: (query: {
      readonly olderThanMillis: number
      readonly limit: number
    }) => Effect.Effect<StuckIntents, StoreUnavailable>
    /**
     * Makes a submitted intent that no transaction carries free to be claimed now: ends its lease and its postponement. Safe
     * to repeat: a worker that held the lease cannot send the intent twice. None when the id is unknown.
     */
    readonly retry: (id: string, actor: string) => Effect.Effect<Option.Option<RetryOutcome>, StoreUnavailable>
  }
>()("sweep/orchestrator/IntentDesk") {
  static readonly layer = Layer.effect(
    IntentDesk,
    Effect.gen(function* () {
      const alerts = yield* Alerts
      const { check } = yield* HealthCheck
      const held = yield* HeldIntents
      const intents = yield* Intents
      const { note } = yield* LaneBook

      const stuck = Effect.fn("IntentDesk.stuck")(function* ({
        limit,
        olderThanMillis
      }: {
        readonly olderThanMillis: number
        readonly limit: number
      }) {
        const nowMs = yield* Clock.currentTimeMillis
        const [found, health, standing] = yield* Effect.all(
          [held.stuck({ beforeMs: nowMs - olderThanMillis, limit }), check, alerts.list],
          { concurrency: "unbounded" }
        )
        const circumstances = { nowMs, health, alerts: standing }
        return { intents: found.intents.map((intent) => view(intent, circumstances)), total: found.total }
      })

      const retry = Effect.fn("IntentDesk.retry")(function* (id: string, actor: string) {
        const before = yield* held.find(id)
        if (Option.isNone(before)) return Option.none()
        if (before.value.status === "submitted" && before.value.carrier === undefined) {
          yield* note({ actor, action: "intent.retried", subject: `intent:${id}`, details: {} })
          yield* intents.release([id])
        }
        // Read again, since another worker may have sent it meanwhile.
        const after = Option.getOrElse(yield* held.find(id), () => before.value)
        return Option.some({ id, ...outcome(after) })
      })

      return { stuck, retry }
    })
  )
}

const view = (intent: HeldIntent, circumstances: Circumstances): StuckIntent => ({
  id: intent.id,
  status: intent.status === "settled_source" ? "settled_source" : "submitted",
  owner: intent.owner,
  sourceChainId: intent.sourceChainId,
  destChainId: intent.destChainId,
  ...(intent.builderId === undefined ? {} : { builderId: intent.builderId }),
  sinceMs: intent.status === "settled_source" ? intent.updatedAtMs : (intent.submittedAtMs ?? intent.updatedAtMs),
  deadline: intent.deadline,
  ...(intent.txHash === undefined ? {} : { txHash: intent.txHash }),
  ...explain(intent, circumstances),
  ...(intent.givenUp === undefined ? {} : { pendingFailureReason: intent.givenUp.reason }),
  retryable: intent.status === "submitted" && intent.carrier === undefined
})

const outcome = ({ carrier, ownersOther, status }: HeldIntent): Omit<RetryOutcome, "id"> => {
  if (status === "quoted") return { outcome: "unsigned", explanation: "Its owner has not submitted it." }
  if (status !== "submitted") {
    return {
      outcome: "past",
      explanation:
        status === "settled_source"
          ? "It has settled on its source chain, so there is nothing to send. The bridge delivers it."
          : `It is ${status}, which is final.`
    }
  }
  if (carrier !== undefined) {
    return {
      outcome: "carried",
      explanation: `Transaction ${carrier.hash} carries it. The transaction is broadcast again and replaced automatically until its nonce is used.`
    }
  }
  return {
    outcome: "requeued",
    explanation:
      ownersOther === undefined
        ? "It is free to be claimed. A relayer takes it with its next claim."
        : `It is free to be claimed once ${ownersOther} of the same owner is done.`
  }
}
