/** Advances intents by what the chains prove: receipts, the guard's `Swept` event, confirmations, and the bridge's delivery. */
import { Context, Effect, Latch, Layer, Stream } from "effect"
import { Chains } from "../../ports/shared/Chains.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import * as Background from "../../runtime/Background.ts"
import { OutboxDelivery } from "../outbox/OutboxDelivery.ts"
import { Settlements } from "../settle/Settlements.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import { RecentIntents } from "../shared/RecentIntents.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"
import type { TickReport } from "./Findings.ts"
import * as Pass from "./Pass.ts"

const make = Effect.gen(function* () {
  const outbox = yield* OutboxDelivery
  const pass = yield* Pass.make

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
    /** One pass over everything unfinished, and one delivery of the outbox. Safe at any time, also beside the scheduled ones. */
    readonly tick: Effect.Effect<TickReport, StoreUnavailable>
  }
>()("sweep/orchestrator/Watcher") {
  /** Runs only when `tick` is called. */
  static readonly layerOnDemand = Layer.effect(
    Watcher,
    Effect.map(make, ({ tick }) => ({ tick }))
  ).pipe(Layer.provide([Settlements.layer, StandingAlerts.layer, RecentIntents.layer]))

  /** Runs until the scope closes: at each new head of any chain, every `pollMillis`, and when `tick` is called. */
  static readonly layer = Layer.effect(
    Watcher,
    Effect.gen(function* () {
      const chains = yield* Chains
      const { pass, tick } = yield* make
      const { watcher } = yield* OrchestratorSettings
      const wake = yield* Latch.make()
      for (const { heads } of chains.all) yield* Effect.forkScoped(Stream.runForEach(heads, () => wake.open))
      // The outbox has a loop of its own, so that a slow receiver does not delay the chains.
      yield* Background.loop(Background.supervisor("watcher"), { pauseMillis: watcher.pollMillis, wake }, pass)
      return { tick }
    })
  ).pipe(Layer.provide([Settlements.layer, StandingAlerts.layer, RecentIntents.layer]))
}
