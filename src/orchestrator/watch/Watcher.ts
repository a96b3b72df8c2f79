/** Advances intents by what the chains prove: receipts, the guard's `Swept` event, confirmations, and the bridge's delivery. */
import { Clock, Context, Effect, Latch, Layer, Stream } from "effect"
import { nameOf, worksOn } from "../../domain/Role.ts"
import { Intents } from "../../ports/orchestrator/Intents.ts"
import * as Priority from "../../ports/shared/Priority.ts"
import type { StoreUnavailable } from "../../ports/shared/Store.ts"
import * as Background from "../../runtime/Background.ts"
import { LoopProgress } from "../../runtime/LoopProgress.ts"
import { OutboxDelivery } from "../outbox/OutboxDelivery.ts"
import { LogSources } from "../settle/LogSources.ts"
import { Settlements } from "../settle/Settlements.ts"
import { ChainLosses } from "../shared/ChainLosses.ts"
import { KeptVersions } from "../shared/KeptVersions.ts"
import { ProcessShare } from "../shared/ProcessShare.ts"
import { RecentIntents } from "../shared/RecentIntents.ts"
import { RenewedAlerts } from "../shared/RenewedAlerts.ts"
import { SentHere } from "../shared/SentHere.ts"
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

/** Shortest time between two rounds of an idle duty that submissions start, in milliseconds. */
const SUBMISSION_MILLIS = 1_000

/**
 * Opens `wake` at new heads while they are worth a round, and at a submission otherwise. Heads are not followed all the time, since
 * that polls the chain. Returns the effect that takes note after each round.
 */
const attention = Effect.fnUntraced(function* (
  { client, isPrompt }: NonNullable<Duties.Duty["wokenBy"]>,
  wake: Latch.Latch
) {
  const { wakes } = yield* Intents
  const attentive = yield* Latch.make()
  const inattentive = yield* Latch.make(true)
  let submittedAt = Number.NEGATIVE_INFINITY

  const following = Stream.runForEach(client.heads, () => wake.open)
  yield* attentive.await.pipe(
    Effect.andThen(Effect.raceFirst(following, inattentive.await)),
    Effect.forever,
    Effect.forkScoped
  )
  const submitted = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    if (attentive.isOpen() || now - submittedAt < SUBMISSION_MILLIS) return
    submittedAt = now
    yield* wake.open
  })
  yield* Effect.forkScoped(Stream.runForEach(wakes(client.chain.id), () => submitted))

  return Effect.flatMap(isPrompt, (isWorthIt) =>
    isWorthIt ? Effect.andThen(inattentive.close, attentive.open) : Effect.andThen(attentive.close, inattentive.open)
  )
})

/** Everything of its own that the watcher is made of. It is shared with the relayer of the same process. */
export const parts = Layer.mergeAll(
  Settlements.layer,
  LogSources.layer,
  StandingAlerts.layer,
  RenewedAlerts.layerOnDemand,
  RecentIntents.layer,
  KeptVersions.layer,
  SentHere.layer,
  OwnerBlocks.layer,
  ChainLosses.layer
)

const provideParts = Layer.provide(parts)

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
  ).pipe(provideParts)

  /**
   * Runs until the scope closes: each duty of this process every `pollMillis`, while there is work also at its chain's new heads,
   * and all when `tick` is called.
   */
  static readonly layer = Layer.effect(
    Watcher,
    Effect.gen(function* () {
      const { duties, tick } = yield* make
      // Shared, so that an outage of the database is logged once. The outbox has a loop of its own.
      const supervised = Background.supervisor("watcher")
      const share = yield* ProcessShare
      const { follow } = yield* LoopProgress
      for (const { chainId, fields, pauseMillis, scheduled, wokenBy } of duties.filter(({ chainId }) =>
        worksOn(share, "watch", chainId)
      )) {
        const wake = yield* Latch.make()
        const round = Priority.at("watch")(scheduled)
        const attended = wokenBy === undefined ? round : Effect.ensuring(round, yield* attention(wokenBy, wake))
        const ended = yield* follow(nameOf({ role: "watch", chainId }))
        const annotated = <A, E, R>(run: Effect.Effect<A, E, R>) => Effect.annotateLogs(supervised(run), fields)
        yield* Background.loop(annotated, { pauseMillis, wake, ended }, attended)
      }
      return { tick }
    })
  ).pipe(Layer.provide(RenewedAlerts.layer), provideParts)
}
