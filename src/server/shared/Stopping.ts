/**
 * Signals that the server is about to stop. It is no longer ready from the start of the drain, and endless responses end after it. The server
 * waits for responses in flight, and would otherwise wait for these until its grace period is over.
 */
import { Context, Deferred, type Duration, Effect, Layer } from "effect"

/**
 * Ends endless responses. A client whose response ends connects again, so the signal comes when the server is about to accept nothing more:
 * before that, the client would come back to the same server, again and again.
 */
export class EndOfStreams extends Context.Service<EndOfStreams, Deferred.Deferred<void>>()(
  "sweep/server/EndOfStreams"
) {}

export class Stopping extends Context.Service<Stopping, Deferred.Deferred<void>>()("sweep/server/Stopping") {
  /** Both signals. */
  static readonly layer = Layer.merge(
    Layer.effect(Stopping, Deferred.make<void>()),
    Layer.effect(EndOfStreams, Deferred.make<void>())
  )

  /**
   * Must be built after the server, because layers are released in reverse order. The server still answers for the time of `drain`, in
   * which load balancers see that it is not ready.
   */
  static readonly signal = (drain: Duration.Input) =>
    Layer.effectDiscard(
      Effect.gen(function* () {
        const [stopping, ending] = [yield* Stopping, yield* EndOfStreams]
        yield* Effect.addFinalizer(() =>
          Deferred.succeed(stopping, undefined).pipe(
            Effect.andThen(Effect.sleep(drain)),
            Effect.andThen(Deferred.succeed(ending, undefined))
          )
        )
      })
    )

  /** True from the start of the drain on. */
  static readonly hasBegun = Effect.flatMap(Stopping, Deferred.isDone)
}
