/** Prints each step of the drill with its time, and knows what was left out. */
import { Clock, Console, Effect, Schema } from "effect"

/** A step did not go as it must. The message says what was seen. */
export class StepFailed extends Schema.TaggedError<StepFailed>()("StepFailed", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}

export const failed = (detail: string) => new StepFailed({ detail })

/** Fails with `detail` unless the condition holds. */
export const must = (condition: boolean, detail: string): Effect.Effect<void, StepFailed> =>
  condition ? Effect.void : Effect.fail(failed(detail))

export const make = Effect.gen(function* () {
  const startedAt = yield* Clock.currentTimeMillis
  const left: Array<string> = []
  let steps = 0

  const seconds = Effect.map(Clock.currentTimeMillis, (now) => ((now - startedAt) / 1_000).toFixed(1).padStart(6))
  const say = (text: string) => Effect.flatMap(seconds, (at) => Console.log(`[${at} s] ${text}`))

  /** Runs a step. Its result is a text that says what was seen. */
  const step = <A, E extends { readonly message: string }, R>(
    name: string,
    run: Effect.Effect<A, E, R>,
    seen: (result: A) => string = () => ""
  ): Effect.Effect<A, StepFailed, R> =>
    run.pipe(
      Effect.mapError((error) => failed(`${name}: ${error.message}`)),
      Effect.tap((result) => {
        steps++
        const text = seen(result)
        return say(`ok  ${name}${text === "" ? "" : `: ${text}`}`)
      }),
      Effect.tapError(() => say(`FAILED  ${name}`))
    )

  const leaveOut = (text: string) => {
    left.push(text)
    return say(`--  left out: ${text}`)
  }

  return { say, step, leaveOut, summary: Effect.sync(() => ({ steps, left })) }
})

export type Report = Effect.Success<typeof make>
