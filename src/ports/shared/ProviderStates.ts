/** The state of each outside HTTP service, for operators. Adapters report it, and the health check reads it. */
import { Context, Effect, type Scope } from "effect"

export interface ProviderState {
  readonly name: string
  /**
   * `closed`: requests are sent. `paused`: the provider asked for a pause (`Retry-After`). `open`: no request is sent after failures in a
   * row. `half_open`: one request is sent to see if the provider is back.
   */
  readonly state: "closed" | "paused" | "open" | "half_open"
  /** Milliseconds until a request is sent again. 0 if requests are sent now. */
  readonly retryAfterMillis: number
  /** Milliseconds since the last usable answer. Undefined if there was none since the start. */
  readonly lastSuccessAgeMillis: number | undefined
  /** Failures in a row. */
  readonly failuresInARow: number
  /** Since the start of the process. */
  readonly successes: number
  readonly failures: number
  /** Requests that were given up before an answer came, as when other sources had answered. Since the start of the process. */
  readonly abandoned: number
  /** Detail of the last failure, without bodies, keys and URLs. */
  readonly lastFailure: string | undefined
}

export interface ProviderStatesShape {
  /** Lists a provider for as long as the scope lives. */
  readonly register: (state: Effect.Effect<ProviderState>) => Effect.Effect<void, never, Scope.Scope>
  /** The registered providers, in the order of their registration. */
  readonly all: Effect.Effect<ReadonlyArray<ProviderState>>
}

/** Default: nothing is kept. */
export const ProviderStates = Context.Reference<ProviderStatesShape>("sweep/ports/ProviderStates", {
  defaultValue: () => ({ register: () => Effect.void, all: Effect.succeed([]) })
})
