/** Lets replicas tell each other values for a while, so that one of them asks an outside service for all. */
import { Context, type Effect, type Option, Schema } from "effect"

/** The shared store did not answer, or refused. Ask for yourself. */
export class SharedMemoryUnavailable extends Schema.TaggedError<SharedMemoryUnavailable>()("SharedMemoryUnavailable", {
  detail: Schema.String
}) {
  override get message(): string {
    return `the shared memory is unavailable: ${this.detail}`
  }
}

export interface Remembered {
  readonly value: string
  /** Milliseconds for which the value still counts, at least 1. */
  readonly remainingMillis: number
}

/** Both operations may wait without an end, so callers limit them. */
export class SharedMemory extends Context.Service<
  SharedMemory,
  {
    /** The value of a key, or none if it was never told or counts no more. */
    readonly recall: (key: string) => Effect.Effect<Option.Option<Remembered>, SharedMemoryUnavailable>
    /** Tells a value, in place of an earlier one. It counts for this many milliseconds, at least 1. */
    readonly remember: (
      key: string,
      value: string,
      lifetimeMillis: number
    ) => Effect.Effect<void, SharedMemoryUnavailable>
  }
>()("sweep/ports/SharedMemory") {}
