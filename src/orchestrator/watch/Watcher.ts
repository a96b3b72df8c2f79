/** Advances intents by what the chains prove: receipts, the guard's `Swept` event, confirmations, and the bridge's delivery. */
import { Context, Effect, Latch, Layer, Stream } from "effect"
import * as Priority from "../../ports/shared/Priority.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import * as Background from "../../runtime/Background.ts"
import { OutboxDelivery } from "../outbox/OutboxDelivery.ts"
import { LogSources } from "../settle/LogSources.ts"
import { Settlements } from "../settle/Settlements.ts"
import { RecentIntents } from "../shared/RecentIntents.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"
import { OwnerBlocks } from "../relay/OwnerBlocks.ts"
import * as Duties from "./Duties.ts"
import { report, type TickReport } from "./Findings.ts"

const make = Effect.gen(function* () {
  const outbox = yield* OutboxDelivery
  const duties = yield* Duties.make

  const tick = Effect.fn("Watcher.tick")(function* () {
    const looked = yield* Effect.forEach(duties, ({ round }) => round, { concurrency: "unbounded" })
    const { delivered } = yield* outbox.runOnce
    return { ...report(looked), outboxDelivered: delivered } satisfies TickReport
  })

  return { duties, tick: tick() }
})

export class Watcher extends Context.Service<
  Watcher,
  {
    /** One round of every duty, and one delivery of the outbox. Safe at any time, also beside the scheduled rounds. */
    readonly tick: Effect.Effect<TickReport, StoreUnavailable>
  }
>()("sweep/orchestrator/Watcher") {
  /** Runs only when `tick` is called. */
  static readonly layerOnDemand = Layer.effect(
    Watcher,
    Effect.map(make, ({ tick }) => ({ tick }))
  ).pipe(
    Layer.provide([Settlements.layer, LogSources.layer, StandingAlerts.layer, RecentIntents.layer, OwnerBlocks.layer])
  )

  /** Runs until the scope closes: each duty at its chain's new heads and every `pollMillis`, and all when `tick` is called. */
  static readonly layer = Layer.effect(
    Watcher,
    Effect.gen(function* () {
      const { duties, tick } = yield* make
      // Shared, so that an outage of the database is logged once. The outbox has a loop of its own.
      const supervised = Background.supervisor("watcher")
      for (const { fields, pauseMillis, round, wokenBy } of duties) {
        const wake = yield* Latch.make()
        yield* Effect.forkScoped(Stream.runForEach(wokenBy.heads, () => wake.open))
        yield* Background.loop((run) => Effect.annotateLogs(supervised(run), fields), { pauseMillis, wake }, Priority.at("watch")(round))
      }
      return { tick }
    })
  ).pipe(
    Layer.provide([Settlements.layer, LogSources.layer, StandingAlerts.layer, RecentIntents.layer, OwnerBlocks.layer])
  )
}
