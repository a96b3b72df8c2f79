/**
 * Signals that the server is about to stop, so that endless responses end. The server waits for responses in flight, and would
 * otherwise wait for these until its grace period is over.
 */
import { Context, Deferred, Effect, Layer } from "effect"

export class Stopping extends Context.Service<Stopping, Deferred.Deferred<void>>()("sweep/server/Stopping") {
  static readonly layer = Layer.effect(Stopping, Deferred.make<void>())

  /** Must be built after the server, because layers are released in reverse order. */
  static readonly signal = Layer.effectDiscard(
    Effect.flatMap(Stopping, (stopping) => Effect.addFinalizer(() => Deferred.succeed(stopping, undefined)))
  )
}
