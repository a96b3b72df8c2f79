/** Counts of a provider's outcomes, and the list of all providers for operators. */
import { Effect, Layer } from "effect"
import { type ProviderState, ProviderStates } from "../../ports/shared/ProviderStates.ts"

export interface Counts {
  readonly successes: number
  readonly failures: number
  readonly failuresInARow: number
  readonly abandoned: number
  /** UNIX milliseconds. */
  readonly lastSuccessAt: number | undefined
  readonly lastFailure: string | undefined
}

export const NONE: Counts = {
  successes: 0,
  failures: 0,
  failuresInARow: 0,
  abandoned: 0,
  lastSuccessAt: undefined,
  lastFailure: undefined
}

export const succeeded = (counts: Counts, now: number): Counts => ({
  ...counts,
  successes: counts.successes + 1,
  failuresInARow: 0,
  lastSuccessAt: now
})

export const failed = (counts: Counts, detail: string): Counts => ({
  ...counts,
  failures: counts.failures + 1,
  failuresInARow: counts.failuresInARow + 1,
  lastFailure: detail
})

export const abandoned = (counts: Counts): Counts => ({ ...counts, abandoned: counts.abandoned + 1 })

/** State of a circuit, with the milliseconds until it lets a request through. */
export interface Circuit {
  readonly state: "closed" | "open" | "half_open"
  readonly retryAfterMillis: number
}

export const stateOf = (
  name: string,
  counts: Counts,
  circuit: Circuit,
  pausedUntil: number,
  now: number
): ProviderState => {
  const pauseMillis = Math.max(0, pausedUntil - now)
  const isPaused = circuit.state !== "open" && pauseMillis > 0
  return {
    name,
    state: isPaused ? "paused" : circuit.state,
    retryAfterMillis: Math.max(pauseMillis, circuit.retryAfterMillis),
    lastSuccessAgeMillis: counts.lastSuccessAt === undefined ? undefined : Math.max(0, now - counts.lastSuccessAt),
    failuresInARow: counts.failuresInARow,
    successes: counts.successes,
    failures: counts.failures,
    abandoned: counts.abandoned,
    lastFailure: counts.lastFailure
  }
}

/** Keeps the registered providers. */
export const layer = Layer.sync(ProviderStates, () => {
  const registered = new Set<Effect.Effect<ProviderState>>()
  return {
    register: (state) =>
      Effect.acquireRelease(
        Effect.sync(() => registered.add(state)),
        () => Effect.sync(() => registered.delete(state))
      ).pipe(Effect.asVoid),
    all: Effect.suspend(() => Effect.all([...registered]))
  }
})
