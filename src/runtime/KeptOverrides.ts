/** Overrides of the operator as this process knows them: read at the start, after each change, and on a timer. */
import { Context, Effect, Latch, Layer, Ref, Schedule, Stream } from "effect"
import { type Override, Overrides } from "../ports/shared/Overrides.ts"
import type { StoreUnavailable } from "../ports/shared/Store.ts"
import * as Background from "./Background.ts"

/** Pause between two reads in milliseconds, so that every replica follows a change within two seconds, also without its notice. */
const POLL_MILLIS = 1_500

/** Pause before the first read is repeated. */
const RETRY = "1 second"

export class KeptOverrides extends Context.Service<
  KeptOverrides,
  {
    /** Never fails: while the database does not answer, the last known overrides hold. */
    readonly current: Effect.Effect<ReadonlyArray<Override>>
    /** Reads the overrides now. */
    readonly refresh: Effect.Effect<void, StoreUnavailable>
  }
>()("sweep/runtime/KeptOverrides") {
  /** Reads only at the start, and when `refresh` is called. */
  static readonly layerOnDemand = Layer.effect(
    KeptOverrides,
    Effect.gen(function* () {
      const { all } = yield* Overrides
      // Without the overrides a replica would do what an operator forbade, so it does not start.
      const first = yield* Effect.retry(all, Schedule.spaced(RETRY))
      const known = yield* Ref.make(first)
      return { current: Ref.get(known), refresh: Effect.flatMap(all, (read) => Ref.set(known, read)) }
    })
  )

  /** Follows the changes of all replicas until the scope closes. */
  static readonly layer = Layer.effectDiscard(
    Effect.gen(function* () {
      const { changes } = yield* Overrides
      const { refresh } = yield* KeptOverrides
      const wake = yield* Latch.make()
      yield* changes.pipe(
        Stream.runForEach(() => wake.open),
        Effect.forkScoped
      )
      yield* Background.loop(Background.supervisor("overrides"), { pauseMillis: POLL_MILLIS, wake }, refresh)
    })
  ).pipe(Layer.provideMerge(KeptOverrides.layerOnDemand))
}
