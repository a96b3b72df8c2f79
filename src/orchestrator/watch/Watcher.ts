/**
 * Moves intents on by what the chains prove: receipts, the guard's `Swept` event, depth, and the bridge's delivery.
 */
import { Context, Effect, Latch, Layer, Stream } from "effect"
import { Chains } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import { survivor } from "../../runtime/Background.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { OutboxDelivery } from "../outbox/OutboxDelivery.ts"
import { RecentIntents } from "../shared/RecentIntents.ts"
import { Settlements } from "../settle/Settlements.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"
import * as WatchPass from "./Pass.ts"

/** What one pass moved. */
export interface TickReport extends WatchPass.PassReport {
  /** Messages that the builder backend acknowledged. */
  readonly outboxDelivered: number
}

const make = Effect.gen(function* () {
  const outbox = yield* OutboxDelivery
  const pass = yield* WatchPass.make

  const tick = Effect.fn("Watcher.tick")(function* () {
    const moved = yield* pass
    const { delivered } = yield* outbox.runOnce
    return { ...moved, outboxDelivered: delivered } satisfies TickReport
  })

  return { pass, tick: tick() }
})

export class Watcher extends Context.Service<
  Watcher,
  {
    /** One pass over everything unfinished. Safe to run at any time, also beside the scheduled one. */
    readonly tick: Effect.Effect<TickReport, StoreUnavailable>
  }
>()("sweep/orchestrator/Watcher") {
  /** Watches when told to. */
  static readonly layerOnDemand = Layer.effect(
    Watcher,
    Effect.map(make, ({ tick }) => ({ tick }))
  ).pipe(Layer.provide([Settlements.layer, StandingAlerts.layer, RecentIntents.layer]))

  /** Watches for as long as the scope lives: at every new head of any chain, on a timer, and when told to. */
  static readonly layer = Layer.effect(
    Watcher,
    Effect.gen(function* () {
      const chains = yield* Chains
      const { pass, tick } = yield* make
      const { watcher } = yield* OrchestratorSettings
      const news = yield* Latch.make()
      for (const { heads } of chains.all) yield* Effect.forkScoped(Stream.runForEach(heads, () => news.open))
      const survive = survivor("watcher")
      // The latch is closed before the chains are looked at, so that a head meanwhile is not lost. The outbox has a timer of its
      // own: a slow receiver does not slow down the chains.
      yield* news.close.pipe(
        Effect.andThen(survive(pass)),
        Effect.andThen(Effect.timeoutOption(news.await, watcher.pollMillis)),
        Effect.forever,
        Effect.forkScoped
      )
      return { tick }
    })
  ).pipe(Layer.provide([Settlements.layer, StandingAlerts.layer, RecentIntents.layer]))
}
