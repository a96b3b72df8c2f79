/** Time limits that hold even if the limited effect cannot be interrupted at once, such as a statement of a silent database. */
import { type Duration, Effect, Fiber, type Option } from "effect"

/**
 * Runs an effect in a fiber of its own. Interruption of the caller interrupts that fiber and does not wait for it.
 */
export const detached = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.uninterruptibleMask((restore) =>
    Effect.flatMap(Effect.forkDetach(effect), (fiber) =>
      Effect.onInterrupt(restore(Fiber.join(fiber)), () => Effect.sync(() => fiber.interruptUnsafe()))
    )
  )

/** The effect's value; none if it takes longer than `limit`. The effect is then interrupted, and ends on its own. */
export const within =
  (limit: Duration.Input) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<Option.Option<A>, E, R> =>
    Effect.timeoutOption(detached(effect), limit)

/**
 * Runs an effect in a fiber of its own, which ends on its own when the caller is interrupted. The effect must have a time limit. For
 * requests whose outcome tells something, such as that a service is lost, also when nobody waits for it any more.
 */
export const toItsEnd = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Effect.forkDetach(effect), (fiber) => Fiber.join(fiber))
