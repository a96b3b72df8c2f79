/**
 * Brings the outbox to the builder backend, at least once each; the receiver knows a repeated message by its sweep id.
 */
import { Clock, Context, Effect, Layer, Random } from "effect"
import type { OutboxMessage } from "../domain/Accrual.ts"
import { backoffMillis } from "../domain/Backoff.ts"
import { BuilderLedger } from "../ports/BuilderLedger.ts"
import { Outbox, type OutboxEntry } from "../ports/Outbox.ts"
import type { StoreUnavailable } from "../ports/Store.ts"
import { repeatedly } from "./Background.ts"
import { OrchestratorSettings } from "./OrchestratorSettings.ts"
import { StandingAlerts } from "./StandingAlerts.ts"

/** What became of the messages that one pass claimed. */
export interface DeliveryReport {
  readonly delivered: number
  readonly deferred: number
  readonly rejected: number
}

const CONCURRENCY = 8

export class OutboxDelivery extends Context.Service<
  OutboxDelivery,
  {
    /** Offers the messages that are due, one batch of them. */
    readonly runOnce: Effect.Effect<DeliveryReport, StoreUnavailable>
  }
>()("sweep/orchestrator/OutboxDelivery") {
  /** Delivers when told to. */
  static readonly layerOnDemand = Layer.effect(
    OutboxDelivery,
    Effect.gen(function* () {
      const alerts = yield* StandingAlerts
      const ledger = yield* BuilderLedger
      const outbox = yield* Outbox
      const settings = yield* OrchestratorSettings

      const offer = Effect.fn("OutboxDelivery.offer")(
        function* ({ id, message }: OutboxEntry) {
          yield* ledger.book(message)
          // A crash before this line offers the message again, which changes nothing at the receiver.
          yield* outbox.acknowledge(id)
          yield* Effect.logDebug("ledger entry booked")
          return "delivered" as const
        },
        (effect, { attempts, id, message }) =>
          effect.pipe(
            Effect.catchTags({
              LedgerUnavailable: Effect.fnUntraced(function* ({ detail }) {
                const delay = backoffMillis(attempts + 1, yield* Random.next)
                yield* Effect.logWarning("ledger entry deferred").pipe(Effect.annotateLogs({ detail, delay }))
                yield* outbox.defer(id, (yield* Clock.currentTimeMillis) + delay, detail)
                return "deferred" as const
              }),
              LedgerRefused: Effect.fnUntraced(function* (refused) {
                // The alert comes first: a crash in between repeats both, and never leaves a refusal unseen.
                yield* alerts.raise({
                  key: `outbox_rejected:${id}`,
                  severity: "critical",
                  kind: "outbox_rejected",
                  message: `The builder backend refused a ${message._tag.toLowerCase()} for good: what it says differs from what was settled, and has to be corrected there.`,
                  details: { ...describe(message), status: refused.status, detail: refused.detail }
                })
                yield* outbox.reject(id, refused.message)
                return "rejected" as const
              })
            }),
            Effect.annotateLogs({ ...describe(message), outboxId: id, attempts })
          )
      )

      const runOnce = Effect.fn("OutboxDelivery.runOnce")(function* () {
        const { batch: limit, leaseMillis } = settings.outbox
        const entries = yield* outbox.claim({ limit, leaseMillis })
        const outcomes = yield* Effect.forEach(entries, offer, { concurrency: CONCURRENCY })
        if (entries.length > 0) yield* Effect.logInfo("ledger entries offered", { entries: entries.length })
        const count = (outcome: (typeof outcomes)[number]) => outcomes.filter((each) => each === outcome).length
        return { delivered: count("delivered"), deferred: count("deferred"), rejected: count("rejected") }
      })

      return { runOnce: runOnce() }
    })
  ).pipe(Layer.provide(StandingAlerts.layer))

  /** Delivers on a timer for as long as the scope lives, and when told to. */
  static readonly layer = Layer.effectDiscard(
    Effect.gen(function* () {
      const delivery = yield* OutboxDelivery
      const { outbox } = yield* OrchestratorSettings
      // A full batch says that there may be more, unless its receiver is the trouble.
      const untilDrained = delivery.runOnce.pipe(
        Effect.repeat({ while: ({ delivered }) => delivered === outbox.batch })
      )
      yield* repeatedly("outbox delivery", outbox.pollMillis, untilDrained)
    })
  ).pipe(Layer.provideMerge(OutboxDelivery.layerOnDemand))
}

/** What an operator asks about a message. */
const describe = (message: OutboxMessage) => {
  const { amount, sweepId, token } = message._tag === "Accrual" ? message.accrual : message.revenue
  return { entry: message._tag, sweepId, token, amount: amount.toString() }
}
