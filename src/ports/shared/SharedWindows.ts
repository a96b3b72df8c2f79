/** Windows in which requests are counted by all replicas together. */
import { Context, type Effect, Schema } from "effect"

/** The shared store did not answer, or refused. Count in this process. */
export class SharedWindowsUnavailable extends Schema.TaggedError<SharedWindowsUnavailable>()(
  "SharedWindowsUnavailable",
  { detail: Schema.String }
) {
  override get message(): string {
    return `the shared store of rate limits is unavailable: ${this.detail}`
  }
}

export interface Taking {
  readonly key: string
  readonly tokens: number
  /** Tokens of a window. A request above it is refused, and takes none. */
  readonly limit: number
  /** A window begins with its first request, and ends after this many milliseconds. */
  readonly windowMillis: number
}

export interface Taken {
  /** Tokens of the window with those of this request. Above the limit, the request is refused. */
  readonly count: number
  /** Milliseconds until the window ends. */
  readonly remainingMillis: number
}

export class SharedWindows extends Context.Service<
  SharedWindows,
  {
    /** Takes tokens from the window of a key, atomically. It may wait without an end, so callers limit it. */
    readonly take: (taking: Taking) => Effect.Effect<Taken, SharedWindowsUnavailable>
  }
>()("sweep/ports/SharedWindows") {}
