/**
 * Delivers the outbox to the builder backend, each message at least once. The receiver recognises a repeated message by its
 * id. Ledger entries and events are delivered independently, so that neither delays the other.
 */
import { Array, Cause, Clock, Context, Effect, Layer } from "effect"
import { nameOf } from "../../domain/Role.ts"
import { BuilderLedger } from "../../ports/orchestrator/BuilderLedger.ts"
import { Outbox, type OutboxEntry, type Topic, TOPICS } from "../../ports/orchestrator/Outbox.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import * as Background from "../../runtime/Background.ts"
import { LoopProgress } from "../../runtime/LoopProgress.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { ProcessShare } from "../shared/ProcessShare.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"
import * as SweepTrace from "../../telemetry/SweepTrace.ts"
import { OUTBOX_OFFERS } from "../../telemetry/metrics/Queues.ts"
import * as Offer from "./Offer.ts"
import * as RejectedMessages from "./RejectedMessages.ts"

/** Messages that one delivery claimed, by outcome. */
export interface DeliveryReport {
  readonly delivered: number
  readonly deferred: number
  readonly rejected: number
}

/** Concurrent requests of one delivery. */
const CONCURRENCY = 16

/** Revenue entries in one request, at most. */
const REVENUES = 100

/** Interval at which rejected messages are offered again. */
const REJECTED_MILLIS = 30_000

export class OutboxDelivery extends Context.Service<
  OutboxDelivery,
  {
    /** Offers one batch of due messages of each topic. */
    readonly runOnce: Effect.Effect<DeliveryReport, StoreUnavailable>
    /** Offers one batch of due messages of a topic. */
    readonly deliver: (topic: Topic) => Effect.Effect<DeliveryReport, StoreUnavailable>
    /** Makes rejected messages due again, and clears alerts whose cause has gone. */
    readonly lookAgain: Effect.Effect<void, StoreUnavailable>
    /**
     * Ends a message that was rejected or cannot be read, for an operator who has corrected the books by hand. It is not delivered.
     * False if no alert stands for the message.
     */
    readonly close: (id: string, actor: string) => Effect.Effect<boolean, StoreUnavailable>
  }
>()("sweep/orchestrator/OutboxDelivery") {
  /** Runs only when its methods are called. */
  static readonly layerOnDemand = Layer.effect(
    OutboxDelivery,
    Effect.gen(function* () {
      const ledger = yield* BuilderLedger
      const close = yield* RejectedMessages.makeClose
      const lookAgain = yield* RejectedMessages.make
      const offer = yield* Offer.make
      const outbox = yield* Outbox
      const settings = yield* OrchestratorSettings

      /** Books revenue in one request. Returns the entries that it did not book, to be offered one by one. */
      const bookTogether = Effect.fn("OutboxDelivery.bookTogether")(function* (entries: ReadonlyArray<OutboxEntry>) {
        const startMs = yield* Clock.currentTimeMillis
        const lines = entries.flatMap(({ id, message }) =>
          message._tag === "Revenue" ? [{ id, revenue: message.revenue }] : []
        )
        if (lines.length < 2) return entries
        const booked = yield* ledger.bookRevenues(lines.map(({ revenue }) => revenue)).pipe(
          Effect.catchDefect((defect) =>
            Effect.andThen(Effect.logError("outbox.failed", Cause.die(defect)), Effect.succeed(new Set<string>()))
          ),
          Effect.orElseSucceed(() => new Set<string>())
        )
        const done = new Set(lines.flatMap(({ id, revenue }) => (booked.has(revenue.sweepId) ? [id] : [])))
        yield* Effect.forEach(done, (id) => outbox.acknowledge(id), { concurrency: "unbounded", discard: true })
        for (const { id, trace } of entries) {
          if (done.has(id)) yield* SweepTrace.mark("outbox.booked", trace, startMs)
        }
        return entries.filter(({ id }) => !done.has(id))
      })

      const deliver = Effect.fn("OutboxDelivery.deliver")(function* (topic: Topic) {
        const { batch: limit, leaseMillis } = settings.outbox
        const entries = yield* outbox.claim({ topic, limit, leaseMillis })
        const others: Array<OutboxEntry> = []
        for (const part of Array.chunksOf(entries, REVENUES)) others.push(...(yield* bookTogether(part)))
        const outcomes: ReadonlyArray<Offer.Outcome> = [
          ...entries.slice(others.length).map(() => "delivered" as const),
          ...(yield* Effect.forEach(others, offer, { concurrency: CONCURRENCY }))
        ]
        const count = (outcome: Offer.Outcome) => outcomes.filter((each) => each === outcome).length
        const report = { delivered: count("delivered"), deferred: count("deferred"), rejected: count("rejected") }
        for (const [outcome, messages] of Object.entries(report)) {
          if (messages > 0) yield* OUTBOX_OFFERS.record(messages, { topic, outcome })
        }
        if (entries.length > 0) {
          yield* Effect.logInfo("outbox.offered").pipe(Effect.annotateLogs({ topic, ...report }))
        }
        return report
      })

      const runOnce = Effect.fn("OutboxDelivery.runOnce")(function* () {
        const [ledger, events] = yield* Effect.all([deliver("ledger"), deliver("events")], { concurrency: "unbounded" })
        return {
          delivered: ledger.delivered + events.delivered,
          deferred: ledger.deferred + events.deferred,
          rejected: ledger.rejected + events.rejected
        }
      })

      return { runOnce: runOnce(), deliver, lookAgain: lookAgain(), close }
    })
  ).pipe(Layer.provide(StandingAlerts.layer))

  /** In a process with the role, runs every `pollMillis` until the scope closes, and when its methods are called. */
  static readonly layer = Layer.effectDiscard(
    Effect.gen(function* () {
      if (!(yield* ProcessShare).roles.has("outbox")) return
      const delivery = yield* OutboxDelivery
      const { outbox } = yield* OrchestratorSettings
      const { follow } = yield* LoopProgress
      for (const topic of TOPICS) {
        // After a full batch there may be more. When the receiver fails, the next round waits for the pause.
        const untilDrained = delivery
          .deliver(topic)
          .pipe(Effect.repeat({ while: ({ delivered }) => delivered === outbox.batch }))
        const supervised = Background.supervisor("outbox", { topic })
        const ended = yield* follow(nameOf({ role: "outbox" }))
        yield* Background.loop(supervised, { pauseMillis: outbox.pollMillis, ended }, untilDrained)
      }
      const supervised = Background.supervisor("outbox", { topic: "rejected" })
      yield* Background.loop(supervised, { pauseMillis: REJECTED_MILLIS }, delivery.lookAgain)
    })
  ).pipe(Layer.provideMerge(OutboxDelivery.layerOnDemand))
}
