/**
 * Signals that the server is about to stop, so that it is no longer ready and endless responses end. The server waits for responses in flight, and would
 * otherwise wait for these until its grace period is over.
 */
import { Context, Deferred, type Duration, Effect, Layer } from "effect"

export class Stopping extends Context.Service<Stopping, Deferred.Deferred<void>>()("sweep/server/Stopping") {
  static readonly layer = Layer.effect(Stopping, Deferred.make<void>())

  /**
   * Must be built after the server, because layers are released in reverse order. The server still answers for the time of `drain`, in
   * which load balancers see that it is not ready.
   */
  static readonly signal = (drain: Duration.Input) =>
    Layer.effectDiscard(
      Effect.flatMap(Stopping, (stopping) =>
        Effect.addFinalizer(() => Effect.andThen(Deferred.succeed(stopping, undefined), Effect.sleep(drain)))
      )
    )

  /** True from the signal on. */
  static readonly hasBegun = Effect.flatMap(Stopping, Deferred.isDone)
}
