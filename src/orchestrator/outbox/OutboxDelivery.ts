/**
 * Brings the outbox to the builder backend, at least once each; the receiver knows a repeated message by its id. What has to
 * be booked and what builders are told go separate ways, so that neither waits for the other.
 */
import { Array, Clock, Context, Effect, Layer, Random } from "effect"
import type { OutboxMessage } from "../../domain/Accrual.ts"
import { backoffMillis } from "../../domain/Backoff.ts"
import type { NewAlert } from "../../ports/shared/Alerts.ts"
import { BuilderLedger, type LedgerRefused } from "../../ports/orchestrator/BuilderLedger.ts"
import { Outbox, type OutboxEntry, type Topic, TOPICS } from "../../ports/orchestrator/Outbox.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { repeatedly } from "../../runtime/Background.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"

/** What became of the messages that one pass claimed. */
export interface DeliveryReport {
  readonly delivered: number
  readonly deferred: number
  readonly rejected: number
}

const CONCURRENCY = 16

/** Entries of income in one request, at most. */
const TOGETHER = 100

/**
 * How often an event is offered to a backend that does not know the route: for about an hour, in which a backend that is
 * older than the orchestrator is replaced in a rolling upgrade. One that never learns loses events, and no money.
 */
const UNKNOWN_ROUTE_ATTEMPTS = 20

export class OutboxDelivery extends Context.Service<
  OutboxDelivery,
  {
    /** Offers the messages that are due, one batch of each topic. */
    readonly runOnce: Effect.Effect<DeliveryReport, StoreUnavailable>
    /** The same of one topic. */
    readonly deliver: (topic: Topic) => Effect.Effect<DeliveryReport, StoreUnavailable>
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

      const defer = Effect.fnUntraced(function* ({ attempts, id }: OutboxEntry, detail: string) {
        const delay = backoffMillis(attempts + 1, yield* Random.next)
        yield* Effect.logWarning("message to the builder backend deferred").pipe(Effect.annotateLogs({ detail, delay }))
        yield* outbox.defer(id, (yield* Clock.currentTimeMillis) + delay, detail)
        return "deferred" as const
      })

      const alertOf = ({ id, message }: OutboxEntry, refused: LedgerRefused): NewAlert => {
        const details = { ...describe(message), status: refused.status, detail: refused.detail }
        if (message._tag === "SweepEvent") {
          return {
            key: `sweep_event_rejected:${refused.status}`,
            severity: "warning",
            kind: "sweep_event_rejected",
            message:
              "The builder backend does not take a sweep's event: its builder is not told, and no money is concerned. A backend that is older than the orchestrator does not know the route.",
            details
          }
        }
        return {
          key: `outbox_rejected:${id}`,
          severity: "critical",
          kind: "outbox_rejected",
          message: `The builder backend refused a ${message._tag.toLowerCase()} for good: what it says differs from what was settled, and has to be corrected there.`,
          details
        }
      }

      const offer = Effect.fn("OutboxDelivery.offer")(
        function* ({ id, message }: OutboxEntry) {
          yield* message._tag === "SweepEvent" ? ledger.tell(message.event) : ledger.book(message)
          // A crash before this line offers the message again, which changes nothing at the receiver.
          yield* outbox.acknowledge(id)
          yield* Effect.logDebug("message to the builder backend delivered")
          return "delivered" as const
        },
        (effect, entry) =>
          effect.pipe(
            Effect.catchTags({
              LedgerUnavailable: ({ detail }) => defer(entry, detail),
              LedgerRefused: Effect.fnUntraced(function* (refused) {
                if (refused.status === 404 && entry.attempts < UNKNOWN_ROUTE_ATTEMPTS) {
                  return yield* defer(entry, refused.message)
                }
                // The alert comes first: a crash in between repeats both, and never leaves a refusal unseen.
                yield* alerts.raise(alertOf(entry, refused))
                yield* outbox.reject(entry.id, refused.message)
                return "rejected" as const
              })
            }),
            Effect.annotateLogs({ ...describe(entry.message), outboxId: entry.id, attempts: entry.attempts })
          )
      )

      /** Books income in one request, and leaves to be offered by itself whatever that did not book, for whatever reason. */
      const bookTogether = Effect.fn("OutboxDelivery.bookTogether")(function* (entries: ReadonlyArray<OutboxEntry>) {
        const lines = entries.flatMap(({ id, message }) =>
          message._tag === "Revenue" ? [{ id, revenue: message.revenue }] : []
        )
        if (lines.length < 2) return entries
        const booked = yield* ledger
          .bookRevenues(lines.map(({ revenue }) => revenue))
          .pipe(Effect.orElseSucceed(() => new Set<string>()))
        const done = new Set(lines.flatMap(({ id, revenue }) => (booked.has(revenue.sweepId) ? [id] : [])))
        yield* Effect.forEach(done, (id) => outbox.acknowledge(id), { concurrency: "unbounded", discard: true })
        return entries.filter(({ id }) => !done.has(id))
      })

      const deliver = Effect.fn("OutboxDelivery.deliver")(function* (topic: Topic) {
        const { batch: limit, leaseMillis } = settings.outbox
        const entries = yield* outbox.claim({ topic, limit, leaseMillis })
        const others: Array<OutboxEntry> = []
        for (const part of Array.chunksOf(entries, TOGETHER)) others.push(...(yield* bookTogether(part)))
        const outcomes = [
          ...entries.slice(others.length).map(() => "delivered" as const),
          ...(yield* Effect.forEach(others, offer, { concurrency: CONCURRENCY }))
        ]
        if (entries.length > 0) {
          yield* Effect.logInfo("messages offered to the builder backend", { topic, messages: entries.length })
        }
        const count = (outcome: (typeof outcomes)[number]) => outcomes.filter((each) => each === outcome).length
        return { delivered: count("delivered"), deferred: count("deferred"), rejected: count("rejected") }
      })

      const runOnce = Effect.fn("OutboxDelivery.runOnce")(function* () {
        const [ledger, events] = yield* Effect.all([deliver("ledger"), deliver("events")], { concurrency: "unbounded" })
        return {
          delivered: ledger.delivered + events.delivered,
          deferred: ledger.deferred + events.deferred,
          rejected: ledger.rejected + events.rejected
        }
      })

      return { runOnce: runOnce(), deliver }
    })
  ).pipe(Layer.provide(StandingAlerts.layer))

  /** Delivers on a timer for as long as the scope lives, and when told to. */
  static readonly layer = Layer.effectDiscard(
    Effect.gen(function* () {
      const delivery = yield* OutboxDelivery
      const { outbox } = yield* OrchestratorSettings
      for (const topic of TOPICS) {
        // A full batch says that there may be more, unless its receiver is the trouble.
        const untilDrained = delivery
          .deliver(topic)
          .pipe(Effect.repeat({ while: ({ delivered }) => delivered === outbox.batch }))
        yield* repeatedly(`outbox delivery (${topic})`, outbox.pollMillis, untilDrained)
      }
    })
  ).pipe(Layer.provideMerge(OutboxDelivery.layerOnDemand))
}

/** What an operator asks about a message. */
const describe = (message: OutboxMessage): Record<string, string> => {
  if (message._tag === "SweepEvent") return { entry: message._tag, eventId: message.event.id }
  const { amount, sweepId, token } = message._tag === "Accrual" ? message.accrual : message.revenue
  return { entry: message._tag, sweepId, token, amount: amount.toString() }
}
