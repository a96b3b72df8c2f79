/**
 * Tells answers that have no end of their own that the server is about to stop. It then waits for answers in flight, and would
 * wait for those until its patience ends.
 */
import { Context, Deferred, Effect, Layer } from "effect"

export class Stopping extends Context.Service<Stopping, Deferred.Deferred<void>>()("sweep/server/Stopping") {
  static readonly layer = Layer.effect(Stopping, Deferred.make<void>())

  /** Built after the server, so that it is the first to go. */
  static readonly signal = Layer.effectDiscard(
    Effect.flatMap(Stopping, (stopping) => Effect.addFinalizer(() => Deferred.succeed(stopping, undefined)))
  )
}
