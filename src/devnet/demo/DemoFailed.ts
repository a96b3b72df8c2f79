/** The demo cannot continue. A balance that does not match its order is not a failure, but a failed check in the summary. */
import { Effect, Schema } from "effect"

export class DemoFailed extends Schema.TaggedError<DemoFailed>()("DemoFailed", { detail: Schema.String }) {
  override get message(): string {
    return this.detail
  }
}

/** Runs a promise. A rejection becomes a {@link DemoFailed} that names the step. */
export const attempt = <A>(step: string, run: () => Promise<A>): Effect.Effect<A, DemoFailed> =>
  Effect.tryPromise({
    try: run,
    catch: (error) => new DemoFailed({ detail: `${step}: ${error instanceof Error ? error.message : String(error)}` })
  })
