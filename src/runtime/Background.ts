/** The one way to run a loop in the background: the relayer, the watcher and both deliveries use it. */
import { Cause, Effect, type Latch, type Scope } from "effect"
import { StoreUnavailable } from "../ports/shared/Store.ts"
import { LOOP_FAILURES } from "../telemetry/metrics/Process.ts"

/** Turns every failure and defect of a run into a log event, so that the run's caller continues. */
export type Supervisor = <A, E, R>(run: Effect.Effect<A, E, R>) => Effect.Effect<void, never, R>

export interface Rhythm {
  /** Pause between the end of a round and the start of the next, in milliseconds. An effect is run after each round. */
  readonly pauseMillis: number | Effect.Effect<number>
  /** Ends the pause early when opened. It is closed before each round, so that an event during the round is not lost. */
  readonly wake?: Latch.Latch
  /** Awaited before each round. Default: the round starts at once. */
  readonly admission?: Effect.Effect<unknown>
  /** Told of the end of each round, with the pause until the next one in milliseconds. */
  readonly ended?: (pauseMillis: number) => Effect.Effect<void>
}

/**
 * Starts a loop that runs `round` at once and again after each pause, until the scope closes. A failed round is logged and the
 * loop continues, so a round must be safe to repeat.
 */
export const loop = <A, E, R>(
  supervised: Supervisor,
  { admission = Effect.void, ended = () => Effect.void, pauseMillis, wake }: Rhythm,
  round: Effect.Effect<A, E, R>
): Effect.Effect<void, never, R | Scope.Scope> => {
  const once = wake === undefined ? supervised(round) : Effect.andThen(wake.close, supervised(round))
  const millis = typeof pauseMillis === "number" ? Effect.succeed(pauseMillis) : pauseMillis
  const pause = Effect.flatMap(millis, (duration) =>
    Effect.andThen(
      ended(duration),
      wake === undefined ? Effect.sleep(duration) : Effect.asVoid(Effect.timeoutOption(wake.await, duration))
    )
  )
  return admission.pipe(Effect.andThen(once), Effect.andThen(pause), Effect.forever, Effect.forkScoped, Effect.asVoid)
}

/** The database's failure, if the cause holds nothing else. */
const outage = (cause: Cause.Cause<unknown>): StoreUnavailable | undefined => {
  const failures = cause.reasons.flatMap((reason) => (Cause.isFailReason(reason) ? [reason.error] : []))
  const [first] = failures
  return failures.length === cause.reasons.length && first instanceof StoreUnavailable ? first : undefined
}

/**
 * Makes the supervisor of a loop; `name` and `fields` annotate its log events. Each failure logs `background.failed`. An outage
 * of the database logs `background.database_lost` when it begins and `background.database_recovered` after the next successful
 * run, regardless of the number of failed runs in between.
 */
export const supervisor = (name: string, fields: Readonly<Record<string, string | number>> = {}): Supervisor => {
  let isOut = false
  const recovered = Effect.suspend(() => {
    if (!isOut) return Effect.void
    isOut = false
    return Effect.logInfo("background.database_recovered")
  })
  const failed = (cause: Cause.Cause<unknown>) =>
    Effect.suspend(() => {
      const unavailable = outage(cause)
      if (unavailable === undefined) return Effect.logError("background.failed", cause)
      if (isOut) return Effect.void
      isOut = true
      return Effect.annotateLogs(Effect.logWarning("background.database_lost"), { detail: unavailable.message })
    })
  return (run) =>
    run.pipe(
      Effect.andThen(Effect.annotateLogs(recovered, { loop: name, ...fields })),
      Effect.catchCause((cause) =>
        Effect.andThen(
          LOOP_FAILURES.record(1, { loop: name }),
          Effect.annotateLogs(failed(cause), { loop: name, ...fields })
        )
      )
    )
}
